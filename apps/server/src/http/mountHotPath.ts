import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { CachedResponse } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { findHeadFault } from "./findHeadFault.ts";
import { findIgnoredUpgrade } from "./ignoredUpgrades.ts";

/** Headers that differ from response to response, in lower case: never cached with a URL. */
const volatileHeaders = new Set([
  ...["x-request-id", "etag", "content-length", "date", "connection", "keep-alive", "transfer-encoding"],
  ...["ratelimit", "set-cookie"],
]);

/** URLs cached at once; callers choose URLs. */
const maxCachedUrls = 10_000;
/** Longer than any that a client needs. A longer one, with a host or with escapes, is answered by the framework. */
const maxUrlLength = 1_024;

type CachedUrl = {
  key: string;
  /** Names and values in turns, as the framework sent them to this kind of origin, without the volatile ones. */
  headers: readonly string[];
  /** Record the duration of a response with and without a body, in seconds. */
  observers: { 200: ObserveDuration; 304: ObserveDuration };
  /** Of the last response sent; null before the first. */
  head: ResponseHead | null;
};

/** The headers of a response with its bytes, names and values in turns; the request id is at `requestIdIndex`. */
type ResponseHead = { response: CachedResponse; headers: string[] };

const requestIdIndex = 1;

type ObserveDuration = (seconds: number) => void;

/** Headers to send, names and values in turns; false leaves the request to the framework. */
type ConsumeLimit = (request: IncomingMessage) => readonly string[] | false;

/**
 * The shortest way to a cached response: a GET of a URL that the framework has answered before is answered with the same
 * headers and the current bytes, without routing, parsing and hooks. Everything else (another method, an unknown URL, a
 * response that is not fresh, another condition, a head that is refused) is left to the framework.
 *
 * @param options.peek - The response of a key if it is fresh now.
 * @param options.isListed - Whether responses to an origin have headers of their own; they are recorded apart.
 * @param options.consumeLimit - Called before each response.
 * @param options.createObserver - Called once for a URL and status; what it returns is called after each response.
 */
export function createHotPath(options: {
  peek: (key: string) => CachedResponse | undefined;
  createRequestId: () => string;
  /** Milliseconds. */
  now: () => number;
  consumeLimit: ConsumeLimit;
  createObserver: (route: string, status: number) => ObserveDuration;
  isListed?: (origin: string | undefined) => boolean;
}) {
  const { peek, createRequestId, now, consumeLimit, createObserver, isListed } = options;
  const urls = new Map<string, CachedUrl>();
  /** A URL has no space: the names of two origins cannot be read as one. */
  const toName = (url: string, origin: string | undefined) => (isListed?.(origin) ? `${origin} ${url}` : url);

  return {
    /** Records which response a URL has and with which headers the framework sent it. */
    record(
      url: string,
      { key, route, headers }: { key: string; route: string; headers: OutgoingHttpHeaders },
      origin?: string,
    ): void {
      if (url.length > maxUrlLength) return;
      const name = toName(url, origin);
      if (urls.has(name)) return;
      if (urls.size >= maxCachedUrls) urls.clear();
      const constant = Object.entries(headers).flatMap(([name, value]) =>
        value === undefined || volatileHeaders.has(name.toLowerCase()) ? [] : [name, String(value)],
      );
      const observers = { 200: createObserver(route, 200), 304: createObserver(route, 304) };
      urls.set(name, { key, headers: constant, observers, head: null });
    },

    /** Answers the request; false when it is left to the framework and nothing was done. */
    serve(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== "GET") return false;
      const origin = isListed === undefined ? undefined : getHeader(request.rawHeaders, "origin");
      const url = urls.get(toName(request.url!, origin));
      if (url === undefined) return false;
      const cached = peek(url.key);
      if (cached === undefined || cached.etag === null) return false;
      if (findHeadFault(request) !== null || findIgnoredUpgrade(request) !== null) return false;
      const condition = getHeader(request.rawHeaders, "if-none-match");
      if (condition !== undefined && condition !== cached.etag) return false;
      const limitHeaders = consumeLimit(request);
      if (limitHeaders === false) return false;

      const startedAt = now();
      const status = condition === undefined ? 200 : 304;
      if (url.head?.response !== cached) url.head = createHead(url, cached);
      // Node copies the headers at once, so that the array is used for every response.
      url.head.headers[requestIdIndex] = createRequestId();
      const headers = limitHeaders.length === 0 ? url.head.headers : [...url.head.headers, ...limitHeaders];
      if (status === 200) response.writeHead(200, headers).end(cached.bytes);
      else response.writeHead(304, withoutBodyHeaders(headers)).end();
      url.observers[status]((now() - startedAt) / 1000);
      return true;
    },

    /** Forgets all URLs, e.g. because the server is closing, which the framework's responses announce. */
    clear(): void {
      urls.clear();
    },
  };
}

function createHead({ headers }: CachedUrl, response: CachedResponse): ResponseHead {
  const own = ["x-request-id", "", "etag", response.etag!, "content-length", String(response.bytes.length)];
  return { response, headers: [...own, ...headers] };
}

/**
 * A header by its lower-case name; building the map of all headers would cost more than the rest of the hot path. Of a
 * header that is sent twice the result matches no single value.
 */
function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    found = found === undefined ? rawHeaders[i + 1]! : `${found},`;
  }
  return found;
}

/** The headers of a response without a body. */
function withoutBodyHeaders(headers: readonly string[]): string[] {
  const left: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!/^content-(type|length)$/i.test(headers[i]!)) left.push(headers[i]!, headers[i + 1]!);
  }
  return left;
}

/**
 * Serves cached responses before the framework (see `createHotPath`). Call it before routes are registered.
 *
 * @param consumeLimit - The rate limit, called before each response; see `createHotPath`.
 * @param isListed - See `createHotPath`.
 */
export function mountHotPath(
  app: FastifyInstance,
  deps: Deps,
  consumeLimit: ConsumeLimit,
  isListed: (origin: string | undefined) => boolean,
): void {
  const { readModel, metrics } = deps;
  // A random id would take a third of the time of a response; one per process with a number is as unique.
  const processId = deps.ids.uuid();
  let requests = 0;
  const hotPath = createHotPath({
    peek: (key) => readModel.peek(key),
    createRequestId: () => `${processId}-${String(++requests).padStart(10, "0")}`,
    now: () => deps.clock.now(),
    consumeLimit,
    isListed,
    createObserver: (route, status) => {
      const labels = { method: "GET", route, status: String(status) };
      let histogram: { observe(seconds: number): void } | null = null;
      return (seconds) => {
        // Not before the first response: a metric without one is not exported.
        histogram ??= metrics.httpDuration.labels(labels);
        histogram.observe(seconds);
      };
    },
  });

  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
    hotPath.clear();
  });
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" || reply.statusCode !== 200 || closing || !Buffer.isBuffer(payload)) return payload;
    const key = readModel.getKey(payload);
    if (key !== undefined) {
      const route = request.routeOptions.url ?? "none";
      const headers = reply.getHeaders() as OutgoingHttpHeaders;
      hotPath.record(request.raw.url!, { key, route, headers }, request.headers.origin);
    }
    return payload;
  });

  const handlers = app.server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  app.server.removeAllListeners("request");
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!closing && hotPath.serve(request, response)) return;
    for (const handler of handlers) handler(request, response);
  });
}
