import { z } from "zod";
import { integerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";

const pair = z
  .string()
  .regex(/^[A-Z0-9]{1,41}_[A-Z0-9]{2,12}$/, "must be a pair such as BTC_USDT")
  .describe("Base and quote of a market, e.g. BTC_USDT.");
const strategyName = z
  .string()
  .regex(/^[a-z]{1,20}_[a-z0-9_]{1,20}$/, "must be the name of a strategy such as rsi_reversion");
const interval = z.array(z.number()).length(2);
const fraction = z.number().min(0).max(1);

/** Whether a strategy was profitable on a market after costs. */
export const signalSkill = z.enum(["none", "unproven", "positive"]);
export const signalDirection = z.enum(["long", "short", "flat"]);

/** The results of a strategy's resolved signals on a market, after costs. */
export const trackRecord = z
  .object({
    n: z.int().describe("The number of resolved signals."),
    hit_rate: fraction.describe("The share of signals with a profit after costs."),
    hit_rate_ci95: interval,
    mean_return_bps: z.number().describe("The mean return of a signal after costs, in basis points."),
    mean_return_ci95: interval.describe("The 95% confidence interval in basis points, by resampled days."),
    cost_bps: z.number().describe("The mean costs of entry and exit together, in basis points."),
    profit_factor: z.number().nullable().describe("Gains divided by losses; null without a loss."),
    max_drawdown: z.number().describe("The largest fall of the cumulative return, 0 or less."),
    sharpe: z.number().describe("The annualised Sharpe ratio of daily returns."),
    deflated_sharpe: fraction.describe(
      "The probability that the Sharpe ratio is above the best one expected from as many strategies without " +
        "skill.",
    ),
    market_change: z.number().describe("The change of the market's price in the same period."),
    brier: z
      .number()
      .nullable()
      .describe("Mean squared error of the published confidence; null when none was published."),
    window: z.object({ from: dateTime, to: dateTime }),
    out_of_sample: z.literal(true).describe("The strategy was not fitted to these signals."),
    lookahead_checked: z
      .boolean()
      .describe("A sample was recomputed from bars up to the signal, with the same result."),
    tested_strategies: z.int().describe("The number of tested combinations of strategy and market."),
  })
  .meta({ id: "TrackRecord", description: "The outcomes of a strategy's resolved signals on a market, after costs." });
export type TrackRecordOut = z.infer<typeof trackRecord>;

/** A signal of a strategy at the close of an hour. */
export const signal = z
  .object({
    id: z.string().regex(/^sg_[0-9a-f]{24}$/),
    pair,
    token: addressOut.nullable().describe("The token whose pool is the market; null for other markets."),
    timeframe: z.literal("HOUR_1"),
    strategy: strategyName,
    strategy_version: z.int(),
    direction: signalDirection,
    origin: z
      .enum(["live", "history"])
      .describe("`live`: published when its bar closed. `history`: computed later from stored bars."),
    generated_at: dateTime,
    candle_close_at: dateTime.describe(
      "The time of the close at which the signal was emitted; the signal uses no later data.",
    ),
    valid_until: dateTime.describe("The end of the entry: the track record enters at the next open."),
    price: z.number().describe("The close of the bar."),
    stop_loss: z.number(),
    take_profit: z.number(),
    time_limit_s: z.int().describe("The position ends this many seconds after `candle_close_at`."),
    stale: z.boolean().describe("True if the market has no current bars."),
    confidence: fraction
      .nullable()
      .describe(
        "The share of hits when the signal was emitted: the share on its market, shrunk towards the share of " +
          "the strategy. Null below 30 resolved signals of the strategy.",
      ),
    skill: signalSkill,
    evidence: z.object({ indicators: z.record(z.string(), z.number()) }),
    track_record: trackRecord.nullable().describe("Null below 30 resolved signals."),
  })
  .meta({
    id: "Signal",
    description: "The signal of a strategy at the close of an hour. It is never edited or withdrawn.",
  });
export type SignalOut = z.infer<typeof signal>;

const disclaimer = z.string();
const evaluatedThrough = dateTime.nullable().describe("The last evaluated close of any market; null before the first.");

/** The answer of GET /api/trading-bot/public-signals-latest. */
export const latestSignals = z
  .object({ as_of: evaluatedThrough, count: z.int(), disclaimer, items: z.array(signal) })
  .meta({ id: "LatestSignals", description: "The newest signal of each strategy on each market." });

/** A signal and its outcome. */
export const pastSignal = signal
  .extend({
    outcome: z.enum(["hit", "miss", "open"]).describe("`hit`: the signal made a profit after costs."),
    exit_reason: z.enum(["stop_loss", "take_profit", "time_limit"]).nullable(),
    exit_price: z.number().nullable(),
    return_bps: z
      .number()
      .nullable()
      .describe("The return after costs, in basis points; null while the signal is open."),
    resolved_at: dateTime.nullable(),
  })
  .meta({ id: "PastSignal", description: "A signal and its outcome." });

/** The answer of GET /api/trading-bot/public-signals. */
export const signalHistory = z
  .object({
    as_of: evaluatedThrough,
    count: z.int().describe("The number of items on this page."),
    disclaimer,
    items: z.array(pastSignal),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "SignalHistory", description: "Signals, newest first, with their outcomes." });

const bin = z.object({
  from: fraction,
  to: fraction,
  count: z.int(),
  mean_confidence: fraction,
  hit_rate: fraction,
});

/** The answer of GET /api/trading-bot/signal-records. */
export const signalRecords = z
  .object({
    as_of: dateTime.nullable().describe("The time of the computation; null if there is no record."),
    count: z.int(),
    disclaimer,
    items: z.array(
      z
        .object({
          pair,
          strategy: strategyName,
          strategy_version: z.int(),
          resolved: z.int(),
          skill: signalSkill,
          track_record: trackRecord.nullable(),
          reliability: z.array(bin).describe("Published confidence compared with the outcomes."),
        })
        .meta({ id: "SignalRecord", description: "The track record of a strategy on a market." }),
    ),
    reliability: z.array(bin).describe("The totals of all strategies and markets."),
    calibration_error: z
      .number()
      .nullable()
      .describe("The mean difference between confidence and hit rate over these bins."),
  })
  .meta({ id: "SignalRecords", description: "The track records of each strategy on each market." });
export type SignalRecordsOut = z.infer<typeof signalRecords>;

const filters = {
  pair: pair.optional().describe("Only signals of this market."),
  strategy: strategyName.optional().describe("Only signals of this strategy."),
  direction: signalDirection.optional().describe("Only signals in this direction."),
};

export const latestSignalsQuery = z.object({
  ...filters,
  limit: integerQuery(1, 200, 50).describe("The maximum number of signals."),
});

export const signalHistoryQuery = z.object({
  ...filters,
  outcome: z.enum(["hit", "miss", "open"]).optional().describe("Only signals with this outcome."),
  from: z.iso.datetime().optional().describe("Only signals emitted at this time or later."),
  to: z.iso.datetime().optional().describe("Only signals emitted before this time."),
  limit: integerQuery(1, 200, 50).describe("The maximum number of signals on a page."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,300}$/, "must be next_cursor of a page of this query")
    .optional()
    .describe("`next_cursor` of the previous page, with the same filters."),
});

export const signalRecordsQuery = z.object({
  pair: filters.pair,
  strategy: filters.strategy,
});
