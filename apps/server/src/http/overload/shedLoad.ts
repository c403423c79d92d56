import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import { startRunningTime } from "../../db/requestQueue.ts";
import type { Deps } from "../../deps.ts";

/** Long enough that a single stall does not exceed the limit. */
const windowMs = 2_000;

/**
 * Responds 503 `overloaded` while the event loop lags, the heap is nearly full, or requests arrive faster than the database
 * serves them, so that accepted requests are served in time. Operators' routes (`neverShed`) and cached responses are always
 * served: a cached response costs less than an error.
 */
export function shedLoad(app: FastifyInstance, { config, db, metrics }: Deps): void {
  const eventLoop = measureEventLoop();
  app.addHook("onClose", async () => eventLoop.stop());

  const findReason = (): "eventLoopDelay" | "heapUsedBytes" | "databaseQueue" | null => {
    const { MAX_EVENT_LOOP_DELAY_MS: maxDelayMs, MAX_HEAP_BYTES: maxHeapBytes } = config;
    if (maxDelayMs > 0 && eventLoop.delayMs() > maxDelayMs) return "eventLoopDelay";
    if (maxHeapBytes > 0 && eventLoop.heapBytes() > maxHeapBytes) return "heapUsedBytes";
    return db.isOverloaded() ? "databaseQueue" : null;
  };

  app.addHook("onRequest", async (request) => {
    if (request.routeOptions.config.neverShed) return;
    const reason = findReason();
    if (reason === null) return;
    metrics.shedRequests.inc({ reason });
    throw new SlipwayError("overloaded");
  });
}

/** Measures the mean delay of a timer and the size of the heap every two seconds of running time (`RunningTime`). */
function measureEventLoop() {
  let ticks = 0;
  let startedMs = 0;
  let delayMs = 0;
  let heapBytes = 0;
  const runningTime = startRunningTime((tickMs) => {
    ticks++;
    const elapsedMs = runningTime.nowMs() - startedMs;
    if (elapsedMs < windowMs) return;
    delayMs = elapsedMs / ticks - tickMs;
    heapBytes = process.memoryUsage().heapUsed;
    ticks = 0;
    startedMs = runningTime.nowMs();
  });
  return { delayMs: () => delayMs, heapBytes: () => heapBytes, stop: runningTime.stop };
}
