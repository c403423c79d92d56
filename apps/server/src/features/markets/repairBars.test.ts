import { expect, test } from "vitest";
import { useExchange } from "../../../../../tests/support/markets/useExchange.ts";

const { fixture, start, step, read, lastHour, untilLastBar } = useExchange();
const hour = 3600;

/** Changes a stored hour, as if the exchange had first reported other values. */
const store = async (set: string, time: number) =>
  await fixture.database.db.api.query(`update app.market_bars set ${set} where interval = 3600 and time = $1`, [time]);
const getBar = async (time: number) => (await read("BTC_USDT")).find((bar) => bar.time === time);
const getStages = async () =>
  (
    await fixture.database.db.api.query<{ stage: number; through: number }>(
      "select stage, through from app.market_progress where interval = 3600 and stage > 0 order by stage",
    )
  ).rows;

/** Starts the jobs, and waits until every repair stage has recorded its start. */
const startRepairing = async () => {
  const started = await start();
  await untilLastBar("BTC_USDT", lastHour());
  await expect.poll(async () => (await getStages()).length).toBe(3);
  return started;
};

test.each([
  ["two minutes", 1, 3 * 60],
  ["an hour", 2, hour + 60],
])("an hour that an exchange changed is revised %s after its end", async (_, stage, after) => {
  const { deps } = await startRepairing();
  step(hour);
  const time = lastHour();
  await untilLastBar("BTC_USDT", time);
  const right = await getBar(time);
  if (stage > 1) {
    step(3 * 60);
    await expect.poll(async () => (await getStages())[0]!.through).toBe(time + hour);
  }
  await store("volume = 1, close = low", time);
  step(after);
  await expect.poll(() => getBar(time)).toEqual(right);
  const { rows } = await fixture.database.db.api.query(
    "select revised_at is not null as revised from app.market_bars where interval = 3600 and time = $1",
    [time],
  );
  expect(rows).toEqual([{ revised: true }]);
  const { values } = await deps.metrics.marketBars.get();
  expect(values.find(({ labels }) => labels.outcome === "revised")?.value).toBeGreaterThan(0);
});

test("a gap is filled when the exchange later has the bar, after a day at the latest", async () => {
  await startRepairing();
  step(hour);
  const time = lastHour();
  await untilLastBar("BTC_USDT", time);
  step(2 * hour);
  await expect.poll(async () => (await getStages())[1]!.through).toBeGreaterThan(time);
  await fixture.database.db.api.query("delete from app.market_bars where interval = 3600 and time = $1", [time]);
  step(30 * hour);
  await expect.poll(() => getBar(time)).toBeDefined();
});

test("C9-06 a wrong price that is reported later does not replace a correct price", async () => {
  const { deps } = await startRepairing();
  step(hour);
  const time = lastHour();
  await untilLastBar("BTC_USDT", time);
  const right = await getBar(time);
  fixture.exchange.setFault({ kind: "scaled", factor: 1000, from: time, count: 1 });
  step(3 * 60);
  await expect
    .poll(async () => {
      const { values } = await deps.metrics.marketBarsRefused.get();
      return values.find(({ labels }) => labels.fault === "jump")?.value ?? 0;
    })
    .toBeGreaterThan(0);
  expect(await getBar(time)).toEqual(right);
});
