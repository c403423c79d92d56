import {
  type CandleInterval,
  indexAnalytics,
  indexedCandles,
  indexedTokens,
  indexedTrades,
  tokenDetail,
} from "@slipway/protocol/indexed";
import { connections, removed } from "@slipway/protocol/accounts";
import { gasQuote, type GasQuoteRequest, gasTopUp, type GasTopUpRequest, gasTopUpStatus } from "@slipway/protocol/gas";
import { draft, draftList, type Intent } from "@slipway/protocol/intent";
import { settings } from "@slipway/protocol/settings";
import {
  type ClaimRequest,
  feePositions,
  quote,
  type TradeRequest,
  unsignedResult,
} from "@slipway/protocol/transaction";

/** Parses a response's JSON, or throws; a zod schema is one. */
type Parser<T> = { parse(value: unknown): T };

/** One endpoint. Keys of the input that `path` names go there; the others are the body of a POST, else the query. */
export type Operation<Input, Answer> = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  /** Sends a key of the caller's account. */
  guarded: boolean;
  /** Sends an Idempotency-Key. */
  idempotent?: boolean;
  /** Null: the response is bytes. */
  answer: Parser<Answer> | null;
  /** Only a type: never set. */
  input?: Input;
};

const get = <Input, Answer>(path: string, answer: Parser<Answer>): Operation<Input, Answer> => ({
  method: "GET",
  path,
  guarded: false,
  answer,
});

const guardedGet = <Input, Answer>(path: string, answer: Parser<Answer>): Operation<Input, Answer> => ({
  ...get<Input, Answer>(path, answer),
  guarded: true,
});

const post = <Input, Answer>(path: string, answer: Parser<Answer>): Operation<Input, Answer> => ({
  method: "POST",
  path,
  guarded: true,
  answer,
});

type TokensInput = { sort?: "volume" | "market_cap" | "new" | "gainers"; q?: string; limit?: number } | undefined;
type CandlesInput = { address: string; interval?: CandleInterval; limit?: number; before?: number };
type LaunchInput = { intent_id: string; wallet: string; splitter: string; salt: string };

/** Every endpoint by its operation's name in OpenAPI. */
export const operations = {
  getConfig: get<undefined, ReturnType<typeof settings.parse>>("/config", settings),
  listTokens: get<TokensInput, ReturnType<typeof indexedTokens.parse>>("/tokens", indexedTokens),
  getToken: get<{ address: string }, ReturnType<typeof tokenDetail.parse>>("/tokens/{address}", tokenDetail),
  listTokenTrades: get<{ address: string; limit?: number }, ReturnType<typeof indexedTrades.parse>>(
    "/tokens/{address}/trades",
    indexedTrades,
  ),
  listTokenCandles: get<CandlesInput, ReturnType<typeof indexedCandles.parse>>(
    "/tokens/{address}/candles",
    indexedCandles,
  ),
  getAnalytics: get<undefined, ReturnType<typeof indexAnalytics.parse>>("/analytics", indexAnalytics),
  getReceiveCode: { method: "GET", path: "/qr.png", guarded: false, answer: null } as Operation<
    { text: string },
    Uint8Array
  >,
  createIntent: { ...post<Intent, ReturnType<typeof draft.parse>>("/intents", draft), idempotent: true },
  listIntents: guardedGet<{ before?: string } | undefined, ReturnType<typeof draftList.parse>>("/intents", draftList),
  deleteIntent: { method: "DELETE", path: "/intents/{id}", guarded: true, answer: removed } as Operation<
    { id: string },
    ReturnType<typeof removed.parse>
  >,
  prepareSplitter: post<{ intent_id: string; wallet: string }, ReturnType<typeof unsignedResult.parse>>(
    "/splits/transactions",
    unsignedResult,
  ),
  prepareLaunch: post<LaunchInput, ReturnType<typeof unsignedResult.parse>>("/launch/transactions", unsignedResult),
  quoteTrade: post<TradeRequest, ReturnType<typeof quote.parse>>("/trade/quote", quote),
  prepareTrade: post<TradeRequest, ReturnType<typeof unsignedResult.parse>>("/trade/transactions", unsignedResult),
  prepareFeeClaim: post<ClaimRequest, ReturnType<typeof unsignedResult.parse>>(
    "/fees/claim-transactions",
    unsignedResult,
  ),
  getFeePositions: guardedGet<{ token: string; wallet: string }, ReturnType<typeof feePositions.parse>>(
    "/fees/positions",
    feePositions,
  ),
  listConnections: guardedGet<undefined, ReturnType<typeof connections.parse>>("/connections", connections),
  quoteGas: post<GasQuoteRequest, ReturnType<typeof gasQuote.parse>>("/gas/quote", gasQuote),
  topUpGas: post<GasTopUpRequest, ReturnType<typeof gasTopUp.parse>>("/gas/topup", gasTopUp),
  getTopUp: guardedGet<{ hash: string }, ReturnType<typeof gasTopUpStatus.parse>>("/gas/topups/{hash}", gasTopUpStatus),
} as const;

export type OperationName = keyof typeof operations;
