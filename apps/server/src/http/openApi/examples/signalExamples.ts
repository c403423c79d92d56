import { example, type OperationExamples } from "./example.ts";

const disclaimer =
  "An estimate from price history, not advice. Records are after costs; most strategies show no skill.";

const trackRecord = {
  ...{ n: 411, hit_rate: 0.430657, hit_rate_ci95: [0.383658, 0.478949] },
  ...{ mean_return_bps: -41.8512, mean_return_ci95: [-63.2204, -20.9917], cost_bps: 55.3081 },
  ...{ profit_factor: 0.681204, max_drawdown: -1.90442, sharpe: -1.61037, deflated_sharpe: 0.000122611 },
  ...{ market_change: 0.284119, brier: 0.245903 },
  window: { from: "2023-12-30T04:00:00.000Z", to: "2026-11-20T09:00:00.000Z" },
  ...{ out_of_sample: true, lookahead_checked: true, tested_strategies: 42 },
};

const signal = {
  id: "sg_5f0c6a1be2d94c37a8b1f2e3",
  ...{ pair: "BTC_USDT", token: null, timeframe: "HOUR_1", strategy: "rsi_reversion", strategy_version: 1 },
  ...{ direction: "long", origin: "live" },
  generated_at: "2026-11-21T14:00:04.000Z",
  candle_close_at: "2026-11-21T14:00:00.000Z",
  valid_until: "2026-11-21T15:00:00.000Z",
  ...{ price: 91_204.5, stop_loss: 89_881.9, take_profit: 93_188.4, time_limit_s: 86_400, stale: false },
  ...{ confidence: 0.428, skill: "none", evidence: { indicators: { rsi14: 28.4 } }, track_record: trackRecord },
};

const past = {
  ...signal,
  ...{ outcome: "hit", exit_reason: "take_profit", exit_price: 93_188.4, return_bps: 162.204 },
  resolved_at: "2026-11-22T03:00:00.000Z",
};

const bins = [{ from: 0.4, to: 0.5, count: 381, mean_confidence: 0.431077, hit_rate: 0.433071 }];
const asOf = "2026-11-21T14:00:09.000Z";

/** Trading signals. */
export const signalExamples: Record<string, OperationExamples> = {
  getLatestSignals: {
    responses: { 200: example({ as_of: signal.candle_close_at, count: 1, disclaimer, items: [signal] }) },
  },
  listSignals: {
    responses: {
      200: example({ as_of: signal.candle_close_at, count: 1, disclaimer, items: [past], next_cursor: null }),
    },
  },
  getSignalRecords: {
    responses: {
      200: example({
        ...{ as_of: asOf, count: 1, disclaimer },
        items: [
          {
            ...{ pair: "BTC_USDT", strategy: "rsi_reversion", strategy_version: 1, resolved: 411, skill: "none" },
            ...{ track_record: trackRecord, reliability: bins },
          },
        ],
        ...{ reliability: bins, calibration_error: 0.001994 },
      }),
    },
  },
};
