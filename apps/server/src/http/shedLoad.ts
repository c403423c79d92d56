import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

const tickMs = 100;
/** Long enough that a single stall does not count. */
const windowMs = 2_000;

class Overloaded extends SlipwayError {
  constructor() {
    super("overloaded");
  }
}

/**
 * Responds 503 `overloaded` while the event loop lags, the heap is nearly full or requests arrive faster than the
 * database serves them, so that the others are served in time. Operators' routes (`neverShed`) and cached responses are
 * served all the same: the latter cost less than an error.
 */
export function shedLoad(app: FastifyInstance, { config, db, metrics }: Deps): void {
  const eventLoop = measureEventLoopDelay();
  app.addHook("onClose", async () => eventLoop.stop());

  const findExhausted = (): "eventLoopDelay" | "heapUsedBytes" | "databaseQueue" | null => {
    const { MAX_EVENT_LOOP_DELAY_MS: maxDelayMs, MAX_HEAP_BYTES: maxHeapBytes } = config;
    if (maxDelayMs > 0 && eventLoop.delayMs() > maxDelayMs) return "eventLoopDelay";
    if (maxHeapBytes > 0 && eventLoop.heapBytes() > maxHeapBytes) return "heapUsedBytes";
    return db.isOverloaded() ? "databaseQueue" : null;
  };

  app.addHook("onRequest", async (request) => {
    if (request.routeOptions.config.neverShed) return;
    const reason = findExhausted();
    if (reason === null) return;
    metrics.shedRequests.inc({ reason });
    throw new Overloaded();
  });
}

/**
 * Measures the mean delay of a timer over two seconds, as far as this thread was computing: a delay during which the
 * machine ran something else is not caused by the load, and ends no sooner when requests are refused.
 */
function measureEventLoopDelay() {
  let cpu = process.threadCpuUsage();
  let ticks = 0;
  let elapsedMs = 0;
  let delayMs = 0;
  let heapBytes = 0;
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(cpu);
    cpu = process.threadCpuUsage();
    ticks++;
    elapsedMs += Math.max(tickMs, (user + system) / 1_000);
    if (elapsedMs < windowMs) return;
    delayMs = elapsedMs / ticks - tickMs;
    heapBytes = process.memoryUsage().heapUsed;
    ticks = elapsedMs = 0;
  }, tickMs).unref();
  return { delayMs: () => delayMs, heapBytes: () => heapBytes, stop: () => clearInterval(timer) };
}
