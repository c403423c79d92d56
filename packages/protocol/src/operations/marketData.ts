import { z } from "zod";
import { removed } from "../accounts.ts";
import { alertList, alertTicket, confirmedAddress, createdAlert, newAlert, unsubscribed } from "../alerts.ts";
import { creditsPerForecast, forecastInfo, forecastLineAnswer, forecastLineRequest } from "../forecast.ts";
import { idempotencyKey } from "../intent.ts";
import { barsQuery, marketBars, marketPair, markets as marketsAnswer } from "../markets.ts";
import { pairRisk, riskCards, riskPairParams } from "../risk.ts";
import {
  latestSignals,
  latestSignalsQuery,
  signalHistory,
  signalHistoryQuery,
  signalRecords,
  signalRecordsQuery,
} from "../signals.ts";
import { text } from "../text.ts";
import { idempotencyHeaders, type OperationDefinition } from "./operationDefinition.ts";

/** Twice the longest series, each value with all its digits. */
const maxForecastBytes = 128 * 1024;

const ticketParams = z.object({ ticket: text().describe("The ticket of the mail.") });

/** Operations on markets, forecasts, risk, signals and alerts. */
export const marketDataOperations = {
  getForecastInfo: {
    tag: "Market data",
    summary: "Get what a forecast takes and costs",
    description: "They are the same for every caller, and change with a version of the service only.",
    answers: { 200: { description: "Limits, intervals, cost and version", schema: forecastInfo } },
    errors: [],
  },

  forecastLine: {
    tag: "Market data",
    summary: "Forecast a series",
    description:
      "Forecasts the next values of a series with intervals. Where the series has no season in which a model was better " +
      "than its last value, the forecast is the last value, and a warning says so. A series without negative values " +
      "has no negative forecast. Equal requests have equal answers, to the byte, as long as `model_version` is the " +
      "same. With an Idempotency-Key a retry within 24 hours gets the stored answer and costs nothing; another body " +
      "is 409. A failed attempt does not use the key.",
    headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
    body: forecastLineRequest,
    bodyLimit: { bytes: maxForecastBytes, field: "series" },
    credits: creditsPerForecast,
    answers: {
      200: { description: "The forecast", schema: forecastLineAnswer, headers: ["Credits-Remaining"] },
    },
    errors: ["idempotency_key_reused"],
  },

  listMarkets: {
    tag: "Market data",
    summary: "List the markets",
    description:
      "Markets of exchanges that the operator lists, imported histories, and own pools with at least 30 trades in seven " +
      "days. A launch's pair is `T` with the first digits of the token's address: anyone can launch a token with any symbol.",
    answers: { 200: { description: "The markets", schema: marketsAnswer } },
    errors: ["storage_unavailable"],
  },

  listMarketBars: {
    tag: "Market data",
    summary: "List a market's bars, oldest first",
    description:
      "The latest `limit` closed bars (before `before`). Bars that the source does not have are left out, and of a pool " +
      "those without a trade. `next_before` asks for the page before.",
    params: z.object({ pair: marketPair }),
    query: barsQuery,
    answers: { 200: { description: "The bars", schema: marketBars } },
    errors: ["pair_not_found", "storage_unavailable"],
  },

  createAlert: {
    tag: "Market data",
    summary: "Set an alert by e-mail",
    description:
      "A mail asks the address for a confirmation, once for all alerts of the account to it. A confirmed alert sends a mail " +
      "when its metric crosses the threshold, at most one in 6 hours, and 20 a day to an address. It can send the next " +
      "one when the value has come back by 5% of the threshold. An address gets at most 3 requests for a confirmation a day, " +
      "and an account can cause 10. The answer is the same whether the address is known or not. An identical retry with the same " +
      "Idempotency-Key answers 200 with the same id, other content 409. An account has at most 20 alerts.",
    headers: idempotencyHeaders,
    body: newAlert,
    plan: "subscriber",
    answers: {
      201: { description: "The alert was stored", schema: createdAlert },
      200: { description: "The same request was made before", schema: createdAlert },
    },
    errors: ["too_many_alerts", "idempotency_key_reused", "provider_unavailable", "storage_unavailable"],
  },

  listAlerts: {
    tag: "Market data",
    summary: "List the alerts of the account, newest first",
    description: "They send mails while the account has the plan; without it they can be listed and deleted.",
    answers: { 200: { description: "The alerts", schema: alertList } },
    errors: ["storage_unavailable"],
  },

  deleteAlert: {
    tag: "Market data",
    summary: "Delete an alert",
    description: "Its mails that are not sent yet are not sent. Its Idempotency-Key may be used again.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's alerts.") }),
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  confirmAlertAddress: {
    tag: "Market data",
    summary: "Confirm the address of alerts",
    description:
      "The page of the mail's link sends the ticket, which is good for 24 hours. Again changes nothing and answers 200.",
    body: alertTicket,
    answers: { 200: { description: "The address is confirmed", schema: confirmedAddress } },
    errors: ["signature_invalid", "provider_unavailable", "storage_unavailable"],
  },

  unsubscribeAlertAddress: {
    tag: "Market data",
    summary: "End the alerts of an account to an address, with one click",
    description:
      "What mail programs and the page of the mail's link send (RFC 8058): no sign-in, and a body that is not read. Again " +
      "answers 200. The address can be confirmed again for a new alert.",
    params: ticketParams,
    ignoredBody: true,
    answers: { 200: { description: "The address gets no more alerts of the account", schema: unsubscribed } },
    errors: ["not_found", "provider_unavailable", "storage_unavailable"],
  },

  openUnsubscribePage: {
    tag: "Market data",
    summary: "Where a browser that opens the link of a mail's header goes",
    description: "Changes nothing: programs that check mails open every link. The page asks first.",
    params: ticketParams,
    answers: { 303: { description: "To the page, with the ticket in its fragment", headers: ["Location"] } },
    errors: ["not_found", "provider_unavailable"],
  },

  listRisk: {
    tag: "Market data",
    summary: "List the risk of all markets",
    description:
      "A card for each market. Unknown numbers are null; those of a market without current prices too. Numbers are " +
      "computed once an hour, when a bar closes, of markets that someone asks for.",
    plan: "subscriber",
    answers: { 200: { description: "The cards by pair", schema: riskCards } },
    errors: [],
  },

  getRisk: {
    tag: "Market data",
    summary: "Get the risk of a pair",
    description:
      "Volatility by six models, value at risk and expected shortfall of the next 24 hours, bands, drawdown, regime, " +
      "liquidity, and how often the last 250 days exceeded what was forecast for them; with the last 168 hours. The " +
      "first request for a pair waits for its computation.",
    params: riskPairParams,
    plan: "subscriber",
    answers: { 200: { description: "The risk of the pair", schema: pairRisk } },
    errors: ["pair_not_found", "market_unavailable"],
  },

  getLatestSignals: {
    tag: "Market data",
    summary: "Get the latest trading signals",
    description:
      "The newest signal of each strategy on each market, the newest first. Without a key. A signal is said at the close " +
      "of an hour from closed bars alone, and never edited or withdrawn. `track_record` is of the strategy on that market, " +
      "after costs; `skill` says whether it earned more than chance. An unknown pair or strategy has no signals.",
    query: latestSignalsQuery,
    answers: { 200: { description: "The signals", schema: latestSignals } },
    errors: ["storage_unavailable"],
  },

  listSignals: {
    tag: "Market data",
    summary: "List trading signals and how they ended",
    description:
      "All signals, the newest first, with their outcome after costs: `hit` when something was earned. The entry is at the " +
      "open after `candle_close_at`, the exit at `stop_loss`, `take_profit` or after `time_limit_s`. `next_cursor` leads to " +
      "the next page; it belongs to the query, whatever its limit.",
    query: signalHistoryQuery,
    answers: { 200: { description: "A page of signals", schema: signalHistory } },
    errors: ["storage_unavailable"],
  },

  getSignalRecords: {
    tag: "Market data",
    summary: "Get the records of all strategies",
    description:
      "What is known of each strategy on each market from its resolved signals. `skill` is `positive` only where the mean " +
      "return after costs is above 0 at 95%, the strategy is superior also among all that were tried, and its deflated " +
      "Sharpe ratio is above 0.95; `none` otherwise; `unproven` below 30 resolved signals. `reliability` compares the " +
      "published confidence with what happened.",
    query: signalRecordsQuery,
    answers: { 200: { description: "The records", schema: signalRecords } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
