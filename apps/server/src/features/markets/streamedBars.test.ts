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
/** Lets time pass, in steps within which the exchange sends, until so many minutes came by its stream. */
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

test("minutes come from the exchange's stream, also after it was cut, and without a gap", async () => {
  await start();
  await untilLastBar("BTC_USDT", lastHour());
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  step(12);
  await untilLive(1);
  fixture.exchange.cutStreams();
  await untilLive((await countLive()) + 1);
  // Late enough in its minute that requests fill what the stream left out.
  step(75 - (now() % 60));
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  const minutes = (await read("BTC_USDT", 60)).map(({ time }) => time);
  expect(minutes).toEqual(Array.from(minutes, (_, n) => minutes[0]! + n * 60));
  expect(minutes.length).toBeGreaterThan(day / 60);
});

test("minutes come by requests while the exchange refuses its stream", async () => {
  fixture.exchange.setFault({ kind: "stream_refused" });
  await start();
  await untilLastBar("BTC_USDT", lastHour());
  step(120);
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  expect(await countLive()).toBe(0);
});

test("C9-45 a stream that closes while its markets are subscribed to ends no process, and minutes come by requests", async () => {
  fixture.exchange.setFault({ kind: "stream_closed" });
  await start({ MARKETS: "BTC_USDT=binance:BTC/USDT,ETH_USDT=binance:ETH/USDT" });
  await untilLastBar("BTC_USDT", lastHour());
  // An error that nothing handles would end this process as well: vitest reports it.
  await expect.poll(() => fixture.exchange.countClosedStreams()).toBeGreaterThan(2);
  step(120);
  await untilLastBar("ETH_USDT", now() - (now() % 60) - 60, 60);
  expect(await countLive()).toBe(0);
});
