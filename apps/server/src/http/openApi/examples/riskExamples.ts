import { riskDisclaimer } from "../../../features/risk/toRisk.ts";
import { example, type OperationExamples } from "./example.ts";

const asOf = "2026-11-22T13:00:04.000Z";

const snapshot = {
  ...{ pair: "BTC_USDT", as_of: asOf, data_through: "2026-11-22T13:00:00.000Z", status: "fresh", stale: false },
  ...{ reason: null, horizon_hours: 24, price: 86_412.5 },
  volatility: {
    ...{ ewma_daily: 0.0231, har_daily: 0.0214, garch_daily: 0.0226, parkinson: 0.0208, garman_klass: 0.0211 },
    ...{ yang_zhang: 0.0213, annualized: 0.42, percentile_1y: 0.61 },
  },
  ...{
    var: { "95": 0.0343, "99": 0.0617 },
    es: { "95": 0.0512, "99": 0.0803 },
    upside: { "95": 0.0361, "99": 0.0588 },
  },
  band_24h: { "80": [84_400, 88_650], "95": [82_610, 90_380] },
  drawdown: { current: -0.082, max_90d: -0.147 },
  regime: { label: "normal", since: "2026-11-15T06:00:00.000Z", probability: 0.9 },
  risk_score: 44.5,
  liquidity: { amihud: 1.9e-10, spread_est_bps: 11.2, volume_24h_quote: 1_240_000_000 },
  calibration: {
    ...{ method: "walk_forward", window_days: 250, breaches_95: 12, breaches_99: 3, expected_95: 12.5 },
    ...{ expected_99: 2.5, kupiec_p_95: 0.88, kupiec_p_99: 0.76, christoffersen_p: 0.54, zone: "green" },
  },
  disclaimer: riskDisclaimer,
};

const hour = {
  ...{ time: 1_795_348_800, price: 86_412.5, return: -0.0112, volatility: 0.022, var_95: 0.0343, var_99: 0.0617 },
  ...{ es_95: 0.0512, breach_95: false, breach_99: false, regime: "normal", risk_score: 44.5 },
};

const card = {
  ...{ pair: "BTC_USDT", symbol: "BTC", as_of: asOf, status: "fresh", stale: false, price: 86_412.5 },
  ...{ change_24h: -0.0112, volatility_daily: 0.022, percentile_1y: 0.61, var_95: 0.0343, var_99: 0.0617 },
  ...{ regime: "normal", risk_score: 44.5, zone: "green" },
  sparkline: Array.from({ length: 24 }, (_, i) => (i === 23 ? 86_412.5 : 86_900 - 20 * i)),
};

/** Risk. */
export const riskExamples: Record<string, OperationExamples> = {
  listRisk: { responses: { 200: example({ cards: [card], disclaimer: riskDisclaimer }) } },
  getRisk: { responses: { 200: example({ snapshot, history: [hour] }) } },
};
