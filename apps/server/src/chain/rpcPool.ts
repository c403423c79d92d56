import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import type { Observer, Operation } from "../observer/createObserver.ts";
import { classifyRpcError, RpcError } from "./rpcError.ts";
import type { RpcTransport } from "./rpcTransport.ts";

/** An untrusted value, which must be parsed before use. */
export type Raw<T> = { readonly __raw: T };

export type RpcCall = { method: string; params: readonly unknown[] };

export type BatchOptions = {
  signal?: AbortSignal;
  /** The only endpoint to use. Default: the healthiest endpoint, then the others. */
  endpoint?: number;
  /** Called with the number of the endpoint that answered. */
  onAnswer?: (endpoint: number) => void;
  /** Maximum wait for the request budget, in milliseconds. With a longer wait the batch fails as `overBudget`. */
  budgetTimeoutMs?: number | undefined;
};

/** Several JSON-RPC endpoints behind one interface. */
export type RpcPool = {
  endpoints: number;
  /** Returns the host of an endpoint, for logs. Not the URL, which may contain a key. */
  host(endpoint: number): string;
  /** Returns the endpoints that are not down, the healthiest first. */
  listHealthy(): number[];
  /** The number of different hosts: two URLs of one host can be one node, which cannot confirm itself. */
  hosts: number;
  /** Returns the healthiest endpoint of each host, for a comparison of answers. */
  listIndependent(): number[];
  /** Returns the healthiest other endpoint, for a cross-check; null if no other endpoint exists or all are down. */
  other(endpoint: number): number | null;
  /** EIP-1193. @throws RpcError */
  request(args: { method: string; params?: readonly unknown[] }, options?: BatchOptions): Promise<unknown>;
  /**
   * Sends the calls as one JSON-RPC batch. Results are in the order of the calls.
   *
   * @throws RpcError of the first call that failed.
   */
  batch(calls: readonly RpcCall[], options?: BatchOptions): Promise<Raw<unknown>[]>;
  /** Works like `batch`, with an RpcError for each failed call. @throws RpcError if no endpoint answers. */
  batchSettled(calls: readonly RpcCall[], options?: BatchOptions): Promise<(Raw<unknown> | RpcError)[]>;
  /**
   * Starts the longest cooldown of an endpoint after a response that is well formed but wrong. The next attempt uses
   * another endpoint. Default: the endpoint that answered last.
   */
  penalize(endpoint?: number): void;
  /** Uses an endpoint that is proven to lie only when all others fail, until the process restarts. */
  distrust(endpoint: number): void;
};

export type RpcPoolOptions = {
  endpoints: number;
  /** Hosts of the endpoints, by number. */
  hosts?: readonly string[];
  transport: RpcTransport;
  /** Called when another endpoint than before answers a request that any endpoint may answer. */
  onSwitch?: () => void;
  timeoutMs: number;
  requestsPerSecond: number;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  observer?: Observer | undefined;
};

type Endpoint = { number: number; failures: number; cooldownUntil: number; isDistrusted: boolean };

const minCooldownMs = 250;
const maxCooldownMs = 30_000;
const maxBatchCalls = 200;
/** Consecutive failures after which an endpoint counts as down during its cooldown. */
const downAfterFailures = 12;

/** Creates the endpoints of a pool with their failures and cooldowns. */
function createEndpoints(options: Pick<RpcPoolOptions, "endpoints" | "clock" | "log" | "metrics">) {
  const { endpoints: count, clock, log, metrics } = options;
  const endpoints: Endpoint[] = Array.from({ length: count }, (_, number) => ({
    number,
    failures: 0,
    cooldownUntil: 0,
    isDistrusted: false,
  }));
  return {
    all: endpoints,
    /** Lists the endpoints without a cooldown first, then by the end of their cooldown. Distrusted endpoints are last. */
    listByCooldown: (): Endpoint[] => {
      const now = clock.now();
      const remaining = (endpoint: Endpoint) => Math.max(0, endpoint.cooldownUntil - now);
      return [...endpoints].sort(
        (a, b) => Number(a.isDistrusted) - Number(b.isDistrusted) || remaining(a) - remaining(b) || a.number - b.number,
      );
    },
    recordAnswer: (endpoint: Endpoint) => {
      if (endpoint.failures > 0) metrics.rpcConsecutiveFailures.set({ endpoint: String(endpoint.number) }, 0);
      endpoint.failures = 0;
    },
    isUp: (endpoint: Endpoint) => endpoint.failures < downAfterFailures || endpoint.cooldownUntil <= clock.now(),
    recordFailure: (endpoint: Endpoint, error: RpcError) => {
      endpoint.failures++;
      metrics.rpcConsecutiveFailures.set({ endpoint: String(endpoint.number) }, endpoint.failures);
      const cooldownMs = Math.min(maxCooldownMs, minCooldownMs * 2 ** Math.min(endpoint.failures - 1, 7));
      endpoint.cooldownUntil = clock.now() + cooldownMs;
      log.debug({ endpoint: endpoint.number, cooldownMs, reason: error.message }, "rpc endpoint in cooldown");
    },
  };
}

/** Selects the first endpoint of each host. */
function selectIndependent(endpoints: readonly number[], host: (endpoint: number) => string): number[] {
  const hosts = endpoints.map(host);
  return endpoints.filter((_, index) => hosts.indexOf(hosts[index]!) === index);
}

/**
 * Creates a pool of JSON-RPC endpoints. Requests go to the first healthy endpoint. A failed endpoint gets a cooldown,
 * longer with each failure, and the next endpoint takes over. Each attempt has a deadline and uses the budget.
 */
export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { clock, metrics, observer } = options;
  const { all: endpoints, listByCooldown, isUp, recordAnswer, recordFailure } = createEndpoints(options);
  const budget = createRequestBudget(clock, options.requestsPerSecond);
  const listHealthy = () =>
    listByCooldown()
      .filter(isUp)
      .map(({ number }) => number);
  const host = (number: number) => options.hosts?.[number] ?? `endpoint ${number}`;
  let nextId = 1;
  let lastAnswered: Endpoint | null = null;
  let active = endpoints[0]!;

  const noteAnswer = (endpoint: Endpoint, batch: BatchOptions) => {
    batch.onAnswer?.(endpoint.number);
    if (batch.endpoint !== undefined || endpoint === active) return;
    active = endpoint;
    options.onSwitch?.();
  };

  const send = async (endpoint: Endpoint, calls: readonly RpcCall[], { signal, budgetTimeoutMs }: BatchOptions) => {
    await budget.take(calls.length, { signal, budgetTimeoutMs });
    const first = nextId;
    nextId += calls.length;
    const bodies = calls.map((call, i) => ({
      jsonrpc: "2.0",
      id: first + i,
      method: call.method,
      params: call.params,
    }));
    const deadline = AbortSignal.timeout(options.timeoutMs);
    const body = JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
    const post = () =>
      options.transport(endpoint.number, body, signal ? AbortSignal.any([signal, deadline]) : deadline);
    const operation = () => toOperation(endpoint.number, options.hosts?.[endpoint.number], calls);
    const text = observer === undefined ? await post() : await observer.measure(operation(), post);
    return parseResponses(text, first, calls.length, endpoint.number);
  };

  const sendToFirstHealthy = async (
    calls: readonly RpcCall[],
    batch: BatchOptions,
  ): Promise<(Raw<unknown> | RpcError)[]> => {
    let last: RpcError | undefined;
    const candidates =
      batch.endpoint === undefined ? listByCooldown() : [endpoints[batch.endpoint % endpoints.length]!];
    for (const endpoint of candidates) {
      batch.signal?.throwIfAborted();
      const label = { endpoint: String(endpoint.number), method: calls[0]!.method };
      try {
        const answers = await send(endpoint, calls, batch);
        const bad = answers.find((answer): answer is RpcError => answer instanceof RpcError && answer.retryable);
        metrics.rpcRequests.inc({ ...label, outcome: bad ? "error" : "ok" }, calls.length);
        if (!bad) {
          recordAnswer(endpoint);
          lastAnswered = endpoint;
          noteAnswer(endpoint, batch);
          return answers;
        }
        recordFailure(endpoint, bad);
        last = bad;
        // Returns the last candidate's partial response, so that the caller sees the failed calls.
        if (endpoint === candidates.at(-1)) {
          noteAnswer(endpoint, batch);
          return answers;
        }
      } catch (error) {
        batch.signal?.throwIfAborted();
        if (!(error instanceof RpcError)) throw error;
        metrics.rpcRequests.inc({ ...label, outcome: error.kind }, calls.length);
        if (!error.retryable) throw error;
        recordFailure(endpoint, error);
        last = error;
      }
    }
    throw last ?? new RpcError("transient", "no RPC endpoint");
  };

  const batchSettled: RpcPool["batchSettled"] = async (calls, batch = {}) => {
    if (calls.length <= maxBatchCalls) return calls.length === 0 ? [] : await sendToFirstHealthy(calls, batch);
    const results: (Raw<unknown> | RpcError)[] = [];
    for (let i = 0; i < calls.length; i += maxBatchCalls) {
      const part = calls.slice(i, i + maxBatchCalls);
      const answers = await sendToFirstHealthy(part, batch).catch((error: unknown) => {
        // Responses to earlier parts stay valid.
        if (i > 0 && error instanceof RpcError && error.kind === "overBudget") return part.map(() => error);
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
    host,
    hosts: new Set(endpoints.map(({ number }) => host(number))).size,
    listHealthy,
    listIndependent: () => selectIndependent(listHealthy(), host),
    other: (number) => listHealthy().find((other) => other !== number) ?? null,
    request: async ({ method, params }, requestOptions) =>
      (await batch([{ method, params: params ?? [] }], requestOptions))[0],
    batch,
    batchSettled,
    distrust: (number) => {
      endpoints[number]!.isDistrusted = true;
    },
    penalize: (number) => {
      const endpoint = number === undefined ? lastAnswered : endpoints[number];
      if (!endpoint || endpoints.length === 1) return;
      recordFailure(endpoint, new RpcError("malformed", "contradicts the chain"));
      // Longer than any retry interval of a caller; otherwise the same endpoint would be used repeatedly.
      endpoint.cooldownUntil = clock.now() + maxCooldownMs;
    },
  };
}

function toOperation(endpoint: number, host: string | undefined, calls: readonly RpcCall[]): Operation {
  const { method } = calls[0]!;
  return {
    kind: "client",
    name: `rpc ${method}`,
    attributes: {
      "rpc.system.name": "jsonrpc",
      "rpc.method": method,
      "server.address": host ?? "",
      "slipway.endpoint": endpoint,
      "slipway.calls": calls.length,
    },
  };
}

type Envelope = { id?: unknown; result?: unknown; error?: { code?: number; message?: string; data?: unknown } };

/** Parses the responses of a batch, which may be in any order, and returns them in the order of the calls. */
function parseResponses(text: string, first: number, count: number, endpoint: number): (Raw<unknown> | RpcError)[] {
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
    // An error without id applies to the whole batch.
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
  /** Maximum wait for earlier requests, in milliseconds. With a longer wait nothing is taken. Default: unlimited. */
  budgetTimeoutMs?: number | undefined;
};

/** Waits until the requests fit the budget. @throws RpcError overBudget */
export type RequestBudget = { take(requests: number, options?: TakeOptions): Promise<void> };

/** Creates a token bucket of `perSecond` requests per second with a burst of one second. */
export function createRequestBudget(clock: Clock, perSecond: number): RequestBudget {
  let available = perSecond;
  let last = clock.now();
  const waitMs = () => Math.max(0, Math.ceil((-available * 1000) / perSecond));
  return {
    take: async (requests, { signal, budgetTimeoutMs = Number.POSITIVE_INFINITY } = {}) => {
      const now = clock.now();
      // A clock that steps backwards must not freeze the bucket; a clock that steps forwards must not overfill it.
      available = Math.min(perSecond, available + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      // Only earlier requests count, so that a batch larger than the whole budget also proceeds.
      if (waitMs() > budgetTimeoutMs)
        throw new RpcError("overBudget", "the request budget of the RPC endpoints is exhausted");
      available -= requests;
      if (available < 0) await clock.sleep(waitMs(), signal);
    },
  };
}
