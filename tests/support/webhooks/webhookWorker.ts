import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { openDatabase } from "@slipway/server/db/database";
import { deliverWebhooks } from "@slipway/server/features/webhooks/deliverWebhooks";
import { createMetrics } from "@slipway/server/metrics";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import { systemClock } from "@slipway/server/systemClock";
import pg from "pg";
import { pino } from "pino";

/**
 * A process that runs only the jobs of webhooks, for tests that kill it: it kills itself before its query or request
 * number KILL_AT. Its time runs SPEED times as fast since START_MS. 127.0.0.2 acts as the public internet.
 */
const { KILL_AT = "", OUTSIDE_CA = "", OUTSIDE_PORT = "", SPEED = "1", START_MS = "0", ...env } = process.env;
const startMs = Number(START_MS);
const speed = Number(SPEED);
const clock = {
  now: () => startMs + (Date.now() - startMs) * speed,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / speed, signal),
};

let steps = 0;
function step(): void {
  if (++steps === Number(KILL_AT)) process.kill(process.pid, "SIGKILL");
}
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
  step();
  return (query as (...all: unknown[]) => unknown).apply(this, parameters);
} as typeof query;

const { DATABASE_URL, AUTH_SECRET } = env;
const config = parseConfig({ RPC_URL: "http://127.0.0.1:1", WEBHOOK_POLL_MS: "200", DATABASE_URL, AUTH_SECRET });
const log = pino({ level: process.env.TEST_LOG ?? "silent" });
const untrustedFetch = createUntrustedFetch({
  clock,
  ca: OUTSIDE_CA,
  resolve: async () => ["127.0.0.2"],
  addressPolicy: ({ address, port }) => address === "127.0.0.2" && port === Number(OUTSIDE_PORT),
});
deliverWebhooks(
  { config, log, clock, ids: createIds(clock), db: openDatabase(config, log), metrics: createMetrics() },
  async (url, request) => {
    step();
    return await untrustedFetch(url, request);
  },
);
