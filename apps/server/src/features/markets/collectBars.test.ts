import { describe, expect, test } from "vitest";
import { useExchange } from "../../../../../tests/support/markets/useExchange.ts";

const { fixture, start, step, now, read, market, lastHour, untilLastBar } = useExchange();
const hour = 3600;
const times = (bars: readonly { time: number }[]) => bars.map(({ time }) => time);
const untilFailing = async (code: string) =>
  await expect
    .poll(async () => (await fixture.database.db.api.query("select error from app.market_exchanges")).rows)
    .toEqual([{ error: code }]);
const countRefused = async (deps: Awaited<ReturnType<typeof start>>["deps"], fault: string) => {
  const { values } = await deps.metrics.marketBarsRefused.get();
  return values.find(({ labels }) => labels.fault === fault)?.value ?? 0;
};

describe("collected bars", () => {
  test("are the hours of the configured history and the minutes of a day", async () => {
    await start({ MARKET_HISTORY_DAYS: "60", MARKETS: "BTC_USDT=binance:BTC/USDT,ETH_USDT=binance:ETH/USDT" });
    for (const pair of ["BTC_USDT", "ETH_USDT"]) {
      await untilLastBar(pair, lastHour());
      await untilLastBar(pair, now() - (now() % 60) - 60, 60);
      const hours = await read(pair);
      expect(times(hours)).toEqual(Array.from({ length: 60 * 24 }, (_, n) => lastHour() - (60 * 24 - 1 - n) * hour));
      expect(await read(pair, 60)).toHaveLength(24 * 60);
      expect(await market(pair)).toMatchObject({ status: "fresh", source: "exchange", exchange: "binance" });
    }
    const [bar] = (await read("BTC_USDT")).slice(-1);
    const minutes = (await read("BTC_USDT", 60)).filter(({ time }) => time >= bar!.time && time < bar!.time + hour);
    expect([minutes[0]!.open, minutes.at(-1)!.close]).toEqual([bar!.open, bar!.close]);
  });

  test("continue at each close, without requests for stored bars", async () => {
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
    fixture.exchange.requests.length = 0;
    step(hour);
    await untilLastBar("BTC_USDT", lastHour());
    const hours = fixture.exchange.requests.filter((request) => request.includes("interval=1h"));
    const from = hours.map((request) => Number(new URL(request, "http://x").searchParams.get("startTime")) / 1000);
    expect(from).toContain(lastHour());
    // The repair job requests the previous hour again, and not the history.
    expect(Math.min(...from)).toBeGreaterThanOrEqual(lastHour() - hour);
  });

  test("are missing for a market that the exchange does not have, and come for its other markets", async () => {
    await start({ MARKETS: "NO_USDT=binance:NO/USDT,BTC_USDT=binance:BTC/USDT" });
    await untilLastBar("BTC_USDT", lastHour());
    const down = { status: "unavailable", reason: "source_down", lastBarAt: null };
    await expect.poll(() => market("NO_USDT")).toMatchObject(down);
  });

  test("stay when the operator no longer lists their market, and continue when it is listed again", async () => {
    const { job } = await start();
    await untilLastBar("BTC_USDT", lastHour());
    await job.stop();
    const count = (await read("BTC_USDT")).length;
    await (await start({ MARKETS: "ETH_USDT=binance:ETH/USDT" })).job.stop();
    expect(await market("BTC_USDT")).toBeUndefined();
    step(2 * hour);
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    expect(await read("BTC_USDT")).toHaveLength(count + 2);
  });

  test("are requested by one of two processes, and by the other when the first has stopped", async () => {
    const first = await start();
    await untilLastBar("BTC_USDT", lastHour());
    const holder = async () =>
      (await fixture.database.db.api.query<{ holder: string }>("select holder from app.market_exchanges")).rows[0]!
        .holder;
    await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
    const firstHolder = await holder();
    await start();
    // Within the lease, which the first process renews.
    step(50);
    await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
    expect(await holder()).toBe(firstHolder);
    await first.job.stop();
    step(hour);
    await untilLastBar("BTC_USDT", lastHour());
    expect(await holder()).not.toBe(firstHolder);
  });
});

describe("a failing exchange", () => {
  test.each([
    ["C9-04 that responds with a page of HTML", { kind: "html" }, "malformed"],
    ["C9-04 that responds with half a document", { kind: "broken_json" }, "malformed"],
    ["C9-05 that responds with 200 and an error", { kind: "error_in_200" }, "malformed"],
    ["C9-08 whose list of markets has half a million entries", { kind: "many_symbols" }, "malformed"],
    ["C9-08 whose response does not end", { kind: "endless" }, "malformed"],
    ["that responds with 429", { kind: "status", status: 429 }, "rate_limited"],
    ["that responds with 500", { kind: "status", status: 500 }, "unreachable"],
    ["that redirects", { kind: "redirect" }, "unreachable"],
    ["that refuses connections", { kind: "refused" }, "unreachable"],
    ["that resets connections", { kind: "reset" }, "unreachable"],
  ] as const)("%s gets no requests for a while, and its market no data until it recovers", async (_, fault, code) => {
    fixture.exchange.setFault(fault);
    await start();
    await untilFailing(code);
    expect(await market("BTC_USDT")).toMatchObject({ status: "unavailable", reason: "source_down" });
    const requestCount = fixture.exchange.requests.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(fixture.exchange.requests.length).toBeLessThanOrEqual(requestCount + 1);
    fixture.exchange.setFault(null);
    step(600);
    await untilLastBar("BTC_USDT", lastHour());
    expect(await market("BTC_USDT")).toMatchObject({ status: "fresh", reason: null });
  });

  test("C9-03 that stalls makes its market stale, then unavailable, and fresh when the exchange resumes", async () => {
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    const last = lastHour();
    fixture.exchange.setFault({ kind: "stalled" });
    step(4 * hour);
    expect(await market("BTC_USDT")).toMatchObject({ status: "stale", lastBarAt: last });
    step(3 * hour);
    expect(await market("BTC_USDT")).toMatchObject({ status: "unavailable", reason: "gap", lastBarAt: last });
    fixture.exchange.setFault(null);
    step(60);
    await untilLastBar("BTC_USDT", lastHour());
    expect(await market("BTC_USDT")).toMatchObject({ status: "fresh" });
  });

  test("C9-07 whose history shrinks removes no stored bar", async () => {
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    const before = await read("BTC_USDT");
    fixture.exchange.setFault({ kind: "shrunk" });
    step(2 * hour);
    await untilLastBar("BTC_USDT", lastHour());
    expect((await read("BTC_USDT")).slice(0, before.length)).toEqual(before);
  });
});

describe("C9-06 an exchange that reports", () => {
  test.each([
    ["impossible prices", "impossible_prices"],
    ["every second price a thousand times too high or low", "outliers"],
    ["every second bar", "missing"],
    ["bars that open late", "misaligned"],
    ["bars twice, the newest first", "disordered"],
    ["bars in the future", "ahead"],
  ] as const)("%s adds only true bars, and all of them soon after it reports correctly again", async (_, kind) => {
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
    const [first] = await read("BTC_USDT", 60);
    const expectTrue = async () => {
      for (const interval of [3600, 60] as const) {
        for (const { time, open, high, low, close } of await read("BTC_USDT", interval)) {
          const truth = fixture.exchange.readTrueBar("BTC_USDT", time, interval)!;
          expect([time, open, high, low, close]).toEqual([time, truth.open, truth.high, truth.low, truth.close]);
        }
      }
    };
    // The failure begins later than the bars whose repair after an hour happens during the failure.
    step(hour / 2);
    await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
    fixture.exchange.setFault({ kind });
    const requestCount = fixture.exchange.requests.length;
    step(40 * 60);
    await expect.poll(() => fixture.exchange.requests.length).toBeGreaterThan(requestCount + 3);
    await expectTrue();
    fixture.exchange.setFault(null);
    step(2 * hour);
    const countGaps = async (interval: 60 | 3600, from: number) => {
      const stored = new Set(times(await read("BTC_USDT", interval)));
      const due = Math.floor((now() - from) / interval);
      return Array.from({ length: due }, (_, n) => from + n * interval).filter((time) => !stored.has(time)).length;
    };
    await expect.poll(() => countGaps(3600, lastHour() - 10 * hour)).toBe(0);
    await expect.poll(() => countGaps(60, first!.time)).toBe(0);
    await expectTrue();
  });
});

describe("C9-06 a wrong price", () => {
  test("is held back, counted, and dropped when the next bar does not confirm it", async () => {
    const { deps } = await start();
    await untilLastBar("BTC_USDT", lastHour());
    const wrong = lastHour() + hour;
    fixture.exchange.setFault({ kind: "scaled", factor: 1000, from: wrong, count: 1 });
    step(hour);
    await expect.poll(() => countRefused(deps, "jump")).toBeGreaterThan(0);
    expect((await read("BTC_USDT")).at(-1)!.time).toBe(wrong - hour);
    step(hour);
    await untilLastBar("BTC_USDT", wrong + hour);
    expect(times(await read("BTC_USDT"))).not.toContain(wrong);
  });

  test("is stored when the next bar confirms it", async () => {
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    const jump = lastHour() + hour;
    fixture.exchange.setFault({ kind: "scaled", factor: 3, from: jump, count: 50 });
    step(hour);
    step(hour);
    await untilLastBar("BTC_USDT", jump + hour);
    expect(times(await read("BTC_USDT")).slice(-2)).toEqual([jump, jump + hour]);
  });

  test("in the history of a new market is not stored", async () => {
    const wrong = lastHour() - 30 * hour;
    fixture.exchange.setFault({ kind: "scaled", factor: 1000, from: wrong, count: 1 });
    await start();
    await untilLastBar("BTC_USDT", lastHour());
    expect(times(await read("BTC_USDT"))).toContain(wrong - hour);
    expect(times(await read("BTC_USDT"))).not.toContain(wrong);
    expect(times(await read("BTC_USDT"))).toContain(wrong + hour);
  });
});

test("minutes are kept for 90 days, hours permanently", async () => {
  await start();
  await untilLastBar("BTC_USDT", lastHour());
  await untilLastBar("BTC_USDT", now() - (now() % 60) - 60, 60);
  const [firstHour] = await read("BTC_USDT");
  fixture.exchange.setFault({ kind: "html" });
  step(89 * 24 * hour + 12 * hour);
  await expect.poll(async () => (await read("BTC_USDT", 60))[0]!.time).toBe(now() - (now() % 60) - 90 * 24 * hour + 60);
  expect((await read("BTC_USDT"))[0]).toEqual(firstHour);
});

test("a process stops while an exchange does not respond, and records no failure of the exchange", async () => {
  fixture.exchange.setFault({ kind: "silent" });
  const { job } = await start();
  await expect.poll(() => fixture.exchange.requests.length).toBeGreaterThan(0);
  await job.stop();
  const { rows } = await fixture.database.db.api.query("select failures, error, holder from app.market_exchanges");
  expect(rows).toEqual([{ failures: 0, error: null, holder: null }]);
  fixture.exchange.setFault(null);
  await start();
  await untilLastBar("BTC_USDT", lastHour());
});
