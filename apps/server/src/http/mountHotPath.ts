import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { ReadyAnswer } from "../cache/cachedResponse.ts";
import type { Deps } from "../deps.ts";
import { learnHead, type OfOneAnswer, type WordedHead, writeWordedHead } from "./wordedHead.ts";

/** Headers that differ from answer to answer, in lower case: never remembered. */
const ofOneAnswer = new Set([
  ...["x-request-id", "etag", "content-length", "date", "connection", "keep-alive", "transfer-encoding"],
  ...["ratelimit", "set-cookie"],
]);

/** URLs remembered at once: a URL is the caller's to choose. */
const rememberedUrls = 10_000;

type KnownUrl = {
  key: string;
  route: string;
  headers: readonly string[];
  /** Made when the answer is first sent. */
  head: Head | null;
};

/** The head of an answer: its headers, the request id at `requestIdAt`, and as Node worded them. */
type Head = { answer: ReadyAnswer; headers: string[]; worded: WordedHead | null };

const requestIdAt = 1;

/**
 * The shortest way to a ready answer: a GET of a URL that the framework has answered before is answered again with the
 * same headers and the bytes of now, without routing, parsing and hooks. What it cannot answer for certain (another
 * method, an unknown URL, an answer that is not fresh, an unusual condition) is left to the framework.
 *
 * @param options.peek - The answer of a key if it is fresh at this moment.
 * @param options.admit - Asked before each answer, e.g. by a rate limit; false leaves the request to the framework.
 *   Header names and values it returns are sent too.
 * @param options.answered - Told of each answer, with the seconds it took.
 */
export function createHotPath(options: {
  peek: (key: string) => ReadyAnswer | undefined;
  requestId: () => string;
  /** Milliseconds. */
  now: () => number;
  admit?: (request: IncomingMessage) => readonly string[] | false;
  answered?: (route: string, status: number, seconds: number) => void;
}) {
  const { peek, requestId, now, admit, answered } = options;
  const urls = new Map<string, KnownUrl>();

  return {
    /** Notes which answer a URL has and with which headers the framework sent it. */
    remember(url: string, known: { key: string; route: string; headers: OutgoingHttpHeaders }): void {
      if (urls.has(url)) return;
      if (urls.size >= rememberedUrls) urls.clear();
      const headers = Object.entries(known.headers).flatMap(([name, value]) =>
        value === undefined || ofOneAnswer.has(name.toLowerCase()) ? [] : [name, String(value)],
      );
      urls.set(url, { key: known.key, route: known.route, headers, head: null });
    },

    /** Answers the request, or returns false and has done nothing. */
    serve(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== "GET") return false;
      const known = urls.get(request.url!);
      if (known === undefined) return false;
      const answer = peek(known.key);
      if (answer === undefined || answer.etag === null) return false;
      const wanted = headerOf(request.rawHeaders, "if-none-match");
      if (wanted !== undefined && wanted !== answer.etag) return false;
      const more = admit === undefined ? none : admit(request);
      if (more === false) return false;

      const started = now();
      const status = wanted === undefined ? 200 : 304;
      if (known.head?.answer !== answer) known.head = { answer, headers: headOf(known, answer), worded: null };
      const of = { id: requestId(), now: started, more };
      if (status === 200) sendWhole(response, known.head, of);
      else response.writeHead(304, withoutBody(headersOf(known.head, of))).end();
      answered?.(known.route, status, (now() - started) / 1000);
      return true;
    },

    /** Forgets everything, e.g. because the server is closing: the framework says so in its answers. */
    clear(): void {
      urls.clear();
    },
  };
}

const none: readonly string[] = [];

function sendWhole(response: ServerResponse, head: Head, of: OfOneAnswer): void {
  if (head.worded !== null && response.shouldKeepAlive) {
    writeWordedHead(response, head.worded, of);
  } else {
    response.writeHead(200, headersOf(head, of));
    if (response.shouldKeepAlive) head.worded = learnHead(response, of);
  }
  response.end(head.answer.bytes);
}

/** Good until the next call: Node words a head at once, so that the array is used again. */
function headersOf(head: Head, of: OfOneAnswer): string[] {
  head.headers[requestIdAt] = of.id;
  return of.more.length === 0 ? head.headers : [...head.headers, ...of.more];
}

function headOf(known: KnownUrl, answer: ReadyAnswer): string[] {
  const own = ["x-request-id", "", "etag", answer.etag!, "content-length", String(answer.bytes.length)];
  return [...own, ...known.headers];
}

/** A header by its lower-case name; the whole map of them costs more than all else here. Of two, none is certain. */
function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    found = found === undefined ? rawHeaders[i + 1]! : `${found},`;
  }
  return found;
}

/** An answer without a body says nothing of its type and length. */
function withoutBody(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!/^content-(type|length)$/i.test(headers[i]!)) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}

/**
 * Lets hot answers go past the framework (see `createHotPath`). Call it before routes are registered.
 *
 * @param admit - The rate limit, asked before each answer; see `createHotPath`.
 */
export function mountHotPath(
  app: FastifyInstance,
  deps: Deps,
  admit?: (request: IncomingMessage) => readonly string[] | false,
): void {
  const model = deps.readModel;
  const histograms = new Map<string, { observe(seconds: number): void }>();
  // A random id costs a third of a hot answer; one for all of them with a number tells them apart as well.
  const process = deps.ids.uuid();
  let requests = 0;
  const hot = createHotPath({
    peek: (key) => model.peek(key),
    requestId: () => `${process}-${String(++requests).padStart(10, "0")}`,
    now: () => deps.clock.now(),
    admit,
    answered: (route, status, seconds) => {
      const name = `${route} ${status}`;
      let histogram = histograms.get(name);
      if (histogram === undefined) {
        histogram = deps.metrics.httpDuration.labels({ method: "GET", route, status: String(status) });
        histograms.set(name, histogram);
      }
      histogram.observe(seconds);
    },
  });

  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
    hot.clear();
    // A stream that stays open would keep the server from closing.
    deps.liveFeed.end();
  });
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" || reply.statusCode !== 200 || closing || !Buffer.isBuffer(payload)) return payload;
    const key = model.keyOf(payload);
    if (key !== undefined) {
      const route = request.routeOptions.url ?? "none";
      hot.remember(request.raw.url!, { key, route, headers: reply.getHeaders() as Record<string, string> });
    }
    return payload;
  });

  const handlers = app.server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  app.server.removeAllListeners("request");
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!closing && hot.serve(request, response)) return;
    for (const handler of handlers) handler(request, response);
  });
}
