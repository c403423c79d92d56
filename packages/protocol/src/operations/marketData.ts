import { z } from "zod";
import { removed } from "../accounts.ts";
import { alertList, alertTicket, confirmedAddress, createdAlert, newAlert, unsubscribed } from "../alerts.ts";
import {
  creditsPerForecast,
  forecastInfo,
  forecastLineAnswer,
  forecastLineRequest,
  forecastLinesAnswer,
  forecastLinesRequest,
} from "../forecast.ts";
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

/** The size of two series of the maximum length, with all digits of each value. */
const maxForecastBytes = 128 * 1024;
/** The size of the maximum number of values of a request with several series, with twice the digits of each value. */
const maxForecastsBytes = 1_024 * 1024;

const ticketParams = z.object({ ticket: text().describe("The ticket in the link of the e-mail.") });

/** Operations on markets, forecasts, risk, signals and alerts. */
export const marketDataOperations = {
  getForecastInfo: {
    tag: "Market data",
    summary: "Get the limits and the cost of a forecast",
    description: "The same for every caller; they only change with a new version of the service.",
    answers: { 200: { description: "Limits, intervals, cost and version", schema: forecastInfo } },
    errors: [],
  },

  forecastLine: {
    tag: "Market data",
    summary: "Forecast a series",
    description:
      "Forecasts the next values of a series, with intervals. If no model was better than the last value, the " +
      "forecast is the last value, with a warning. A series without negative values has no negative forecast. Equal " +
      "requests have byte-identical answers while `model_version` stays the same. With an Idempotency-Key, a retry " +
      "within 24 hours returns the stored answer at no cost; a different body is 409. A failed attempt does not use " +
      "the key.",
    headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
    body: forecastLineRequest,
    bodyLimit: { bytes: maxForecastBytes, field: "series" },
    credits: creditsPerForecast,
    answers: {
      200: { description: "The forecast", schema: forecastLineAnswer, headers: ["Credits-Remaining"] },
    },
    errors: ["idempotency_key_reused"],
  },

  forecastLines: {
    tag: "Market data",
    summary: "Forecast several series",
    description:
      "Forecasts up to 64 series, for one credit each. Each forecast equals the answer of `POST /api/forecast/line` " +
      "for its series. All credits are charged at once; if one series fails, the request fails and all credits are " +
      "refunded. Idempotency-Key as for one series.",
    headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
    body: forecastLinesRequest,
    bodyLimit: { bytes: maxForecastsBytes, field: "items" },
    credits: creditsPerForecast,
    creditsFor: "series",
    answers: {
      200: { description: "The forecasts", schema: forecastLinesAnswer, headers: ["Credits-Remaining"] },
    },
    errors: ["idempotency_key_reused"],
  },

  listMarkets: {
    tag: "Market data",
    summary: "List the markets",
    description:
      "Markets of exchanges that the operator has listed, imported histories, and pools of launched tokens with at " +
      "least 30 trades in seven days. The pair of a launched token is `T` and the first digits of its address, " +
      "because anyone can launch a token with any symbol.",
    answers: { 200: { description: "The markets", schema: marketsAnswer } },
    errors: ["storage_unavailable"],
  },

  listMarketBars: {
    tag: "Market data",
    summary: "List a market's bars, oldest first",
    description:
      "The latest `limit` closed bars, or those before `before`. Bars that the source does not have, and bars of a " +
      "pool without a trade, are left out. Pass `next_before` as `before` to get the previous page.",
    params: z.object({ pair: marketPair }),
    query: barsQuery,
    answers: { 200: { description: "The bars", schema: marketBars } },
    errors: ["pair_not_found", "storage_unavailable"],
  },

  createAlert: {
    tag: "Market data",
    summary: "Create an alert by e-mail",
    description:
      "The address gets one e-mail to confirm all alerts of the account. A confirmed alert sends an e-mail when its " +
      "metric crosses the threshold, at most once in 6 hours; an address gets at most 20 e-mails a day. The alert " +
      "is armed again when the value has moved back by 5% of the threshold. An address gets at most 3 confirmation " +
      "e-mails a day, and an account can send 10. The answer does not reveal whether the address is known. A retry " +
      "of the same request with the same Idempotency-Key answers 200 with the same id; a different request with the " +
      "same key is 409. An account can have at most 20 alerts.",
    headers: idempotencyHeaders,
    body: newAlert,
    plan: "subscriber",
    answers: {
      201: { description: "The alert was stored", schema: createdAlert },
      200: { description: "Retry of an earlier request", schema: createdAlert },
    },
    errors: ["too_many_alerts", "idempotency_key_reused", "provider_unavailable", "storage_unavailable"],
  },

  listAlerts: {
    tag: "Market data",
    summary: "List the alerts of the account, newest first",
    description: "Alerts send e-mails while the account has the plan. Without the plan they can be listed and deleted.",
    answers: { 200: { description: "The alerts", schema: alertList } },
    errors: ["storage_unavailable"],
  },

  deleteAlert: {
    tag: "Market data",
    summary: "Delete an alert",
    description: "E-mails of the alert that are not sent yet are cancelled. Its Idempotency-Key can be used again.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's alerts.") }),
    answers: { 200: { description: "Deleted", schema: removed } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },

  confirmAlertAddress: {
    tag: "Market data",
    summary: "Confirm the e-mail address of alerts",
    description:
      "Send the ticket from the link of the confirmation e-mail; it is valid for 24 hours. Repeated requests answer " +
      "200 and change nothing.",
    body: alertTicket,
    answers: { 200: { description: "The address is confirmed", schema: confirmedAddress } },
    errors: ["signature_invalid", "provider_unavailable", "storage_unavailable"],
  },

  unsubscribeAlertAddress: {
    tag: "Market data",
    summary: "Unsubscribe an e-mail address from the alerts of an account",
    description:
      "One-click unsubscribe of mail programs (RFC 8058) and of the page in the e-mail: no sign-in is needed, and " +
      "the body is ignored. Repeated requests answer 200. The address can be confirmed again for a new alert.",
    params: ticketParams,
    ignoredBody: true,
    answers: { 200: { description: "Unsubscribed", schema: unsubscribed } },
    errors: ["not_found", "provider_unavailable", "storage_unavailable"],
  },

  openUnsubscribePage: {
    tag: "Market data",
    summary: "Redirect the unsubscribe link of an e-mail to its page",
    description:
      "Changes nothing, because programs that check e-mails open every link. The page asks for confirmation.",
    params: ticketParams,
    answers: { 303: { description: "Redirect to the page, with the ticket in the fragment", headers: ["Location"] } },
    errors: ["not_found", "provider_unavailable"],
  },

  listRisk: {
    tag: "Market data",
    summary: "List the risk of all markets",
    description:
      "One card for each market. Unknown numbers, and all numbers of a market without current prices, are null. The " +
      "numbers are computed once an hour, when a bar closes, for markets that were requested recently.",
    plan: "subscriber",
    answers: { 200: { description: "The cards by pair", schema: riskCards } },
    errors: [],
  },

  getRisk: {
    tag: "Market data",
    summary: "Get the risk of a pair",
    description:
      "Volatility by six models, value at risk and expected shortfall of the next 24 hours, bands, drawdown, " +
      "regime, liquidity, and how often the last 250 days exceeded their forecast; with the last 168 hours. The " +
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
      "The newest signal of each strategy on each market, newest first. A signal is emitted at the close of an " +
      "hour, from closed bars only, and is never edited or withdrawn. `track_record` is the record of the strategy " +
      "on that market, after costs; `skill` shows whether it earned more than chance. An unknown pair or strategy " +
      "has no signals.",
    query: latestSignalsQuery,
    answers: { 200: { description: "The signals", schema: latestSignals } },
    errors: ["storage_unavailable"],
  },

  listSignals: {
    tag: "Market data",
    summary: "List trading signals and their outcomes",
    description:
      "All signals, newest first, with their outcome after costs: `hit` if the signal made a profit. The entry is " +
      "at the open after `candle_close_at`; the exit is at `stop_loss`, at `take_profit`, or after `time_limit_s`. " +
      "Pass `next_cursor` as `cursor` to get the next page; a cursor is valid only for the same filters.",
    query: signalHistoryQuery,
    answers: { 200: { description: "A page of signals", schema: signalHistory } },
    errors: ["storage_unavailable"],
  },

  getSignalRecords: {
    tag: "Market data",
    summary: "Get the track records of all strategies",
    description:
      "The record of each strategy on each market, from its resolved signals. `skill` is `positive` only if the " +
      "mean return after costs is above 0 at 95%, the strategy is superior among all tested strategies, and its " +
      "deflated Sharpe ratio is above 0.95; it is `unproven` below 30 resolved signals, otherwise `none`. " +
      "`reliability` compares the published confidence with the outcomes.",
    query: signalRecordsQuery,
    answers: { 200: { description: "The records", schema: signalRecords } },
    errors: ["storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
