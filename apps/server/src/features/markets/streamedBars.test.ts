import { expect, test } from "vitest";
import { useExchange } from "../../../../../tests/support/markets/useExchange.ts";

const { fixture, start, step, now, read, lastHour, untilLastBar } = useExchange();
const day = 86_400;

const countLive = async () => {
  const { rows } = await fixture.database.db.api.query<{ count: number }>(
    "select count(*) as count from app.market_bars where interval = 60 and source = 2",
  );
  return rows[0]!.count;
};
/** Advances the clock in steps of 20 s until the exchange's stream has delivered `count` minutes. */
const untilLive = async (count: number) =>
  await expect
    .poll(
      async () => {
        step(20);
        return await countLive();
      },
      { interval: 1_500, timeout: 90_000 },
    )
    .toBeGreaterThanOrEqual(count);

test("minutes come from the exchange's stream without a gap, also after the stream was cut", async () => {
  await start();
  await untilLastBar("BTC_USDT", lastHour());
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  step(12);
  await untilLive(1);
  fixture.exchange.cutStreams();
  await untilLive((await countLive()) + 1);
  // Late enough in the minute for requests to fill the minutes that the stream omitted.
  step(75 - (now() % 60));
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  const minutes = (await read("BTC_USDT", 60)).map(({ time }) => time);
  expect(minutes).toEqual(Array.from(minutes, (_, n) => minutes[0]! + n * 60));
  expect(minutes.length).toBeGreaterThan(day / 60);
});

test("minutes come from requests while the exchange refuses its stream", async () => {
  fixture.exchange.setFault({ kind: "stream_refused" });
  await start();
  await untilLastBar("BTC_USDT", lastHour());
  step(120);
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  expect(await countLive()).toBe(0);
});

test("C9-45 a stream that closes during its subscriptions ends no process; minutes come from requests", async () => {
  fixture.exchange.setFault({ kind: "stream_closed" });
  await start({ MARKETS: "BTC_USDT=binance:BTC/USDT,ETH_USDT=binance:ETH/USDT" });
  await untilLastBar("BTC_USDT", lastHour());
  // An unhandled error would also end this process: vitest reports it.
  await expect.poll(() => fixture.exchange.countClosedStreams()).toBeGreaterThan(2);
  step(120);
  await untilLastBar("ETH_USDT", now() - (now() % 60) - 60, 60);
  expect(await countLive()).toBe(0);
});
