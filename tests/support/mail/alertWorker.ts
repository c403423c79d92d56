import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { sendMail } from "@slipway/server/features/alerts/mail/sendMail";
import { raiseAlerts } from "@slipway/server/features/alerts/raiseAlerts";
import { startMarketJobs } from "@slipway/server/features/markets/startMarketJobs";
import { createReadRiskMetrics } from "@slipway/server/features/risk/readRiskMetrics";
import { writeRisk } from "@slipway/server/features/risk/writeRisk";
import { createReadSignalMetrics } from "@slipway/server/features/signals/readSignalMetrics";
import { createMailTransport } from "@slipway/server/providers/mail/createMailTransport";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { createReadApp } from "../server/readApp.ts";

/**
 * A process with the jobs from an exchange's bars to an alert's mail, for tests that kill it. It uses the server's
 * settings; its clock is ahead by the milliseconds that the parent sends.
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
// Sleeps are also used as deadlines here.
writeRisk({ ...deps, clock: { now: clock.now, sleep: systemClock.sleep } });
raiseAlerts(deps, [createReadSignalMetrics(deps), createReadRiskMetrics(deps)]);
sendMail(deps, createMailTransport(config));
