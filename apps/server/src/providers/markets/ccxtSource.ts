import { AsyncLocalStorage } from "node:async_hooks";
import type Ccxt from "ccxt";
import type { Exchange } from "ccxt";
import type { Clock } from "../../clock.ts";
import { ConfigError } from "../../config.ts";
import type { Bar, BarInterval } from "../../markets/readBars.ts";
import { createBoundedFetch } from "./createBoundedFetch.ts";
import { type MarketSource, MarketSourceError, maxBars, type SourceFault } from "./marketSource.ts";

const timeframes = { 60: "1m", 3600: "1h" } as const satisfies Record<BarInterval, string>;

type Minute = { bar: Bar; isWhole: boolean };

/** Maximum rows of a response, some of which are later than the requested range. */
const maxRows = 10 * maxBars;

/** Several times the longest list of markets of any exchange, in bytes and in entries. */
const maxListBytes = 32 * 1024 * 1024;
const maxListed = 10_000;
/** Several times the longest list of bars. Also the maximum message of a stream. */
const maxBytes = 2 * 1024 * 1024;

const requestTimeoutMs = 10_000;
/** How long the exchange's list of its markets is cached. */
const relistMs = 3_600_000;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/**
 * Creates the source of an exchange with ccxt. The library takes most of a second and 110 MB, so it is loaded here and
 * not when every process starts.
 *
 * @param options.symbols - The exchange's symbols of markets by our pairs.
 * @param options.url - Replaces the URL of the API, with the original host as the first segment of the path; for tests,
 *   the local stack, and a proxy of the operator.
 * @throws ConfigError if ccxt does not support the exchange, or the exchange has no bars.
 */
export async function createCcxtSource(options: {
  exchange: string;
  symbols: ReadonlyMap<string, string>;
  url: string | undefined;
  clock: Clock;
}): Promise<MarketSource> {
  const { exchange: id, symbols, clock } = options;
  const closing = new AbortController();
  const { api, listing, toSourceError } = await loadExchange(id, options.url, closing.signal);
  const getSymbol = (pair: string) => symbols.get(pair)!;

  let listedAt = Number.NEGATIVE_INFINITY;
  /** Loads the exchange's list of markets. Forces the load, because ccxt otherwise caches a failed load permanently. */
  const listMarkets = async () => {
    if (api.markets !== undefined && clock.now() - listedAt < relistMs) return;
    await listing.run(true, () => api.loadMarkets(true));
    listedAt = clock.now();
  };

  const bars: MarketSource["bars"] = async (pair, interval, from, to) => {
    const limit = Math.min(maxBars, Math.floor((to - from) / interval) + 1);
    let rows: unknown;
    try {
      await listMarkets();
      rows = await api.fetchOHLCV(getSymbol(pair), timeframes[interval], from * 1000, limit);
    } catch (error) {
      if (closing.signal.aborted) throw new MarketSourceError("closed", "the request was cancelled");
      throw toSourceError(error);
    }
    if (!Array.isArray(rows) || rows.length > maxRows)
      throw new MarketSourceError("malformed", `${id} did not return a list of bars`);
    return rows
      .map((row) => toBar(id, row))
      .filter(({ time }) => time >= from)
      .sort((a, b) => a.time - b.time);
  };

  const watchPair = async (pair: string, onBar: (pair: string, bar: Bar) => void, signal: AbortSignal) => {
    let pauseMs = firstPauseMs;
    /** The minute in progress, and whether this connection has reported all of it. */
    let current: Minute | null = null;
    while (!signal.aborted) {
      try {
        // Only a request loads the list of markets: the collection delays requests after a failure.
        if (api.markets === undefined) throw new MarketSourceError("malformed", "the markets are not listed yet");
        const rows = await api.watchOHLCV(getSymbol(pair), timeframes[60]);
        for (const row of rows) {
          const bar = toBar(id, row);
          const next = followMinute(current, bar);
          if (next === null) continue;
          if (current?.isWhole === true && bar.time > current.bar.time) onBar(pair, current.bar);
          current = next;
        }
        pauseMs = firstPauseMs;
      } catch {
        // The collection requests missed minutes; a stream only delivers minutes earlier.
        current = null;
        await clock.sleep(pauseMs, signal).catch(() => undefined);
        pauseMs = Math.min(maxPauseMs, 2 * pauseMs);
      }
    }
  };

  return {
    id,
    bars,
    ...(api.has.watchOHLCV === true && {
      watch: async (pairs, onBar, signal) => {
        const close = () => void api.close().catch(() => undefined);
        signal.addEventListener("abort", close, { once: true });
        await Promise.all(pairs.map((pair) => watchPair(pair, onBar, signal)));
        signal.removeEventListener("abort", close);
      },
    }),
    close: async () => {
      closing.abort();
      await api.close();
    },
  };
}

async function loadExchange(id: string, url: string | undefined, closing: AbortSignal) {
  const { default: ccxt } = await import("ccxt");
  if (!ccxt.exchanges.includes(id)) {
    throw new ConfigError([`MARKETS: ccxt supports no exchange "${id}"; name one by its id in ccxt, such as binance`]);
  }
  type Class = new (settings: object) => Exchange;
  const classes = (ccxt.pro as unknown as Record<string, Class>)[id] !== undefined ? ccxt.pro : ccxt;
  const api = new (classes as unknown as Record<string, Class>)[id]!({
    timeout: requestTimeoutMs,
    enableRateLimit: true,
    newUpdates: true,
    options: { defaultType: "spot", ws: { options: { maxPayload: maxBytes } } },
  });
  if (api.has.fetchOHLCV !== true) throw new ConfigError([`MARKETS: ${id} has no bars; name another exchange`]);
  // Futures and options are other markets, whose lists can be larger than the list of the spot market.
  const types = (api.options.fetchMarkets as { types?: unknown } | undefined)?.types;
  if (Array.isArray(types) && types.includes("spot")) api.options.fetchMarkets = { types: ["spot"] };
  /** Whether the current request is for the list of markets. */
  const listing = new AsyncLocalStorage<true>();
  const isListing = () => listing.getStore() === true;
  api.fetchImplementation = createBoundedFetch(closing, () => (isListing() ? maxListBytes : maxBytes));
  guardResponses(api, () => (isListing() ? maxListed : maxRows));
  if (url !== undefined) {
    api.urls.api = moveUrls(api.urls.api, new URL(url));
    // Without the agent, ccxt opens no stream over plain http.
    await api.loadHttpProxyAgent();
  }
  guardSubscriptions(api);
  return { api, listing, toSourceError: createToSourceError(ccxt) };
}

/**
 * Refuses a success without JSON, because ccxt would treat an HTML page as a list without entries, and a response with
 * too many entries, before ccxt converts each of them. ccxt has parsed the response, so that it is parsed once.
 */
function guardResponses(api: Exchange, getMaxEntries: () => number): void {
  const handleErrors = api.handleErrors.bind(api);
  api.handleErrors = (status, statusText, url, method, headers, body, response, ...request) => {
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess && body !== "" && (typeof response !== "object" || response === null)) {
      throw new MarketSourceError("malformed", "the response is not JSON");
    }
    if (countEntries(response, entryLevels) > getMaxEntries()) {
      throw new MarketSourceError("malformed", "the response has too many entries");
    }
    return handleErrors(status, statusText, url, method, headers, body, response, ...request);
  };
}

/** Exchanges wrap a list in at most two objects: `{"result": {"list": [...]}}`. */
const entryLevels = 3;

/** Returns the length of the longest list or object of a response, down to a level. */
function countEntries(value: unknown, levels: number): number {
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  const entries: unknown[] = Object.values(value);
  if (Array.isArray(value)) return entries.length;
  return entries.reduce<number>((most, entry) => Math.max(most, countEntries(entry, levels - 1)), entries.length);
}

/**
 * Handles the error of a message that a stream's closing connection cannot send. ccxt subscribes in sequence and leaves
 * that error unhandled, which would end the process.
 */
function guardSubscriptions(api: Exchange): void {
  const createClient = api.client.bind(api);
  const guarded = new WeakSet<object>();
  api.client = (url) => {
    const client = createClient(url);
    if (guarded.has(client)) return client;
    guarded.add(client);
    const send = client.send.bind(client);
    client.send = async (message: unknown) => {
      try {
        return await send(message);
      } catch (error) {
        // Rejects the pending reads of this client, whose callers then reconnect.
        client.onError(error);
        return null;
      }
    };
    return client;
  };
}

/** Returns the minute in progress after one more message; null for a message of an earlier minute. */
function followMinute(current: Minute | null, bar: Bar): Minute | null {
  if (current === null) return { bar, isWhole: false };
  if (bar.time < current.bar.time) return null;
  return { bar, isWhole: current.isWhole || bar.time > current.bar.time };
}

/** Moves the URLs of an API to another server: the original host becomes the first segment of the path. */
function moveUrls<T>(urls: T, to: URL): T {
  if (typeof urls === "object" && urls !== null) {
    return Object.fromEntries(Object.entries(urls).map(([name, value]) => [name, moveUrls(value, to)])) as T;
  }
  const match = typeof urls === "string" ? /^(https?|wss?):\/\/([^/:]+)(?::\d+)?(.*)$/.exec(urls) : null;
  if (match === null) return urls;
  const [, protocol, host, path] = match;
  const isSocket = protocol!.startsWith("ws");
  const scheme = isSocket ? to.protocol.replace("http", "ws") : to.protocol;
  return `${scheme}//${to.host}${to.pathname.replace(/\/$/, "")}/${host}${path}` as T;
}

/** @throws MarketSourceError if the row is not a bar, such as a character of a page. */
function toBar(id: string, row: unknown): Bar {
  const [time, ...values] = Array.isArray(row) ? (row as unknown[]) : [];
  const [open, high, low, close, volume] = values.map((value) =>
    value === null || value === "" ? Number.NaN : Number(value),
  );
  if (!Number.isSafeInteger(time) || close === undefined) {
    throw new MarketSourceError("malformed", `${id} returned rows that are not bars`);
  }
  return {
    time: Math.floor((time as number) / 1000),
    open: open!,
    high: high!,
    low: low!,
    close,
    volume: volume ?? Number.NaN,
    quoteVolume: null,
    trades: null,
  };
}

/** Creates the conversion of ccxt's errors. It omits their text, which quotes responses of any length. */
function createToSourceError(ccxt: typeof Ccxt) {
  // More specific classes first, because the classes inherit from each other.
  const faults: readonly (readonly [type: new (message: string) => Error, code: SourceFault])[] = [
    [ccxt.BadSymbol, "unknown_market"],
    [ccxt.DDoSProtection, "rate_limited"],
    [ccxt.RateLimitExceeded, "rate_limited"],
    [ccxt.RequestTimeout, "timeout"],
    [ccxt.NetworkError, "unreachable"],
    [ccxt.OperationFailed, "malformed"],
    [ccxt.BadResponse, "malformed"],
    [ccxt.ExchangeError, "refused"],
  ];
  return (error: unknown): MarketSourceError => {
    if (error instanceof MarketSourceError) return error;
    const code = faults.find(([type]) => error instanceof type)?.[1] ?? "malformed";
    return new MarketSourceError(code, error instanceof Error ? error.constructor.name : "no error");
  };
}
