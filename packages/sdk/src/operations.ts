import type { accountExport } from "@slipway/protocol/accountExport";
import type * as accounts from "@slipway/protocol/accounts";
import type * as administration from "@slipway/protocol/administration";
import type * as alerts from "@slipway/protocol/alerts";
import type * as businesses from "@slipway/protocol/businesses";
import type { addedDenial, deniedImages, ImageDenial } from "@slipway/protocol/deniedImages";
import type * as fees from "@slipway/protocol/fees";
import type * as forecast from "@slipway/protocol/forecast";
import type { GallerySort, gallery } from "@slipway/protocol/gallery";
import type * as gas from "@slipway/protocol/gas";
import type { uploadedImage } from "@slipway/protocol/images";
import type * as indexed from "@slipway/protocol/indexed";
import type { draft, draftList, Intent } from "@slipway/protocol/intent";
import type { LaunchCallsRequest, launchCallsResult } from "@slipway/protocol/launchCalls";
import type { draftWithOptions, LaunchOptionsRequest } from "@slipway/protocol/launchOptions";
import type { LaunchPreviewRequest, launchPreview } from "@slipway/protocol/launchPreview";
import type { launchProgress } from "@slipway/protocol/launchProgress";
import type * as markets from "@slipway/protocol/markets";
import type { moderated, Report, receivedReport } from "@slipway/protocol/moderation";
import type { indexedWallet, recipient, tokenHolders } from "@slipway/protocol/people";
import type { pairRisk, riskCards } from "@slipway/protocol/risk";
import type { settings } from "@slipway/protocol/settings";
import type { latestSignals, signalHistory, signalRecords } from "@slipway/protocol/signals";
import type { contractDocument, tokenList } from "@slipway/protocol/tokenList";
import type { TradeCallsRequest, tradeCallsResult } from "@slipway/protocol/tradeCalls";
import type * as transaction from "@slipway/protocol/transaction";

/** Parses a response's JSON, or throws; a zod schema is one. */
export type Parser<T = unknown> = { parse(value: unknown): T };

/**
 * One endpoint. Keys of the input that `path` names go there; the others are the body of a POST, PUT or PATCH, else the
 * query. The table below is data: schemas are in answerSchemas.ts, so that a page can do without them.
 */
export type Operation<Input = unknown, Answer = unknown> = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** Sends a key of the caller's account. */
  guarded: boolean;
  /** Its path is below the site's root, not below the API's. */
  site?: boolean;
  /** Sends an Idempotency-Key. */
  idempotent?: boolean;
  /** Sends the call's `ifMatch` as If-Match. */
  conditional?: boolean;
  /** Sends the input's `file` as multipart/form-data instead of JSON. */
  file?: boolean;
  /** The response is a PNG image. */
  png?: boolean;
  /** Only types: never set. */
  input?: Input;
  answer?: Answer;
};

/** What a schema parses to. */
type Parsed<Schema extends Parser> = ReturnType<Schema["parse"]>;

type Flags = Omit<Operation, "method" | "path" | "input" | "answer">;

/** An operation that sends no key, unless it is marked as guarded. */
function open<Input, Schema extends Parser>(
  method: Operation["method"],
  path: string,
  flags: Partial<Flags> = {},
): Operation<Input, Parsed<Schema>> {
  return { method, path, guarded: false, ...flags };
}

function guarded<Input, Schema extends Parser>(
  method: Operation["method"],
  path: string,
  flags: Omit<Flags, "guarded"> = {},
): Operation<Input, Parsed<Schema>> {
  return { method, path, guarded: true, ...flags };
}

type Id = { id: string };
type Page = { limit?: number; before?: number } | undefined;
type TokensInput = { sort?: "volume" | "market_cap" | "new" | "gainers"; q?: string; limit?: number } | undefined;
type TradesInput = { address: string; limit?: number; before?: string; maker?: string; side?: "buy" | "sell" };
type CandlesInput = { address: string; interval?: indexed.CandleInterval; limit?: number; before?: number };
type HoldersInput = { address: string; limit?: number; cursor?: string };
type GalleryInput = { sort?: GallerySort; cursor?: string; limit?: number; q?: string; seed?: number } | undefined;
type BusinessesInput =
  | {
      q?: string;
      source?: "all" | businesses.ListingSource;
      kind?: "business" | "token";
      category?: string;
      country?: string;
      near?: string;
      radius_km?: number;
      limit?: number;
      cursor?: string;
    }
  | undefined;
type DirectoryInput =
  | { source?: "all" | businesses.DirectorySource; q?: string; limit?: number; cursor?: string }
  | undefined;
type MarketBarsInput = { pair: string; interval?: markets.BarLength; limit?: number; before?: number };
type SignalsInput = { pair?: string; strategy?: string; direction?: "long" | "short" | "flat"; limit?: number };
type SignalHistoryInput = SignalsInput & {
  outcome?: "hit" | "miss" | "open";
  from?: string;
  to?: string;
  cursor?: string;
};
type NewAlert = { email: string; pair: string; rule: alerts.AlertRule };
type LaunchInput = { intent_id: string; wallet: string; splitter: string; salt: string };
type Moderation = Id & { blocked: boolean; reason: string };
type SignedMessage = { message: string; signature: string };
type NewApiKey = { name: string; scopes?: accounts.Scope[]; expires_in_days?: number };
type PlanGrant = { account_id: string; plan: administration.PlanName; days?: number };
type CreditGrant = { account_id: string; amount: number; reason?: string };

/** The index, drafts, launches, trades and fees, by their operation's name in OpenAPI. */
const launchpadOperations = {
  getConfig: open<undefined, typeof settings>("GET", "/config"),
  listTokens: open<TokensInput, typeof indexed.indexedTokens>("GET", "/tokens"),
  getToken: open<{ address: string }, typeof indexed.tokenDetail>("GET", "/tokens/{address}"),
  listTokenTrades: open<TradesInput, typeof indexed.indexedTrades>("GET", "/tokens/{address}/trades"),
  listTokenHolders: open<HoldersInput, typeof tokenHolders>("GET", "/tokens/{address}/holders"),
  listTokenCandles: open<CandlesInput, typeof indexed.indexedCandles>("GET", "/tokens/{address}/candles"),
  getAnalytics: open<undefined, typeof indexed.indexAnalytics>("GET", "/analytics"),
  getGallery: open<GalleryInput, typeof gallery>("GET", "/gallery"),
  getContractDocument: open<{ address: string }, typeof contractDocument>("GET", "/tokens/{address}/contract-uri"),
  getTokenList: open<undefined, typeof tokenList>("GET", "/feeds/tokenlist.json", { site: true }),
  getWallet: open<{ address: string; cursor?: string }, typeof indexedWallet>("GET", "/wallets/{address}"),
  findRecipient: guarded<{ provider: accounts.HandleProvider; handle: string }, typeof recipient>("GET", "/recipients"),
  getReceiveCode: open<{ text: string }, Parser<Uint8Array>>("GET", "/qr.png", { png: true }),
  createIntent: guarded<Intent, typeof draft>("POST", "/intents", { idempotent: true }),
  listIntents: guarded<{ before?: string } | undefined, typeof draftList>("GET", "/intents"),
  getIntent: guarded<Id, typeof draftWithOptions>("GET", "/intents/{id}"),
  getIntentProgress: guarded<Id, typeof launchProgress>("GET", "/intents/{id}/progress"),
  putIntentOptions: guarded<Id & LaunchOptionsRequest, typeof draftWithOptions>("PUT", "/intents/{id}/options"),
  deleteIntent: guarded<Id, typeof accounts.removed>("DELETE", "/intents/{id}"),
  uploadImage: guarded<{ file: Blob | Uint8Array<ArrayBuffer> }, typeof uploadedImage>("POST", "/images", {
    file: true,
  }),
  prepareSplitter: guarded<transaction.SplitRequest, typeof transaction.unsignedResult>("POST", "/splits/transactions"),
  prepareLaunch: guarded<LaunchInput, typeof transaction.unsignedResult>("POST", "/launch/transactions"),
  previewLaunch: guarded<LaunchPreviewRequest, typeof launchPreview>("POST", "/launch/preview"),
  prepareLaunchCalls: guarded<LaunchCallsRequest, typeof launchCallsResult>("POST", "/launch/calls"),
  quoteTrade: guarded<transaction.TradeRequest, typeof transaction.quote>("POST", "/trade/quote"),
  prepareTrade: guarded<transaction.TradeRequest, typeof transaction.unsignedResult>("POST", "/trade/transactions"),
  prepareTradeCalls: guarded<TradeCallsRequest, typeof tradeCallsResult>("POST", "/trade/calls"),
  prepareFeeClaim: guarded<transaction.ClaimRequest, typeof transaction.unsignedResult>(
    "POST",
    "/fees/claim-transactions",
  ),
  prepareClaimCalls: guarded<fees.ClaimCallsRequest, typeof fees.claimCallsResult>("POST", "/fees/claim-calls"),
  preparePayout: guarded<fees.PayoutRequest, typeof transaction.unsignedResult>("POST", "/fees/payout-transactions"),
  getFeePending: guarded<{ token: string }, typeof fees.feePending>("GET", "/fees/pending"),
  getFeePositions: guarded<{ token: string; wallet: string }, typeof transaction.feePositions>(
    "GET",
    "/fees/positions",
  ),
  quoteGas: guarded<gas.GasQuoteRequest, typeof gas.gasQuote>("POST", "/gas/quote"),
  topUpGas: guarded<gas.GasTopUpRequest, typeof gas.gasTopUp>("POST", "/gas/topup"),
  getTopUp: guarded<{ hash: string }, typeof gas.gasTopUpStatus>("GET", "/gas/topups/{hash}"),
} as const;

/** Markets, forecasts, risk, signals and alerts. */
const marketOperations = {
  getForecastInfo: open<undefined, typeof forecast.forecastInfo>("GET", "/api/forecast", { site: true }),
  forecastLine: guarded<forecast.ForecastLineRequest, typeof forecast.forecastLineAnswer>(
    "POST",
    "/api/forecast/line",
    { site: true, idempotent: true },
  ),
  listMarkets: open<undefined, typeof markets.markets>("GET", "/api/markets", { site: true }),
  listMarketBars: open<MarketBarsInput, typeof markets.marketBars>("GET", "/api/markets/{pair}/bars", { site: true }),
  listRisk: guarded<undefined, typeof riskCards>("GET", "/api/risk", { site: true }),
  getRisk: guarded<{ pair: string }, typeof pairRisk>("GET", "/api/risk/{pair}", { site: true }),
  getLatestSignals: open<SignalsInput | undefined, typeof latestSignals>(
    "GET",
    "/api/trading-bot/public-signals-latest",
    { site: true },
  ),
  listSignals: open<SignalHistoryInput | undefined, typeof signalHistory>("GET", "/api/trading-bot/public-signals", {
    site: true,
  }),
  getSignalRecords: open<{ pair?: string; strategy?: string } | undefined, typeof signalRecords>(
    "GET",
    "/api/trading-bot/signal-records",
    { site: true },
  ),
  createAlert: guarded<NewAlert, typeof alerts.createdAlert>("POST", "/api/alerts", { site: true, idempotent: true }),
  listAlerts: guarded<undefined, typeof alerts.alertList>("GET", "/api/alerts", { site: true }),
  deleteAlert: guarded<Id, typeof accounts.removed>("DELETE", "/api/alerts/{id}", { site: true }),
  confirmAlertAddress: open<{ ticket: string }, typeof alerts.confirmedAddress>("POST", "/api/alerts/confirm", {
    site: true,
  }),
  unsubscribeAlertAddress: open<{ ticket: string }, typeof alerts.unsubscribed>(
    "POST",
    "/api/alerts/unsubscribe/{ticket}",
    { site: true },
  ),
} as const;

/** Listings, the account and its administration. */
const accountOperations = {
  listBusinesses: open<BusinessesInput, typeof businesses.businessList>("GET", "/businesses"),
  getBusiness: open<Id, typeof businesses.business>("GET", "/businesses/{id}"),
  createBusiness: guarded<businesses.BusinessInput, typeof businesses.business>("POST", "/businesses", {
    idempotent: true,
  }),
  replaceBusiness: guarded<Id & businesses.BusinessInput, typeof businesses.business>("PUT", "/businesses/{id}", {
    conditional: true,
  }),
  withdrawBusiness: guarded<Id, typeof accounts.removed>("DELETE", "/businesses/{id}", { conditional: true }),
  proveWebsite: guarded<Id, typeof businesses.websiteProof>("POST", "/businesses/{id}/website-proof"),
  listOwnBusinesses: guarded<undefined, typeof businesses.ownBusinesses>("GET", "/api/account/businesses", {
    site: true,
  }),
  getDirectory: open<DirectoryInput, typeof businesses.directory>("GET", "/directory"),
  createReport: open<Report, typeof receivedReport>("POST", "/reports"),
  createSignInNonce: open<undefined, typeof accounts.signInNonce>("POST", "/api/auth/siwe/nonce", { site: true }),
  signIn: open<SignedMessage, typeof accounts.signedIn>("POST", "/api/auth/siwe/verify", { site: true }),
  getSession: guarded<undefined, typeof accounts.currentSession>("GET", "/api/auth/session", { site: true }),
  signOut: guarded<undefined, typeof accounts.removed>("POST", "/api/auth/sign-out", { site: true }),
  startLink: guarded<{ provider: accounts.HandleProvider; callback_url?: string }, typeof accounts.linkStart>(
    "POST",
    "/api/auth/link-social",
    { site: true },
  ),
  getAccount: guarded<undefined, typeof accounts.account>("GET", "/api/account", { site: true }),
  renameAccount: guarded<{ name?: string; payout_wallet?: string | null }, typeof accounts.account>(
    "PATCH",
    "/api/account",
    { site: true },
  ),
  deleteAccount: guarded<undefined, typeof accounts.removed>("DELETE", "/api/account", { site: true }),
  exportAccount: guarded<undefined, typeof accountExport>("GET", "/api/account/export", { site: true }),
  listAccountEvents: guarded<Page, typeof accounts.accountEvents>("GET", "/api/account/events", { site: true }),
  listCredits: guarded<Page, typeof accounts.creditLedger>("GET", "/api/account/credits", { site: true }),
  linkWallet: guarded<SignedMessage, typeof accounts.linkedWallet>("POST", "/api/account/wallets", { site: true }),
  unlinkWallet: guarded<{ address: string }, typeof accounts.removed>("DELETE", "/api/account/wallets/{address}", {
    site: true,
  }),
  listConnections: guarded<undefined, typeof accounts.connections>("GET", "/connections"),
  unlinkConnection: guarded<{ provider: accounts.HandleProvider }, typeof accounts.removed>(
    "DELETE",
    "/api/account/connections/{provider}",
    { site: true },
  ),
  createApiKey: guarded<NewApiKey, typeof accounts.createdApiKey>("POST", "/api/account/keys", { site: true }),
  listApiKeys: guarded<undefined, typeof accounts.apiKeyList>("GET", "/api/account/keys", { site: true }),
  revokeApiKey: guarded<Id, typeof accounts.removed>("DELETE", "/api/account/keys/{id}", { site: true }),
  listSessions: guarded<undefined, typeof accounts.sessionList>("GET", "/api/account/sessions", { site: true }),
  endSessions: guarded<undefined, typeof accounts.endedSessions>("DELETE", "/api/account/sessions", { site: true }),
  endSession: guarded<Id, typeof accounts.removed>("DELETE", "/api/account/sessions/{id}", { site: true }),
  listAccounts: guarded<{ limit?: number; before?: string } | undefined, typeof administration.administeredAccounts>(
    "GET",
    "/api/admin/accounts",
    { site: true },
  ),
  startPlan: guarded<PlanGrant, typeof administration.startedPlan>("POST", "/api/admin/plans", { site: true }),
  grantCredits: guarded<CreditGrant, typeof administration.bookedCredits>("POST", "/api/admin/credits", {
    site: true,
    idempotent: true,
  }),
  moderateListing: guarded<Moderation, typeof moderated>("PATCH", "/api/admin/listings/{id}", { site: true }),
  moderateToken: guarded<Moderation, typeof moderated>("PATCH", "/api/admin/tokens/{id}", { site: true }),
  moderateImage: guarded<Moderation, typeof moderated>("PATCH", "/api/admin/images/{id}", { site: true }),
  listDeniedImages: guarded<{ limit?: number; before?: string } | undefined, typeof deniedImages>(
    "GET",
    "/api/admin/denied-images",
    { site: true },
  ),
  denyImages: guarded<ImageDenial, typeof addedDenial>("POST", "/api/admin/denied-images", {
    site: true,
  }),
  removeDenial: guarded<Id, typeof accounts.removed>("DELETE", "/api/admin/denied-images/{id}", { site: true }),
} as const;

/** Every endpoint by its operation's name in OpenAPI. */
export const operations = { ...launchpadOperations, ...marketOperations, ...accountOperations };

export type OperationName = keyof typeof operations;
