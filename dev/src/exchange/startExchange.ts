import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { createPricePath, type PathBar, type PathSettings } from "./pricePath.ts";

/** The pairs of the local exchange, by their names here. All prices are invented. */
export const localPairs = {
  BTC_USDT: { start: 42_000, hourlyMove: 0.0045, volume: 900 },
  ETH_USDT: { start: 2_300, hourlyMove: 0.0055, volume: 14_000 },
  SOL_USDT: { start: 95, hourlyMove: 0.008, volume: 150_000 },
  XRP_USDT: { start: 0.55, hourlyMove: 0.007, volume: 9_000_000 },
  DOGE_USDT: { start: 0.09, hourlyMove: 0.008, volume: 60_000_000 },
} as const satisfies Record<string, PathSettings>;

/** How the exchange fails. `scaled` prices: those of bars that open from `from` on, `count` of them, times `factor`. */
export type ExchangeFault =
  | {
      kind:
        | "html"
        | "error_in_200"
        | "broken_json"
        | "stalled"
        | "silent"
        | "shrunk"
        | "many_symbols"
        | "stream_refused";
    }
  | { kind: "status"; status: number }
  | { kind: "scaled"; factor: number; from: number; count: number };

export type LocalExchange = {
  url: string;
  /** Lets it fail from now on; null: no more. */
  setFault: (fault: ExchangeFault | null) => void;
  /** Cuts the connections of its streams. */
  cutStreams: () => void;
  /** Requests of its API since the start, by path and query. */
  requests: string[];
  stop: () => Promise<void>;
};

const streamEveryMs = 1_000;

/**
 * Starts an exchange with the part of Binance's public API that markets are collected from: `exchangeInfo`, `klines` and
 * the stream of klines. It is behind a prefix of any host (`/api.binance.com/api/v3/klines`).
 *
 * `POST /admin/fault` with a fault, or null, as JSON lets it fail; `POST /admin/cut` cuts its streams.
 *
 * @param options.now - Milliseconds since the epoch; the system's time when omitted.
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
  let stalledAt = 0;

  const setFault = (next: ExchangeFault | null) => {
    fault = next;
    stalledAt = now() / 1000;
  };
  /** A bar as it is reported; null when there is none (yet). */
  const readBar = (symbol: string, time: number, interval: 60 | 3600): PathBar | null => {
    const seconds = fault?.kind === "stalled" ? stalledAt : now() / 1000;
    const bar = paths.get(symbol)?.readBar(time, interval, seconds) ?? null;
    if (bar === null || fault?.kind !== "scaled") return bar;
    if (time < fault.from || time >= fault.from + fault.count * interval) return bar;
    const { factor } = fault;
    return {
      ...bar,
      ...{ open: bar.open * factor, high: bar.high * factor, low: bar.low * factor, close: bar.close * factor },
    };
  };

  const listKlines = (query: URLSearchParams) => {
    const symbol = query.get("symbol") ?? "";
    const interval = query.get("interval") === "1h" ? 3600 : 60;
    const seconds = now() / 1000;
    const limit = Math.min(1000, Number(query.get("limit") ?? 500));
    const lastOpen = Math.floor(seconds / interval) * interval;
    const end = Math.min(lastOpen, Number(query.get("endTime") ?? Number.MAX_SAFE_INTEGER) / 1000);
    const asked = query.has("startTime") ? Number(query.get("startTime")) / 1000 : end - (limit - 1) * interval;
    const earliest = fault?.kind === "shrunk" ? lastOpen - 3 * interval : (paths.get(symbol)?.firstTime ?? end);
    const klines = [];
    for (let time = Math.ceil(Math.max(asked, earliest) / interval) * interval; time <= end; time += interval) {
      if (klines.length === limit) break;
      const bar = readBar(symbol, time, interval);
      if (bar !== null) klines.push(toKline(bar, interval));
    }
    return klines;
  };

  const listSymbols = () => {
    const extra = fault?.kind === "many_symbols" ? Array.from({ length: 500_000 }, (_, n) => `X${n}_USDT`) : [];
    return [...Object.keys(pairs), ...extra].map((pair) => toSymbol(pair));
  };

  const answerApi = (url: URL, response: ServerResponse) => {
    if (url.pathname === "/api/v3/exchangeInfo") {
      sendJson(response, 200, { timezone: "UTC", serverTime: now(), rateLimits: [], symbols: listSymbols() });
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
    else sockets.handleUpgrade(request, socket, head, (client) => serveStream(client, readBar, now));
  });
  const cutStreams = () => {
    for (const client of sockets.clients) client.terminate();
  };
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ setFault, cutStreams, requests },
    stop: async () => {
      cutStreams();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The request's URL without the prefix of a host. */
function readUrl(request: IncomingMessage): URL {
  const url = new URL(request.url!, "http://exchange");
  url.pathname = url.pathname.replace(/^\/[^/]*\.[^/]*/, "");
  return url;
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** @returns false where the fault is in the data, or elsewhere. */
function answerFault(fault: ExchangeFault, response: ServerResponse): boolean {
  if (fault.kind === "html") {
    response.writeHead(200, { "content-type": "text/html" }).end("<html><body>We are back soon.</body></html>");
  } else if (fault.kind === "error_in_200") sendJson(response, 200, { code: -1001, msg: "Internal error." });
  else if (fault.kind === "broken_json") {
    response.writeHead(200, { "content-type": "application/json" }).end('[[1690000000000,"1');
  } else if (fault.kind === "status") sendJson(response, fault.status, { code: -1003, msg: "Too many requests." });
  // Silent: the request is never answered.
  else return fault.kind === "silent";
  return true;
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

/** Sends the current minute of each subscribed symbol once a second, and its end when it is over. */
function serveStream(
  client: WebSocket,
  readBar: (symbol: string, time: number, interval: 60 | 3600) => PathBar | null,
  now: () => number,
): void {
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
  const timer = setInterval(() => {
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
    ...{ t: bar.time * 1000, T: bar.time * 1000 + 59_999, s: symbol, i: "1m", f: 1, L: bar.trades, ...prices },
    ...{ v: toText(bar.volume), n: bar.trades, x: isClosed, q: toText(bar.quoteVolume), V: "0", Q: "0", B: "0" },
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
    ...{ symbol: `${baseAsset}${quoteAsset}`, status: "TRADING", baseAsset, quoteAsset, filters },
    ...{ baseAssetPrecision: 8, quotePrecision: 8, quoteAssetPrecision: 8, orderTypes: ["LIMIT", "MARKET"] },
    ...{ icebergAllowed: true, ocoAllowed: true, isSpotTradingAllowed: true, isMarginTradingAllowed: false },
    ...{ permissions: [], permissionSets: [["SPOT"]] },
  };
}
