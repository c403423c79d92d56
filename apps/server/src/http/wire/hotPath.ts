import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { findHeadFault } from "./findHeadFault.ts";

/** Headers that differ from response to response, in lower case; they are not cached with a URL. */
const volatileHeaders = new Set([
  "x-request-id",
  "etag",
  "content-length",
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "ratelimit",
  "set-cookie",
]);

/** Maximum number of cached URLs; callers choose URLs. */
const maxCachedUrls = 10_000;
/** Longer than every useful URL of the API. The framework answers requests with a longer one. */
const maxUrlLength = 1_024;

type CachedUrl = {
  key: string;
  /** Alternating names and values that the framework sent, without the volatile headers. */
  headers: readonly string[];
  /** Record the duration of a response by status, in seconds. */
  observers: { 200: ObserveDuration; 304: ObserveDuration };
  /** The headers of the last response; null before the first response. */
  head: ResponseHead | null;
};

/** A response and its headers as alternating names and values; the request id is at `requestIdIndex`. */
type ResponseHead = { response: CachedResponse; headers: string[] };

const requestIdIndex = 1;

type ObserveDuration = (seconds: number) => void;

/** @returns Headers to send as alternating names and values; false leaves the request to the framework. */
type ConsumeLimit = (request: IncomingMessage) => readonly string[] | false;

/** Answers requests with cached responses before the framework handles them. */
export type HotPath = {
  /** Records the key of the response of a URL and the headers that the framework sent. */
  record(url: string, response: { key: string; route: string; headers: OutgoingHttpHeaders }, origin?: string): void;
  /** Answers the request; returns false without an effect if the framework must answer it. */
  serve(request: IncomingMessage, response: ServerResponse): boolean;
  /** Leaves all requests to the framework, whose responses announce that the server is closing. */
  stop(): void;
};

/**
 * Creates the hot path: a GET of a URL that the framework has answered before is answered with the same headers and the
 * current bytes, without routing, parsing and hooks. The framework answers everything else (another method, an unknown
 * URL, a response that is not fresh, another condition, a faulty head).
 *
 * @param options.peek - Returns the response of a key if it is fresh now.
 * @param options.now - In milliseconds.
 * @param options.isListed - Whether responses to an origin have headers of their own; they are recorded separately.
 * @param options.consumeLimit - Called before each response.
 * @param options.createObserver - Called once for each URL and status; the observer is called after each response.
 */
export function createHotPath(options: {
  peek: (key: string) => CachedResponse | undefined;
  createRequestId: () => string;
  now: () => number;
  consumeLimit: ConsumeLimit;
  createObserver: (route: string, status: number) => ObserveDuration;
  isListed?: (origin: string | undefined) => boolean;
}): HotPath {
  const { peek, createRequestId, now, consumeLimit, createObserver, isListed } = options;
  const urls = new Map<string, CachedUrl>();
  let isStopped = false;
  /** A URL contains no space, so different pairs of origin and URL have different names. */
  const toName = (url: string, origin: string | undefined) => (isListed?.(origin) ? `${origin} ${url}` : url);

  return {
    record(url, { key, route, headers }, origin) {
      if (isStopped || url.length > maxUrlLength) return;
      const name = toName(url, origin);
      if (urls.has(name)) return;
      if (urls.size >= maxCachedUrls) urls.clear();
      const constant = Object.entries(headers).flatMap(([name, value]) =>
        value === undefined || volatileHeaders.has(name.toLowerCase()) ? [] : [name, String(value)],
      );
      const observers = { 200: createObserver(route, 200), 304: createObserver(route, 304) };
      urls.set(name, { key, headers: constant, observers, head: null });
    },

    serve(request, response) {
      if (request.method !== "GET") return false;
      const origin = isListed === undefined ? undefined : getHeader(request.rawHeaders, "origin");
      const url = urls.get(toName(request.url!, origin));
      if (url === undefined) return false;
      const cached = peek(url.key);
      if (cached === undefined || cached.etag === null) return false;
      if (findHeadFault(request) !== null) return false;
      const condition = getHeader(request.rawHeaders, "if-none-match");
      if (condition !== undefined && condition !== cached.etag) return false;
      const limitHeaders = consumeLimit(request);
      if (limitHeaders === false) return false;

      const startedAt = now();
      const status = condition === undefined ? 200 : 304;
      if (url.head?.response !== cached) url.head = createHead(url, cached);
      // Node.js copies the headers, so that one array serves all responses.
      url.head.headers[requestIdIndex] = createRequestId();
      const headers = limitHeaders.length === 0 ? url.head.headers : [...url.head.headers, ...limitHeaders];
      if (status === 200) response.writeHead(200, headers).end(cached.bytes);
      else response.writeHead(304, withoutBodyHeaders(headers)).end();
      url.observers[status]((now() - startedAt) / 1000);
      return true;
    },

    stop() {
      isStopped = true;
      urls.clear();
    },
  };
}

function createHead({ headers }: CachedUrl, response: CachedResponse): ResponseHead {
  const own = ["x-request-id", "", "etag", response.etag!, "content-length", String(response.bytes.length)];
  return { response, headers: [...own, ...headers] };
}

/**
 * Finds a header by its lower-case name: building the map of all headers would cost more than the rest of the hot path. For
 * a header that is sent twice, the result differs from every single value.
 */
function getHeader(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const current = rawHeaders[i]!;
    if (current.length !== name.length || current.toLowerCase() !== name) continue;
    found = found === undefined ? rawHeaders[i + 1]! : `${found},`;
  }
  return found;
}

/** Removes the headers that a response without a body does not have. */
function withoutBodyHeaders(headers: readonly string[]): string[] {
  const left: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!/^content-(type|length)$/i.test(headers[i]!)) left.push(headers[i]!, headers[i + 1]!);
  }
  return left;
}

/**
 * Creates the hot path of the service.
 *
 * @param consumeLimit, isListed - See `createHotPath`.
 */
export function openHotPath(
  { clock, ids, metrics, readModel }: Pick<Deps, "clock" | "ids" | "metrics" | "readModel">,
  consumeLimit: ConsumeLimit,
  isListed: (origin: string | undefined) => boolean,
): HotPath {
  // A random id would take a third of the time of a response; a random id of the process and a number are as unique.
  const processId = ids.uuid();
  let requests = 0;
  return createHotPath({
    peek: (key) => readModel.peek(key),
    createRequestId: () => `${processId}-${String(++requests).padStart(10, "0")}`,
    now: () => clock.now(),
    consumeLimit,
    isListed,
    createObserver: (route, status) => {
      const labels = { method: "GET", route, status: String(status) };
      let histogram: ReturnType<typeof metrics.httpDuration.labels> | null = null;
      return (seconds) => {
        // Created with the first response, so that a series without responses is not exported.
        histogram ??= metrics.httpDuration.labels(labels);
        histogram.observe(seconds);
      };
    },
  });
}

/** Records the cached responses that the framework sends. Call it before the routes are registered. */
export function recordCachedResponses(
  app: FastifyInstance,
  { readModel }: Pick<Deps, "readModel">,
  hotPath: HotPath,
): void {
  app.addHook("preClose", async () => hotPath.stop());
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" || reply.statusCode !== 200 || !Buffer.isBuffer(payload)) return payload;
    const key = readModel.getKey(payload);
    if (key !== undefined) {
      const route = request.routeOptions.url ?? "none";
      const headers = reply.getHeaders() as OutgoingHttpHeaders;
      hotPath.record(request.raw.url!, { key, route, headers }, request.headers.origin);
    }
    return payload;
  });
}
