import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Clock } from "../../clock.ts";
import { systemClock } from "../../systemClock.ts";
import { createCcxtSource } from "./ccxtSource.ts";
import type { MarketSource } from "./marketSource.ts";

const createSymbol = (base: string) => ({
  symbol: `${base}USDT`,
  status: "TRADING",
  baseAsset: base,
  quoteAsset: "USDT",
  baseAssetPrecision: 8,
  quotePrecision: 8,
  isSpotTradingAllowed: true,
  permissions: ["SPOT"],
  filters: [],
});
const createList = (count: number, more = {}) =>
  JSON.stringify({
    symbols: Array.from({ length: count }, (_, n) => createSymbol(n === 0 ? "BTC" : `S${n}`)),
    ...more,
  });
const bar = [3_600_000, "1", "2", "1", "2", "5", 0, "1", 1, "1", "1", "0"];
const oneBar = JSON.stringify([bar]);

let server: Server;
let source: MarketSource;
let [list, bars] = ["", ""];
let requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url!.split("?")[0]!;
    requests.push(path);
    const isBars = path.endsWith("/klines");
    // Bars are sent in chunks, without a length.
    const length = isBars ? {} : { "content-length": Buffer.byteLength(list) };
    response.writeHead(200, { "content-type": "application/json", ...length });
    response.end(isBars ? bars : list);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source.close();
});

async function start(answers: { list?: string; bars?: string }, clock: Clock = systemClock): Promise<void> {
  [list, bars] = [answers.list ?? createList(1), answers.bars ?? oneBar];
  requests = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const symbols = new Map([["BTC_USDT", "BTC/USDT"]]);
  source = await createCcxtSource({ exchange: "binance", symbols, url, clock });
}
const read = async () => await source.bars("BTC_USDT", 3600, 3600, 7200);

describe("C9-48 an exchange", () => {
  test.each([
    ["bars of 3 MiB", { bars: " ".repeat(3 * 2 ** 20) }, "the response is too large"],
    ["250,000 bars", { bars: JSON.stringify(Array(250_000).fill([])) }, "the response has too many entries"],
    ["12,000 bars in an object", { bars: JSON.stringify({ a: Array(12_000).fill(0) }) }, "too many entries"],
    ["10,001 markets", { list: createList(10_001) }, "the response has too many entries"],
    ["a page of HTML", { bars: "<html>" }, "the response is not JSON"],
    ["a list of markets of 33 MiB", { list: " ".repeat(33 * 2 ** 20) }, "the response is too large"],
  ])("that returns %s is refused with a code, before its entries are converted", async (_, answers, message) => {
    await start(answers);
    await expect(read()).rejects.toMatchObject({ code: "malformed", message: expect.stringContaining(message) });
  });

  test("may have a list of markets that is larger than a list of bars, and each response is parsed once", async () => {
    await start({ list: createList(2, { more: "x".repeat(3 * 2 ** 20) }) });
    const parse = vi.spyOn(JSON, "parse");
    expect(await read()).toMatchObject([{ time: 3600, close: 2 }]);
    const parsed = parse.mock.calls.map(([text]) => text);
    expect([parsed.filter((text) => text === list).length, parsed.filter((text) => text === bars).length]).toEqual([
      1, 1,
    ]);
  });

  test("is asked for its list of markets by requests only, and not again by each attempt of a stream", async () => {
    const stopping = new AbortController();
    let attempts = 0;
    const clock = { ...systemClock, sleep: async () => void (++attempts === 5 && stopping.abort()) };
    await start({ list: "<html>" }, clock);
    await expect(read()).rejects.toMatchObject({ code: "malformed" });
    const listed = requests.length;
    await source.watch!(["BTC_USDT"], () => undefined, stopping.signal);
    expect([attempts, requests.length]).toEqual([5, listed]);
  });
});
