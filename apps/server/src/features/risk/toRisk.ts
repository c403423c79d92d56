import type { RiskCardOut, RiskHourOut, RiskSnapshotOut } from "@slipway/protocol/risk";
import type { RiskHour } from "@slipway/quant/risk/riskSnapshot";
import type { Market } from "../../markets/market.ts";
import type { MinutePrice } from "./minutePriceQueries.ts";
import type { StoredRisk } from "./queries.ts";

/** The disclaimer of every response about risk. */
export const riskDisclaimer =
  "An estimate from the history of prices, not advice. Losses can be larger than every number here.";

/** Maximum age of the last bar of a fresh and a stale snapshot, in seconds since its close; see `judgeMarket`. */
const freshSeconds = 2 * 3600;
const staleSeconds = 6 * 3600;

type Judged = Pick<Market, "status" | "reason">;

/**
 * Returns the status of a snapshot: the worse of the market's status and the status by the snapshot's age, since the
 * worker can be down while the market's source is not.
 */
export function judgeRisk(market: Judged, stored: Pick<StoredRisk, "data_through"> | null, nowSeconds: number): Judged {
  if (market.status === "unavailable") return market;
  if (stored === null) return { status: "unavailable", reason: "no_data" };
  const age = nowSeconds - stored.data_through;
  if (age > staleSeconds) return { status: "unavailable", reason: "no_data" };
  return { status: age > freshSeconds ? "stale" : market.status, reason: null };
}

const toTime = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString());

const nothing = {
  volatility: {
    ...{ ewma_daily: null, har_daily: null, garch_daily: null, parkinson: null, garman_klass: null, yang_zhang: null },
    ...{ annualized: null, percentile_1y: null },
  },
  levels: { "95": null, "99": null },
  calibration: {
    ...{ method: "walk_forward" as const, window_days: 0, breaches_95: null, breaches_99: null, expected_95: null },
    ...{ expected_99: null, kupiec_p_95: null, kupiec_p_99: null, christoffersen_p: null, zone: null },
  },
};

/** Converts a snapshot to the wire format; every number is null while the snapshot is unavailable. */
export function toRiskSnapshot(market: Market, stored: StoredRisk | null, nowSeconds: number): RiskSnapshotOut {
  const { status, reason } = judgeRisk(market, stored, nowSeconds);
  const head = {
    pair: market.pair,
    as_of: stored?.computed_at.toISOString() ?? null,
    data_through: toTime(stored?.data_through ?? null),
    ...{ status, stale: status === "stale" },
    horizon_hours: 24 as const,
  };
  if (stored === null || status === "unavailable") {
    return {
      ...head,
      ...{ reason, price: null, volatility: nothing.volatility },
      ...{ var: nothing.levels, es: nothing.levels, upside: nothing.levels, band_24h: { "80": null, "95": null } },
      drawdown: { current: null, max_90d: null },
      regime: { label: null, since: null, probability: null },
      risk_score: null,
      liquidity: { amihud: null, spread_est_bps: null, volume_24h_quote: null },
      ...{ calibration: nothing.calibration, disclaimer: riskDisclaimer },
    };
  }
  const { volatility, drawdown, regime, liquidity, calibration, ...rest } = stored.snapshot;
  return {
    ...head,
    ...{ reason: rest.reason, price: rest.price },
    volatility: {
      ewma_daily: volatility.ewmaDaily,
      har_daily: volatility.harDaily,
      garch_daily: volatility.garchDaily,
      parkinson: volatility.parkinson,
      garman_klass: volatility.garmanKlass,
      yang_zhang: volatility.yangZhang,
      annualized: volatility.annualized,
      percentile_1y: volatility.percentile1y,
    },
    ...{ var: rest.var, es: rest.es, upside: rest.upside, band_24h: rest.band24h },
    drawdown: { current: drawdown.current, max_90d: drawdown.max90d },
    regime: { label: regime.label, since: toTime(regime.since), probability: regime.probability },
    risk_score: rest.riskScore,
    liquidity: {
      amihud: liquidity.amihud,
      spread_est_bps: liquidity.spreadEstBps,
      volume_24h_quote: liquidity.volume24hQuote,
    },
    calibration: {
      ...{ method: "walk_forward" as const, window_days: calibration.windowDays },
      ...{ breaches_95: calibration.breaches95, breaches_99: calibration.breaches99 },
      ...{ expected_95: calibration.expected95, expected_99: calibration.expected99 },
      ...{ kupiec_p_95: calibration.kupiecP95, kupiec_p_99: calibration.kupiecP99 },
      ...{ christoffersen_p: calibration.christoffersenP, zone: calibration.zone },
    },
    disclaimer: riskDisclaimer,
  };
}

/** Converts the history to the wire format. The history stays valid when the snapshot is too old. */
export const toRiskHistory = (history: readonly RiskHour[]): RiskHourOut[] =>
  history.map(({ var95, var99, es95, breach95, breach99, riskScore, ...hour }) => ({
    ...{ time: hour.time, price: hour.price, return: hour.return, volatility: hour.volatility },
    ...{ var_95: var95, var_99: var99, es_95: es95, breach_95: breach95, breach_99: breach99 },
    ...{ regime: hour.regime, risk_score: riskScore },
  }));

/** The price of a card: the close of the last minute if the minute is newer than the last hour. */
function toCardPrice(
  stored: Pick<StoredRisk, "snapshot" | "card" | "data_through"> | null,
  minute: MinutePrice | undefined,
): Pick<RiskCardOut, "price" | "change_24h" | "price_time"> {
  if (stored === null) return { price: null, change_24h: null, price_time: null };
  if (minute === undefined || minute.closed_at <= stored.data_through) {
    const { snapshot, card, data_through } = stored;
    return { price: snapshot.price, change_24h: card.change24h, price_time: toTime(data_through) };
  }
  return { price: minute.price, change_24h: minute.change_24h, price_time: toTime(minute.closed_at) };
}

/**
 * Converts a card to the wire format.
 *
 * @param minute - The last minute's price of the market, if the market has minutes.
 */
export function toRiskCard(
  market: Market,
  stored: Omit<StoredRisk, "history"> | null,
  minute: MinutePrice | undefined,
  nowSeconds: number,
): RiskCardOut {
  const { status } = judgeRisk(market, stored, nowSeconds);
  const current = status === "unavailable" ? null : stored;
  const { snapshot, card } = current ?? {};
  return {
    pair: market.pair,
    symbol: market.symbol,
    as_of: stored?.computed_at.toISOString() ?? null,
    status,
    stale: status === "stale",
    ...toCardPrice(current, minute),
    volatility_daily: card?.volatilityDaily ?? null,
    percentile_1y: snapshot?.volatility.percentile1y ?? null,
    var_95: snapshot?.var["95"] ?? null,
    var_99: snapshot?.var["99"] ?? null,
    regime: snapshot?.regime.label ?? null,
    risk_score: snapshot?.riskScore ?? null,
    zone: snapshot?.calibration.zone ?? null,
    sparkline: card?.sparkline ?? new Array<null>(24).fill(null),
  };
}
