import { expect, test } from "vitest";
import { useAlerts } from "../../../../../tests/support/mail/useAlerts.ts";
import { storeRiskMarket } from "../../../../../tests/support/markets/riskBars.ts";
import { createReadSignalMetrics } from "./readSignalMetrics.ts";

const alerts = useAlerts();

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
  const [reading] = await createReadSignalMetrics(alerts.read.deps)(["BTC_USDT"]);
  expect(reading).toEqual({ pair: "BTC_USDT", bar: close, isFresh: true, values: { signal: ["long", "short"] } });
});
