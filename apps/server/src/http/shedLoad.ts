import underPressure from "@fastify/under-pressure";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";

/** Requests that wait for a connection of a pool, for each connection it has: more wait longer than they may. */
const waitingForEach = 20;
const poolCheckMs = 100;
/** Long enough that a single stall is no reason. */
const sampleMs = 2_000;

class Overloaded extends SlipwayError {
  constructor() {
    super("overloaded");
  }
}

/**
 * Answers 503 `overloaded` while the event loop lags, the heap is nearly full or too many requests wait for a database
 * connection, so that those that are served are served in time. What an operator's machinery asks is answered all the
 * same, and so are answers that are ready in memory: they cost less than a refusal.
 */
export async function shedLoad(app: FastifyInstance, deps: Deps): Promise<void> {
  const { config, db, metrics } = deps;
  const isWaitedFor = ({ waitingCount }: { waitingCount: number }) =>
    waitingCount > config.DATABASE_POOL_SIZE * waitingForEach;
  await app.register(underPressure, {
    maxEventLoopDelay: config.MAX_EVENT_LOOP_DELAY_MS,
    maxHeapUsedBytes: config.MAX_HEAP_BYTES,
    sampleInterval: sampleMs,
    healthCheck: async () => !isWaitedFor(db.api) && !isWaitedFor(db.read),
    healthCheckInterval: poolCheckMs,
    pressureHandler: (request, _reply, reason) => {
      if (request.routeOptions.config.neverShed) return;
      metrics.shedRequests.inc({ reason });
      throw new Overloaded();
    },
  });
}
