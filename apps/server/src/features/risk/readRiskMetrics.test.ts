import { expect, test } from "vitest";
import { useAlerts } from "../../../../../tests/support/mail/useAlerts.ts";
import { getLastHour, storeRiskMarket } from "../../../../../tests/support/markets/riskBars.ts";
import { createReadRiskMetrics } from "./readRiskMetrics.ts";

const alerts = useAlerts();

/** Stores a snapshot as the worker does, whose data end `hoursAgo` hours ago. */
async function storeSnapshot(marketId: number, hoursAgo: number) {
  const snapshot = {
    ...{ price: 100, reason: null, var: { 95: 0.03, 99: 0.05 }, riskScore: 81 },
    ...{ volatility: { percentile1y: 0.9 }, drawdown: { current: -0.1 }, regime: { label: "elevated" } },
  };
  const through = Math.floor(Date.now() / 3_600_000) * 3_600 - hoursAgo * 3_600;
  await alerts.query(
    `insert into app.risk_snapshots (market_id, input, data_through, snapshot, history, card) values ($1, '', $2, $3, '[]', '{}')`,
    [marketId, through, snapshot],
  );
  return through;
}

test("reads the risk metrics of the requested pairs, and requests the risk of only their markets", async () => {
  const { db } = alerts.read.deps;
  const [fresh, stale] = [
    await storeRiskMarket(db, "BTC_USDT", { days: 2 }),
    await storeRiskMarket(db, "ETH_USDT", { days: 2, lastTime: getLastHour() - 4 * 3_600 }),
  ];
  await storeRiskMarket(db, "SOL_USDT", { days: 2 });
  const through = await storeSnapshot(fresh, 0);
  await storeSnapshot(stale, 4);
  const readings = await createReadRiskMetrics(alerts.read.deps)(["BTC_USDT", "ETH_USDT", "NO_SUCH_USDT"]);
  expect(readings.map(({ pair }) => pair)).toEqual(["BTC_USDT", "ETH_USDT"]);
  expect(readings[0]).toEqual({
    pair: "BTC_USDT",
    bar: through,
    isFresh: true,
    values: {
      var_95: 0.03,
      var_99: 0.05,
      volatility_percentile: 0.9,
      risk_score: 81,
      drawdown: -0.1,
      regime: "elevated",
    },
  });
  expect(readings[1]!.isFresh).toBe(false);
  const wanted = await alerts.query("select market_id from app.risk_demand where wanted_until > now() order by 1");
  expect(wanted.map((row) => row.market_id)).toEqual([fresh, stale]);
});
