import { z } from "zod";
import { marketPair, marketReasons, marketStatuses } from "./markets.ts";
import { dateTime } from "./primitives.ts";

/** Seconds between two messages of a connection of WS /ws/risk. */
export const riskRefreshSeconds = 30;

const regimeLabel = z
  .enum(["calm", "normal", "elevated", "stress"])
  .describe(
    "The regime by the percentile of volatility in the last year: below 0.25, below 0.75, below 0.95, or " + "above.",
  );

const status = z.enum(marketStatuses).describe("`unavailable`: every number is null.");
const reason = z
  .enum(marketReasons)
  .nullable()
  .describe(
    "The reason why the market is unavailable, otherwise null; `too_short` means that value at risk needs " +
      "300 days.",
  );
const zone = z
  .enum(["green", "yellow", "red"])
  .nullable()
  .describe("The Basel traffic light for breaches of the 99% value at risk.");
const fraction = z.number().nullable();
const byLevel = z.object({ "95": fraction, "99": fraction });
const band = z.tuple([z.number(), z.number()]).nullable();

const volatility = z
  .object({
    ewma_daily: fraction.describe("RiskMetrics, decay 0.94."),
    har_daily: fraction.describe("Log-HAR of realised variance on logs of hourly ranges, with weekends."),
    garch_daily: fraction.describe("GARCH(1,1) with Student's t."),
    parkinson: fraction.describe("Measured over the last week from highs and lows, for a day."),
    garman_klass: fraction,
    yang_zhang: fraction,
    annualized: fraction.describe("The volatility that scales value at risk, by HAR and GARCH, times the root of 365."),
    percentile_1y: fraction.describe("The percentile among the hours of the last year, from 0 to 1."),
  })
  .meta({ id: "RiskVolatility", description: "Volatilities of one day as fractions, by model." });

const calibration = z
  .object({
    method: z.literal("walk_forward").describe("Each forecast used only data from before its day."),
    window_days: z.int(),
    breaches_95: z.int().nullable(),
    breaches_99: z.int().nullable(),
    expected_95: fraction,
    expected_99: fraction,
    kupiec_p_95: fraction.describe(
      "The p-value of the number of breaches; below 0.05 the number does not fit the level.",
    ),
    kupiec_p_99: fraction,
    christoffersen_p: fraction.describe(
      "The p-value of conditional coverage at 95%: the number and independence of breaches.",
    ),
    zone,
  })
  .meta({ id: "RiskCalibration", description: "How often the last 250 days exceeded their forecast." });

/** The risk of a pair now. */
export const riskSnapshot = z
  .object({
    pair: z.string(),
    as_of: dateTime.nullable().describe("The time of the computation."),
    data_through: dateTime.nullable().describe("The close of the last bar that the computation used."),
    status,
    stale: z.boolean().describe("The numbers are older than two hours."),
    reason,
    horizon_hours: z.literal(24),
    price: z.number().nullable(),
    volatility,
    var: byLevel.describe("Value at risk: the loss of a holder over 24 hours that is exceeded on 5% and 1% of days."),
    es: byLevel.describe("Expected shortfall: the mean loss on days beyond value at risk."),
    upside: byLevel.describe(
      "The rise over 24 hours that is exceeded on 5% and 1% of days: the loss of a short position.",
    ),
    band_24h: z
      .object({ "80": band, "95": band })
      .describe("The ranges that contain the price in 24 hours on 80% and 95% of days."),
    drawdown: z
      .object({ current: fraction, max_90d: fraction })
      .describe("The fall from the highest price of 90 days, 0 or less."),
    regime: z.object({
      label: regimeLabel.nullable(),
      since: dateTime.nullable(),
      probability: fraction.describe("How often this regime was the same 24 hours later, in the last year."),
    }),
    risk_score: z.number().nullable().describe("From 0 to 100, relative to the last year of the pair."),
    liquidity: z.object({
      amihud: fraction.describe("Mean hourly |return| for one unit of quote traded, over 30 days."),
      spread_est_bps: fraction.describe(
        "Bid to ask in basis points, estimated from highs and lows (Corwin & Schultz 2012).",
      ),
      volume_24h_quote: fraction,
    }),
    calibration,
    disclaimer: z.string(),
  })
  .meta({ id: "RiskSnapshot", description: "The risk of a pair over the next 24 hours. Fractions: 0.031 is 3.1%." });

export type RiskSnapshotOut = z.infer<typeof riskSnapshot>;

/** One hour of the history. */
export const riskHour = z
  .object({
    time: z.int().describe("Unix seconds of the bar's open."),
    price: z.number().nullable(),
    return: fraction.describe("The return over the 24 hours that end with the bar."),
    volatility: fraction.describe(
      "The forecast at the close of the bar for the next 24 hours; the following values are forecasts too.",
    ),
    var_95: fraction,
    var_99: fraction,
    es_95: fraction,
    breach_95: z.boolean().nullable().describe("Whether `return` exceeded the forecast of 24 hours before."),
    breach_99: z.boolean().nullable(),
    regime: regimeLabel.nullable(),
    risk_score: z.number().nullable(),
  })
  .meta({ id: "RiskHour", description: "The forecast at an hour, and the return of the 24 hours before it." });

export type RiskHourOut = z.infer<typeof riskHour>;

/** The risk of a pair in a list. */
export const riskCard = z
  .object({
    pair: z.string(),
    symbol: z.string(),
    as_of: dateTime.nullable(),
    status,
    stale: z.boolean(),
    price: z.number().nullable(),
    price_time: dateTime
      .nullable()
      .describe(
        "The close of the bar of `price`: of the last minute if the market has minutes, else of the last hour.",
      ),
    change_24h: fraction,
    volatility_daily: fraction,
    percentile_1y: fraction,
    var_95: fraction,
    var_99: fraction,
    regime: regimeLabel.nullable(),
    risk_score: z.number().nullable(),
    zone,
    sparkline: z.array(z.number().nullable()).length(24).describe("The closes of the last 24 hours."),
  })
  .meta({ id: "RiskCard", description: "The risk of a market in one line." });

export type RiskCardOut = z.infer<typeof riskCard>;

/** The cards of all markets. */
export const riskCards = z
  .object({ cards: z.array(riskCard), disclaimer: z.string() })
  .meta({ id: "RiskCards", description: "The risk of all markets." });

/** A pair with its last 168 hours. */
export const pairRisk = z
  .object({ snapshot: riskSnapshot, history: z.array(riskHour).max(168) })
  .meta({ id: "PairRisk", description: "The risk of a pair, and its last 168 hours; missing hours are omitted." });

export const riskPairParams = z.object({ pair: marketPair });

/** A message of WS /ws/risk: of one pair, or of all markets. */
export const riskUpdate = z.union([
  z.object({
    event: z.literal("risk_update"),
    refresh_seconds: z.literal(riskRefreshSeconds),
    snapshot: riskSnapshot,
    history: z.array(riskHour).max(168),
  }),
  z.object({
    event: z.literal("risk_update"),
    refresh_seconds: z.literal(riskRefreshSeconds),
    cards: z.array(riskCard),
  }),
]);

export type RiskUpdate = z.infer<typeof riskUpdate>;
