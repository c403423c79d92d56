import { accountExport } from "@slipway/protocol/accountExport";
import * as accounts from "@slipway/protocol/accounts";
import * as administration from "@slipway/protocol/administration";
import * as alerts from "@slipway/protocol/alerts";
import * as businesses from "@slipway/protocol/businesses";
import { addedDenial, deniedImages } from "@slipway/protocol/deniedImages";
import * as fees from "@slipway/protocol/fees";
import * as forecast from "@slipway/protocol/forecast";
import { gallery } from "@slipway/protocol/gallery";
import * as gas from "@slipway/protocol/gas";
import { uploadedImage } from "@slipway/protocol/images";
import * as indexed from "@slipway/protocol/indexed";
import { draft, draftList } from "@slipway/protocol/intent";
import { launchCallsResult } from "@slipway/protocol/launchCalls";
import { draftWithOptions } from "@slipway/protocol/launchOptions";
import { launchPreview } from "@slipway/protocol/launchPreview";
import { launchProgress } from "@slipway/protocol/launchProgress";
import * as markets from "@slipway/protocol/markets";
import { moderated, receivedReport } from "@slipway/protocol/moderation";
import { indexedWallet, recipient, tokenHolders } from "@slipway/protocol/people";
import { pairRisk, riskCards } from "@slipway/protocol/risk";
import { settings } from "@slipway/protocol/settings";
import { latestSignals, signalHistory, signalRecords } from "@slipway/protocol/signals";
import { contractDocument, tokenList } from "@slipway/protocol/tokenList";
import { tradeCallsResult } from "@slipway/protocol/tradeCalls";
import * as transaction from "@slipway/protocol/transaction";
import type { Operation, OperationName, operations, Parser } from "./operations.ts";

type AnswerSchemas = {
  [Name in OperationName]: (typeof operations)[Name] extends Operation<infer _, infer Answer> ? Parser<Answer> : never;
};

/** The schema of each operation's answer, against which the checked client holds it. */
export const answerSchemas: Omit<AnswerSchemas, "getReceiveCode"> = {
  getConfig: settings,
  listTokens: indexed.indexedTokens,
  getToken: indexed.tokenDetail,
  listTokenTrades: indexed.indexedTrades,
  listTokenHolders: tokenHolders,
  listTokenCandles: indexed.indexedCandles,
  getAnalytics: indexed.indexAnalytics,
  getGallery: gallery,
  getContractDocument: contractDocument,
  getTokenList: tokenList,
  getWallet: indexedWallet,
  findRecipient: recipient,
  createIntent: draft,
  listIntents: draftList,
  getIntent: draftWithOptions,
  getIntentProgress: launchProgress,
  putIntentOptions: draftWithOptions,
  deleteIntent: accounts.removed,
  uploadImage: uploadedImage,
  prepareSplitter: transaction.unsignedResult,
  prepareLaunch: transaction.unsignedResult,
  previewLaunch: launchPreview,
  prepareLaunchCalls: launchCallsResult,
  quoteTrade: transaction.quote,
  prepareTrade: transaction.unsignedResult,
  prepareTradeCalls: tradeCallsResult,
  prepareFeeClaim: transaction.unsignedResult,
  prepareClaimCalls: fees.claimCallsResult,
  preparePayout: transaction.unsignedResult,
  getFeePending: fees.feePending,
  getFeePositions: transaction.feePositions,
  quoteGas: gas.gasQuote,
  topUpGas: gas.gasTopUp,
  getTopUp: gas.gasTopUpStatus,
  getForecastInfo: forecast.forecastInfo,
  forecastLine: forecast.forecastLineAnswer,
  listMarkets: markets.markets,
  listMarketBars: markets.marketBars,
  listRisk: riskCards,
  getRisk: pairRisk,
  getLatestSignals: latestSignals,
  listSignals: signalHistory,
  getSignalRecords: signalRecords,
  createAlert: alerts.createdAlert,
  listAlerts: alerts.alertList,
  deleteAlert: accounts.removed,
  confirmAlertAddress: alerts.confirmedAddress,
  unsubscribeAlertAddress: alerts.unsubscribed,
  listBusinesses: businesses.businessList,
  getBusiness: businesses.business,
  createBusiness: businesses.business,
  replaceBusiness: businesses.business,
  withdrawBusiness: accounts.removed,
  proveWebsite: businesses.websiteProof,
  listOwnBusinesses: businesses.ownBusinesses,
  getDirectory: businesses.directory,
  createReport: receivedReport,
  createSignInNonce: accounts.signInNonce,
  signIn: accounts.signedIn,
  getSession: accounts.currentSession,
  signOut: accounts.removed,
  startLink: accounts.linkStart,
  getAccount: accounts.account,
  renameAccount: accounts.account,
  deleteAccount: accounts.removed,
  exportAccount: accountExport,
  listAccountEvents: accounts.accountEvents,
  listCredits: accounts.creditLedger,
  linkWallet: accounts.linkedWallet,
  unlinkWallet: accounts.removed,
  listConnections: accounts.connections,
  unlinkConnection: accounts.removed,
  createApiKey: accounts.createdApiKey,
  listApiKeys: accounts.apiKeyList,
  revokeApiKey: accounts.removed,
  listSessions: accounts.sessionList,
  endSessions: accounts.endedSessions,
  endSession: accounts.removed,
  listAccounts: administration.administeredAccounts,
  startPlan: administration.startedPlan,
  grantCredits: administration.bookedCredits,
  moderateListing: moderated,
  moderateToken: moderated,
  moderateImage: moderated,
  listDeniedImages: deniedImages,
  denyImages: addedDenial,
  removeDenial: accounts.removed,
};
