import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import { classifyRpcError, RpcError } from "./rpcError.ts";
import type { RpcTransport } from "./rpcTransport.ts";

/** A value from outside: unusable until a parser has looked at it. */
export type Raw<T> = { readonly __raw: T };

export type RpcCall = { method: string; params: readonly unknown[] };

export type BatchOptions = {
  signal?: AbortSignal;
  /** Ask this endpoint alone; otherwise the healthiest, then the others. */
  endpoint?: number;
  /** Told which endpoint's answer it is. */
  onAnswer?: (endpoint: number) => void;
  /** Refused as `crowded` when it would wait for longer until the budget has room; in milliseconds. */
  patienceMs?: number | undefined;
};

/** Several JSON-RPC endpoints as one. */
export type RpcPool = {
  endpoints: number;
  /** The healthiest endpoint beside this one, for a second opinion; null when there is none or the others are down. */
  other(endpoint: number): number | null;
  /** EIP-1193. @throws RpcError */
  request(args: { method: string; params?: readonly unknown[] }, options?: BatchOptions): Promise<unknown>;
  /**
   * Sends the calls as one JSON-RPC batch and gives the results in the calls' order.
   *
   * @throws RpcError of the first call that failed.
   */
  batch(calls: readonly RpcCall[], options?: BatchOptions): Promise<Raw<unknown>[]>;
  /** As `batch`, with an RpcError in the place of each call that failed. @throws RpcError when no answer came at all. */
  batchSettled(calls: readonly RpcCall[], options?: BatchOptions): Promise<(Raw<unknown> | RpcError)[]>;
  /**
   * Rests an endpoint, the one that answered last when none is named: its answer contradicts the chain in a way only the
   * caller could see, so the next attempt should ask another.
   */
  penalize(number?: number): void;
};

export type RpcPoolOptions = {
  endpoints: number;
  transport: RpcTransport;
  timeoutMs: number;
  requestsPerSecond: number;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
};

type Endpoint = { number: number; failures: number; restingUntil: number };

const maxRestMs = 30_000;
const largestBatch = 200;
/** Failures in a row after which an endpoint counts as down while it rests. */
const downAfter = 12;

/**
 * A pool of JSON-RPC endpoints: the first healthy one is asked, a failing one rests (longer with each failure) and the
 * next takes over. Every attempt has a deadline and counts against the budget.
 */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { clock, log, metrics } = options;
  const endpoints: Endpoint[] = Array.from({ length: options.endpoints }, (_, number) => ({
    number,
    failures: 0,
    restingUntil: 0,
  }));
  const budget = createRequestBudget(clock, options.requestsPerSecond);
  let nextId = 1;
  let lastAnswered: Endpoint | null = null;

  const inOrder = (): Endpoint[] => {
    const now = clock.now();
    const rest = (endpoint: Endpoint) => Math.max(0, endpoint.restingUntil - now);
    return [...endpoints].sort((a, b) => rest(a) - rest(b) || a.number - b.number);
  };

  const failed = (endpoint: Endpoint, error: RpcError) => {
    endpoint.failures++;
    const restMs = Math.min(maxRestMs, 250 * 2 ** Math.min(endpoint.failures - 1, 7));
    endpoint.restingUntil = clock.now() + restMs;
    log.debug({ endpoint: endpoint.number, restMs, reason: error.message }, "RPC endpoint rests");
  };

  const send = async (endpoint: Endpoint, calls: readonly RpcCall[], { signal, patienceMs }: BatchOptions) => {
    await budget.take(calls.length, { signal, patienceMs });
    const first = nextId;
    nextId += calls.length;
    const bodies = calls.map((call, i) => ({
      jsonrpc: "2.0",
      id: first + i,
      method: call.method,
      params: call.params,
    }));
    const deadline = AbortSignal.timeout(options.timeoutMs);
    const text = await options.transport(
      endpoint.number,
      JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
      signal ? AbortSignal.any([signal, deadline]) : deadline,
    );
    return readAnswers(text, first, calls.length, endpoint.number);
  };

  const settle = async (calls: readonly RpcCall[], batch: BatchOptions): Promise<(Raw<unknown> | RpcError)[]> => {
    let last: RpcError | undefined;
    const candidates = batch.endpoint === undefined ? inOrder() : [endpoints[batch.endpoint % endpoints.length]!];
    for (const endpoint of candidates) {
      batch.signal?.throwIfAborted();
      const label = { endpoint: String(endpoint.number), method: calls[0]!.method };
      try {
        const answers = await send(endpoint, calls, batch);
        const bad = answers.find((answer): answer is RpcError => answer instanceof RpcError && answer.retryable);
        metrics.rpcRequests.inc({ ...label, outcome: bad ? "error" : "ok" }, calls.length);
        if (!bad) {
          endpoint.failures = 0;
          lastAnswered = endpoint;
          batch.onAnswer?.(endpoint.number);
          return answers;
        }
        failed(endpoint, bad);
        last = bad;
        // The last candidate's partial answer is better than none: the caller sees which calls failed.
        if (endpoint === candidates.at(-1)) {
          batch.onAnswer?.(endpoint.number);
          return answers;
        }
      } catch (error) {
        batch.signal?.throwIfAborted();
        if (!(error instanceof RpcError)) throw error;
        metrics.rpcRequests.inc({ ...label, outcome: error.kind }, calls.length);
        if (!error.retryable) throw error;
        failed(endpoint, error);
        last = error;
      }
    }
    throw last ?? new RpcError("transient", "no RPC endpoint");
  };

  const batchSettled: RpcPool["batchSettled"] = async (calls, batch = {}) => {
    if (calls.length <= largestBatch) return calls.length === 0 ? [] : await settle(calls, batch);
    const results: (Raw<unknown> | RpcError)[] = [];
    for (let i = 0; i < calls.length; i += largestBatch) {
      const part = calls.slice(i, i + largestBatch);
      const answers = await settle(part, batch).catch((error: unknown) => {
        // What was answered before counts.
        if (i > 0 && error instanceof RpcError && error.kind === "crowded") return part.map(() => error);
        throw error;
      });
      results.push(...answers);
    }
    return results;
  };

  const batch: RpcPool["batch"] = async (calls, batchOptions) => {
    const answers = await batchSettled(calls, batchOptions);
    const error = answers.find((answer): answer is RpcError => answer instanceof RpcError);
    if (error) throw error;
    return answers as Raw<unknown>[];
  };

  return {
    endpoints: options.endpoints,
    other: (number) => {
      const now = clock.now();
      const isUp = (endpoint: Endpoint) => endpoint.failures < downAfter || endpoint.restingUntil <= now;
      return inOrder().find((endpoint) => endpoint.number !== number && isUp(endpoint))?.number ?? null;
    },
    request: async ({ method, params }, requestOptions) =>
      (await batch([{ method, params: params ?? [] }], requestOptions))[0],
    batch,
    batchSettled,
    penalize: (number) => {
      const endpoint = number === undefined ? lastAnswered : endpoints[number];
      if (!endpoint || endpoints.length === 1) return;
      failed(endpoint, new RpcError("malformed", "contradicts the chain"));
      // Longer than any caller waits before it tries again: otherwise the same endpoint would be asked for ever.
      endpoint.restingUntil = clock.now() + maxRestMs;
    },
  };
}

type Envelope = { id?: unknown; result?: unknown; error?: { code?: number; message?: string; data?: unknown } };

/** Puts the answers of a batch, which may come in any order, into the order of the calls. */
function readAnswers(text: string, first: number, count: number, endpoint: number): (Raw<unknown> | RpcError)[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new RpcError("malformed", `RPC endpoint ${endpoint}: the answer is not JSON`);
  }
  const list = (Array.isArray(parsed) ? parsed : [parsed]) as Envelope[];
  const answers: (Raw<unknown> | RpcError | undefined)[] = new Array(count);
  for (const envelope of list) {
    const isObject = typeof envelope === "object" && envelope !== null;
    if (!isObject) continue;
    // One error for a whole batch has no id: every call failed so.
    if (envelope.error && (envelope.id === null || envelope.id === undefined)) {
      throw classifyRpcError(envelope.error, endpoint);
    }
    const index = Number(envelope.id) - first;
    if (!(index >= 0 && index < count)) continue;
    if (envelope.error) answers[index] = classifyRpcError(envelope.error, endpoint);
    else if ("result" in envelope) answers[index] = envelope.result as Raw<unknown>;
  }
  for (let i = 0; i < count; i++) {
    if (answers[i] === undefined)
      answers[i] = new RpcError("malformed", `RPC endpoint ${endpoint}: no answer to a call`);
  }
  return answers as (Raw<unknown> | RpcError)[];
}

type TakeOptions = {
  signal?: AbortSignal | undefined;
  /** Takes nothing when those before would make it wait for longer; in milliseconds. Left out: waits as long as it takes. */
  patienceMs?: number | undefined;
};

/** Waits until some more requests fit the budget. @throws RpcError crowded */
export type RequestBudget = { take(requests: number, options?: TakeOptions): Promise<void> };

/** A token bucket of `perSecond` requests a second that allows a burst of one second. */
export function createRequestBudget(clock: Clock, perSecond: number): RequestBudget {
  let available = perSecond;
  let last = clock.now();
  const waitMs = () => Math.max(0, Math.ceil((-available * 1000) / perSecond));
  return {
    take: async (requests, { signal, patienceMs = Number.POSITIVE_INFINITY } = {}) => {
      const now = clock.now();
      // A clock that steps back must not freeze the bucket, one that leaps must not overfill it.
      available = Math.min(perSecond, available + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      // Judged by those before alone, so that what is larger than the whole budget has its turn too.
      if (waitMs() > patienceMs)
        throw new RpcError("crowded", "more is asked of the chain than its endpoints are given");
      available -= requests;
      if (available < 0) await clock.sleep(waitMs(), signal);
    },
  };
}
