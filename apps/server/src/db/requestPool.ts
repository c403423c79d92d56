import pg from "pg";
import { RequestQueue } from "./requestQueue.ts";

/** If no request gets a connection for this time, the database hangs or slow statements occupy all connections. */
const stalledMs = 5_000;
/** Maximum wait of a request. Longer waits are useless, because the caller no longer waits. */
const abandonedMs = 30_000;
/** Maximum number of requests that wait for each connection. */
export const maxWaitingPerConnection = 100;

/** Thrown when no connection became free. */
export class NoFreeConnection extends Error {
  override name = "NoFreeConnection";
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;
/** `connected`: null after the request was refused. */
type Request = { connected: Connected | null; sinceMs: number };

export type RequestPoolConfig = pg.PoolConfig & {
  max: number;
  /** The time to open a connection; waiting for a free connection does not count. */
  connectionTimeoutMillis: number;
  /** See `RunningTime`. */
  nowMs: () => number;
  /** See `RequestQueueOptions`. */
  maxWaitMs: number;
};

/**
 * A pool whose requests wait for a connection in the order of their arrival while connections become free. The owner
 * calls `refuseHopeless` periodically.
 */
export class RequestPool extends pg.Pool {
  readonly #max: number;
  readonly #nowMs: () => number;
  readonly #waiting: RequestQueue<Request>;
  /** All requests without a connection, including requests whose connection is being opened. */
  readonly #pending = new Set<Request>();
  readonly #inUse = new Set<pg.PoolClient>();
  #opening = 0;
  /** The last time at which a request got a connection. */
  #connectedAtMs = 0;
  /** While true, requests are refused instead of waiting, until a request gets a connection. */
  #isStalled = false;

  constructor({ nowMs, maxWaitMs, ...config }: RequestPoolConfig) {
    super(config);
    this.#max = config.max;
    this.#nowMs = nowMs;
    this.#waiting = new RequestQueue({ nowMs, maxWaitMs, maxLength: config.max * maxWaitingPerConnection });
    this.on("release", (_error, client) => {
      if (this.#inUse.delete(client)) this.#connectNext();
    });
  }

  /** @throws NoFreeConnection */
  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (connected === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => {
          if (client === undefined) reject(error ?? new NoFreeConnection());
          else resolve(client);
        });
      });
    }
    const request = { connected, sinceMs: this.#nowMs() };
    this.#pending.add(request);
    if (this.#hasFree()) this.#connect(request);
    else if (this.#isStalled) this.#refuse(request);
    else this.#waiting.push(request);
    return undefined;
  }

  /** Whether requests arrive faster than connections become free, so that another request should be refused. */
  isOverloaded(): boolean {
    return this.#waiting.isOverloaded();
  }

  /** The number of requests that wait for a connection. */
  get waitingRequests(): number {
    return this.#pending.size;
  }

  /** Refuses the requests that can no longer be served in time. */
  refuseHopeless(): void {
    const [oldest] = this.#pending;
    if (oldest === undefined) return;
    const lastMs = Math.max(this.#connectedAtMs, oldest.sinceMs);
    const stalls = !this.#isStalled && this.#nowMs() - lastMs >= stalledMs;
    this.#isStalled ||= stalls;
    for (const request of this.#waiting.takeOlder(stalls ? 0 : abandonedMs)) this.#refuse(request);
    for (const request of this.#pending) {
      if (this.#isStalled && this.#nowMs() - request.sinceMs >= stalledMs) this.#refuse(request);
    }
  }

  #hasFree(): boolean {
    return this.#inUse.size + this.#opening < this.#max;
  }

  /** Passes an idle connection to the request, or opens a connection. */
  #connect(request: Request): void {
    this.#opening++;
    super.connect((error, client, release) => {
      this.#opening--;
      this.#pending.delete(request);
      if (client !== undefined) {
        this.#inUse.add(client);
        this.#connectedAtMs = this.#nowMs();
        this.#isStalled = false;
        if (request.connected === null) release();
      }
      request.connected?.(error, client, release);
      this.#connectNext();
    });
  }

  #connectNext(): void {
    const next = this.#hasFree() ? this.#waiting.shift() : undefined;
    if (next !== undefined) this.#connect(next);
  }

  #refuse(request: Request): void {
    this.#pending.delete(request);
    const { connected } = request;
    request.connected = null;
    connected?.(new NoFreeConnection("no database connection became free"), undefined, () => undefined);
  }
}
