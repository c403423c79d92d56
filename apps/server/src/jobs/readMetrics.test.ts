import { expect, test } from "vitest";
import { useAlerts } from "../../../../tests/support/mail/useAlerts.ts";
import { getLastHour, storeRiskMarket } from "../../../../tests/support/markets/riskBars.ts";
import { createReadMetrics } from "./readMetrics.ts";

const alerts = useAlerts();

/** A risk as the worker stores it, of data that end so many hours ago. */
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

test("reads the metrics of markets that have a rule, asks for their risk, and for no other", async () => {
  const { db } = alerts.read.deps;
  const [fresh, stale] = [
    await storeRiskMarket(db, "BTC_USDT", { days: 2 }),
    await storeRiskMarket(db, "ETH_USDT", { days: 2, lastTime: getLastHour() - 4 * 3_600 }),
  ];
  await storeRiskMarket(db, "SOL_USDT", { days: 2 });
  const through = await storeSnapshot(fresh, 0);
  await storeSnapshot(stale, 4);
  const readings = await createReadMetrics(alerts.read.deps)(["BTC_USDT", "ETH_USDT", "NO_SUCH_USDT"]);
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

test("reads the newest published signals of a pair with the close of their bar", async () => {
  const { db } = alerts.read.deps;
  const market = await storeRiskMarket(db, "BTC_USDT", { days: 2 });
  const close = Math.floor(Date.now() / 3_600_000) * 3_600;
  const add = async (strategy: string, direction: string, closedAt: number, origin = "live") =>
    await alerts.query(
      `insert into app.signals (id, market_id, pair, strategy, strategy_version, direction, origin, closed_at, generated_at,
         price, stop_loss, take_profit, cost, spread, impact, indicators)
       values ('sg_' || gen_random_uuid(), $1, 'BTC_USDT', $2, 1, $3, $5, $4, $4, 1, 1, 1, 0, 0, 0, '{}')`,
      [market, strategy, direction, closedAt, origin],
    );
  await add("a", "flat", close - 3_600);
  await add("b", "long", close);
  await add("c", "short", close);
  await add("d", "flat", close, "history");
  const [reading] = await createReadMetrics(alerts.read.deps)(["BTC_USDT"]);
  expect(reading).toEqual({ pair: "BTC_USDT", bar: close, isFresh: true, values: { signal: ["long", "short"] } });
});
