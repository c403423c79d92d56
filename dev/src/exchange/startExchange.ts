import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Readable } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { aheadSeconds, answerFault, distortBar, type ExchangeFault, sendJson } from "./exchangeFault.ts";
import { createPricePath, type PathBar, type PathSettings } from "./pricePath.ts";

/** The pairs of the local exchange by pair name. All prices are synthetic. */
export const localPairs = {
  BTC_USDT: { start: 42_000, hourlyMove: 0.0045, volume: 900 },
  ETH_USDT: { start: 2_300, hourlyMove: 0.0055, volume: 14_000 },
  SOL_USDT: { start: 95, hourlyMove: 0.008, volume: 150_000 },
  XRP_USDT: { start: 0.55, hourlyMove: 0.007, volume: 9_000_000 },
  DOGE_USDT: { start: 0.09, hourlyMove: 0.008, volume: 60_000_000 },
} as const satisfies Record<string, PathSettings>;

export type LocalExchange = {
  url: string;
  /** Sets the fault of the exchange; null ends the fault. */
  setFault: (fault: ExchangeFault | null) => void;
  /** Ends a pair's trading at a whole hour in Unix seconds: there are no later bars; null resumes the trading. */
  halt: (pair: string, at: number | null) => void;
  /** Cuts the connections of all streams. */
  cutStreams: () => void;
  /** Returns the bar of a pair without a fault; null if there is no bar (yet). */
  readTrueBar: (pair: string, time: number, interval: 60 | 3600) => PathBar | null;
  /** Returns the number of streams that were closed as soon as they were open. */
  countClosedStreams: () => number;
  /** The requests of the API since the start, by path and query. */
  requests: string[];
  stop: () => Promise<void>;
};

const streamEveryMs = 1_000;
/** For `stream_cut`: the number of messages after which a stream is cut. */
const streamCutTicks = 5;

/**
 * Starts an exchange with the part of Binance's public API from which markets are collected: `exchangeInfo`, `klines`
 * and the stream of klines. The paths begin with any host as a prefix (`/api.binance.com/api/v3/klines`).
 *
 * `POST /admin/fault` with a fault or null as JSON sets the fault; `POST /admin/cut` cuts the streams.
 *
 * @param options.now - Milliseconds since the epoch; by default the system's time.
 */
export async function startExchange(
  options: { pairs?: Readonly<Record<string, PathSettings>>; now?: () => number; port?: number } = {},
): Promise<LocalExchange> {
  const { pairs = localPairs, now = Date.now } = options;
  const paths = new Map(
    Object.entries(pairs).map(([pair, settings]) => [pair.replace("_", ""), createPricePath(pair, settings)]),
  );
  const requests: string[] = [];
  let fault: ExchangeFault | null = null;
  let failingSince = 0;

  let closedStreams = 0;
  const halts = new Map<string, number>();

  const setFault = (next: ExchangeFault | null) => {
    const wasRefused = fault?.kind === "refused";
    fault = next;
    failingSince = now() / 1000;
    if (next?.kind === "refused") {
      cutStreams();
      server.close();
      server.closeAllConnections();
    } else if (wasRefused) server.listen(port, "127.0.0.1");
    if (next?.kind === "stream_refused") cutStreams();
  };
  /** The time of the exchange, in Unix seconds. */
  const getSeconds = () => {
    if (fault?.kind === "stalled") return failingSince;
    return now() / 1000 + (fault?.kind === "ahead" ? aheadSeconds : 0);
  };
  /** Returns a bar as reported; null if there is no bar (yet). */
  const readBar = (symbol: string, time: number, interval: 60 | 3600): PathBar | null => {
    const until = Math.min(getSeconds(), halts.get(symbol) ?? Number.POSITIVE_INFINITY);
    const bar = paths.get(symbol)?.readBar(time, interval, until) ?? null;
    return bar === null ? null : distortBar(fault, bar, interval, failingSince);
  };

  const listKlines = (query: URLSearchParams) => {
    const symbol = query.get("symbol") ?? "";
    const interval = query.get("interval") === "1h" ? 3600 : 60;
    const seconds = fault?.kind === "ahead" ? getSeconds() : now() / 1000;
    const limit = Math.min(1000, Number(query.get("limit") ?? 500));
    const lastOpen = Math.floor(seconds / interval) * interval;
    const end = Math.min(lastOpen, Number(query.get("endTime") ?? Number.MAX_SAFE_INTEGER) / 1000);
    const start = query.has("startTime") ? Number(query.get("startTime")) / 1000 : end - (limit - 1) * interval;
    const earliest = fault?.kind === "shrunk" ? lastOpen - 3 * interval : (paths.get(symbol)?.firstTime ?? end);
    const klines = [];
    for (let time = Math.ceil(Math.max(start, earliest) / interval) * interval; time <= end; time += interval) {
      if (klines.length === limit) break;
      const bar = readBar(symbol, time, interval);
      if (bar !== null) klines.push(toKline(bar, interval));
    }
    return fault?.kind === "disordered" ? klines.flatMap((kline) => [kline, kline]).reverse() : klines;
  };

  const answerApi = (url: URL, response: ServerResponse) => {
    if (url.pathname === "/api/v3/exchangeInfo") {
      if (fault?.kind === "many_symbols") streamManySymbols(response);
      else {
        const symbols = Object.keys(pairs).map(toSymbol);
        sendJson(response, 200, { timezone: "UTC", serverTime: now(), rateLimits: [], symbols });
      }
    } else if (url.pathname === "/api/v3/klines") {
      if (paths.has(url.searchParams.get("symbol") ?? "")) sendJson(response, 200, listKlines(url.searchParams));
      else sendJson(response, 400, { code: -1121, msg: "Invalid symbol." });
    } else sendJson(response, 404, { code: -1, msg: "Unknown path." });
  };

  const server = createServer((request, response) => {
    const url = readUrl(request);
    if (url.pathname.startsWith("/admin/")) {
      answerAdmin(request, response, { setFault, cutStreams }).catch((error: Error) =>
        sendJson(response, 400, { msg: error.message }),
      );
      return;
    }
    requests.push(`${url.pathname}${url.search}`);
    if (fault === null || !answerFault(fault, response)) answerApi(url, response);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (fault?.kind === "stream_refused" || fault?.kind === "status") socket.destroy();
    else if (fault?.kind === "stream_closed") {
      closedStreams++;
      sockets.handleUpgrade(request, socket, head, (client) => client.close());
    } else sockets.handleUpgrade(request, socket, head, (client) => serveStream(client, { readBar, now, getFault }));
  });
  const getFault = () => fault;
  const cutStreams = () => {
    for (const client of sockets.clients) client.terminate();
  };
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    setFault,
    cutStreams,
    requests,
    countClosedStreams: () => closedStreams,
    halt: (pair, at) => {
      if (at === null) halts.delete(pair.replace("_", ""));
      else halts.set(pair.replace("_", ""), at);
    },
    readTrueBar: (pair, time, interval) =>
      paths.get(pair.replace("_", ""))?.readBar(time, interval, now() / 1000) ?? null,
    stop: async () => {
      cutStreams();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a list of half a million markets in parts, so that the client can stop before the end. */
function streamManySymbols(response: ServerResponse): void {
  const createParts = function* () {
    yield '{"timezone":"UTC","rateLimits":[],"symbols":[';
    for (let n = 0; n < 500_000; n++) yield `${n === 0 ? "" : ","}${JSON.stringify(toSymbol(`X${n}_USDT`))}`;
    yield "]}";
  };
  response.writeHead(200, { "content-type": "application/json" });
  pipeline(Readable.from(createParts()), response, () => undefined);
}

/** Returns the request's URL without the prefix of a host. */
function readUrl(request: IncomingMessage): URL {
  const url = new URL(request.url!, "http://exchange");
  url.pathname = url.pathname.replace(/^\/[^/]*\.[^/]*/, "");
  return url;
}

async function answerAdmin(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Pick<LocalExchange, "setFault" | "cutStreams">,
): Promise<void> {
  if (request.url === "/admin/cut") exchange.cutStreams();
  else {
    const body: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) body.push(part);
    exchange.setFault(JSON.parse(Buffer.concat(body).toString()) as ExchangeFault | null);
  }
  response.writeHead(204).end();
}

/** Sends the current minute of each subscribed symbol once a second, and its final state after it ends. */
function serveStream(
  client: WebSocket,
  exchange: {
    readBar: (symbol: string, time: number, interval: 60 | 3600) => PathBar | null;
    now: () => number;
    getFault: () => ExchangeFault | null;
  },
): void {
  const { readBar, now, getFault } = exchange;
  const symbols = new Map<string, number | null>();
  const send = (message: unknown) => client.send(JSON.stringify(message));
  client.on("error", () => undefined);
  client.on("message", (data) => {
    const { method, params, id } = JSON.parse(String(data)) as { method: string; params: string[]; id: number };
    for (const stream of params) {
      const [symbol] = stream.toUpperCase().split("@") as [string];
      if (method === "SUBSCRIBE") symbols.set(symbol, null);
      else symbols.delete(symbol);
    }
    send({ result: null, id });
  });
  let ticks = 0;
  const timer = setInterval(() => {
    const kind = getFault()?.kind;
    ticks++;
    if (kind === "stream_silent") return;
    if (kind === "stream_cut" && ticks % streamCutTicks === 0) return client.terminate();
    if (kind === "stream_garbage") return client.send(ticks % 2 === 0 ? "<html>" : '{"e":"kline","k":{"t":"x","s":7}}');
    const minute = Math.floor(now() / 60_000) * 60;
    for (const [symbol, reported] of symbols) {
      for (let time = reported ?? minute; time <= minute; time += 60) {
        const bar = readBar(symbol, time, 60);
        if (bar !== null) send(toKlineEvent(symbol, bar, time < minute, now()));
      }
      symbols.set(symbol, minute);
    }
  }, streamEveryMs);
  client.on("close", () => clearInterval(timer));
}

const toText = (value: number) => value.toFixed(8);

function toKline(bar: PathBar, interval: number): unknown[] {
  const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(toText);
  const end = (bar.time + interval) * 1000 - 1;
  const half = [toText(bar.volume / 2), toText(bar.quoteVolume / 2)];
  return [
    bar.time * 1000,
    open,
    high,
    low,
    close,
    toText(bar.volume),
    end,
    toText(bar.quoteVolume),
    bar.trades,
    ...half,
    "0",
  ];
}

function toKlineEvent(symbol: string, bar: PathBar, isClosed: boolean, now: number) {
  const prices = { o: toText(bar.open), c: toText(bar.close), h: toText(bar.high), l: toText(bar.low) };
  const k = {
    t: bar.time * 1000,
    T: bar.time * 1000 + 59_999,
    s: symbol,
    i: "1m",
    f: 1,
    L: bar.trades,
    ...prices,
    v: toText(bar.volume),
    n: bar.trades,
    x: isClosed,
    q: toText(bar.quoteVolume),
    V: "0",
    Q: "0",
    B: "0",
  };
  return { e: "kline", E: now, s: symbol, k };
}

function toSymbol(pair: string) {
  const [baseAsset, quoteAsset] = pair.split("_") as [string, string];
  const filters = [
    { filterType: "PRICE_FILTER", minPrice: "0.00000100", maxPrice: "1000000.00000000", tickSize: "0.00000100" },
    { filterType: "LOT_SIZE", minQty: "0.00001000", maxQty: "9000000.00000000", stepSize: "0.00001000" },
  ];
  return {
    symbol: `${baseAsset}${quoteAsset}`,
    status: "TRADING",
    baseAsset,
    quoteAsset,
    filters,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    orderTypes: ["LIMIT", "MARKET"],
    icebergAllowed: true,
    ocoAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    permissions: [],
    permissionSets: [["SPOT"]],
  };
}
