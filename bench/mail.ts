import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { sendMail } from "@slipway/server/features/alerts/mail/sendMail";
import { createMetrics } from "@slipway/server/metrics";
import { createMailTransport } from "@slipway/server/providers/mail/createMailTransport";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { SMTPServer } from "smtp-server";
import { openTestDatabase } from "../tests/support/database/openTestDatabase.ts";
import { printGoals } from "./quant/goals.ts";

const mails = 1_000;

/**
 * `npm run bench -- mail`: the time of the job for a thousand queued mails, over a real SMTP server of this process.
 */
const received = new Set<string>();
let count = 0;
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  disableReverseLookup: true,
  logger: false,
  onData: (stream, session, done) => {
    stream.on("data", () => undefined);
    stream.on("end", () => {
      count++;
      received.add(session.envelope.rcptTo[0]!.address);
      done();
    });
  },
});
server.listen(0, "127.0.0.1");
await once(server.server, "listening");
const { url, drop } = await openTestDatabase();
const config = parseConfig({
  DATABASE_URL: url,
  RPC_URL: "http://127.0.0.1:9",
  SITE_URL: "https://slipway.example",
  MAIL_POLL_MS: "10",
  MAIL_FROM: "alerts@slipway.example",
  ALERT_SECRET: "x".repeat(32),
  SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
});
const log = pino({ level: "silent" });
const db = openDatabase(config, log);
await db.api.query(
  `insert into app.mail (id, dedupe_key, kind, address_id, address, address_hash, content)
   select gen_random_uuid(), n::text, 'alert', gen_random_uuid(), 'user' || n || '@example.com', '', $1
   from generate_series(1, ${mails}) n`,
  [{ pair: "BTC_USDT", rule: { metric: "risk_score", op: "above", value: 80 }, reading: 81, bar: 1_700_000_000 }],
);
const startedAt = performance.now();
const job = sendMail({ config, db, log, clock: systemClock, metrics: createMetrics() }, createMailTransport(config));
const countLeft = async () =>
  (await db.api.query<{ n: number }>("select count(*)::int as n from app.mail where state = 'queued'")).rows[0]!.n;
while ((await countLeft()) > 0) await systemClock.sleep(20);
const seconds = (performance.now() - startedAt) / 1_000;
await job.stop();
await db.close();
await drop();
server.close();
process.exitCode = printGoals([
  { name: "seconds for 1,000 mails", value: seconds, high: 5 },
  { name: "mails received", value: count, low: mails, high: mails },
  { name: "addresses that received one", value: received.size, low: mails, high: mails },
]);
