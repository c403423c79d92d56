import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { raiseAlerts } from "@slipway/server/jobs/raiseAlerts";
import { createReadMetrics } from "@slipway/server/jobs/readMetrics";
import { sendMail } from "@slipway/server/jobs/sendMail";
import { startMarketJobs } from "@slipway/server/jobs/startMarketJobs";
import { writeRisk } from "@slipway/server/jobs/writeRisk";
import { createMailTransport } from "@slipway/server/providers/mail/createMailTransport";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { createReadApp } from "../server/readApp.ts";

/**
 * A process of the jobs from an exchange's bars to an alert's mail, for tests that kill it. Its settings are the server's;
 * its clock is ahead by what the parent sends, in milliseconds.
 */
let offsetMs = Number(process.argv[2]);
process.on("message", (message) => {
  offsetMs = message as number;
});
const clock = {
  now: () => Date.now() + offsetMs,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal),
};
const { PATH: _, ...environment } = process.env as Record<string, string>;
const config = parseConfig({ RPC_URL: "http://127.0.0.1:1", ...environment });
const db = openDatabase(config, pino({ level: "silent" }));
const { deps } = await createReadApp(db, { RPC_URL: "http://127.0.0.1:1", ...environment }, clock);
await startMarketJobs(deps);
// Here sleeps are deadlines, too.
writeRisk({ ...deps, clock: { now: clock.now, sleep: systemClock.sleep } });
raiseAlerts(deps, createReadMetrics(deps));
sendMail(deps, createMailTransport(config));
