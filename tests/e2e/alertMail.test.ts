import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type LocalExchange, startExchange } from "@slipway/dev/exchange/startExchange";
import { afterEach, beforeEach, expect, test } from "vitest";
import { reply } from "../support/mail/startSmtp.ts";
import { findTicket, useAlerts } from "../support/mail/useAlerts.ts";

const workerProgram = fileURLToPath(new URL("../support/mail/alertWorker.ts", import.meta.url));
const pairs = { BTC_USDT: { start: 42_000, hourlyMove: 0.0045, volume: 900 } };
/** A fall to three tenths of the price crosses this threshold at any price. */
const rule = { metric: "drawdown", op: "below", value: -0.6 } as const;
const hourMs = 3_600_000;
const leaseMs = 200_000;

const alerts = useAlerts();
let exchange: LocalExchange;
let worker: ChildProcess | null = null;
let offsetMs = 0;
const now = () => Date.now() + offsetMs;

const startWorker = () => {
  const settings = {
    ...alerts.settings(),
    DATABASE_URL: alerts.database.url,
    MARKETS: "BTC_USDT=binance:BTC/USDT",
    MARKETS_EXCHANGE_URL: exchange.url,
    MARKET_HISTORY_DAYS: "10",
    MARKETS_POLL_MS: "20",
    TEST_LOG: process.env.TEST_LOG ?? "silent",
  };
  worker = fork(workerProgram, [String(offsetMs)], { env: { PATH: process.env.PATH, ...settings }, stdio: "inherit" });
};
const pass = (ms: number) => {
  offsetMs += ms;
  alerts.pass(ms);
  worker?.send(offsetMs);
};
/** Returns the last bar for which the only rule was evaluated, and its state. */
const readRule = async () =>
  (
    await alerts.query<{ bar: number | null; state: string }>("select judged_bar::float8 as bar, state from app.alerts")
  )[0]!;
const currentHour = () => Math.floor(now() / hourMs) * 3600;
const untilJudged = async (state: string) =>
  await expect.poll(readRule, { timeout: 240_000 }).toEqual({ bar: currentHour(), state });
const received = (subject: RegExp) => alerts.smtp.received.filter((mail) => subject.test(mail.subject));
const untilReceived = async (subject: RegExp) =>
  await expect.poll(() => received(subject).length, { timeout: 120_000 }).toBe(1);

beforeEach(async () => {
  offsetMs = 0;
  exchange = await startExchange({ pairs, now });
});
afterEach(async () => {
  if (worker !== null && worker.exitCode === null && worker.signalCode === null) {
    worker.kill("SIGKILL");
    await once(worker, "exit");
  }
  await exchange.stop();
});

test("C9-38 an alert goes from an exchange's bars to its mail once, although its worker is killed while it sends it", async () => {
  const { key } = await alerts.newOwner();
  expect((await alerts.set(key, { rule })).status).toBe(201);
  startWorker();
  await untilReceived(/confirm/i);
  const ticket = findTicket(alerts.smtp.received[0]!.raw, "confirm");
  expect((await alerts.send("POST", "/api/alerts/confirm", { body: { ticket } })).status).toBe(200);
  // The history exists, and caused no crossing.
  await untilJudged("armed");

  // A lower price is accepted when a second bar confirms it.
  const from = currentHour();
  exchange.setFault({ kind: "scaled", factor: 0.3, from, count: 1_000 });
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const { promise: killed, resolve: release } = Promise.withResolvers<void>();
  alerts.smtp.behaviour.afterData = async () => {
    hold();
    await killed;
    return reply(451, "try again");
  };
  pass(hourMs);
  pass(hourMs);
  await held;
  worker!.kill("SIGKILL");
  await once(worker!, "exit");
  release();
  const rows = () => alerts.query("select state, attempts from app.mail where kind = 'alert'");
  expect([await rows(), await readRule(), received(/drawdown/i).length]).toEqual([
    [{ state: "queued", attempts: 1 }],
    { bar: currentHour(), state: "fired" },
    0,
  ]);

  alerts.smtp.behaviour.afterData = () => null;
  startWorker();
  // The claim of the killed process ends with its lease.
  pass(leaseMs);
  await untilReceived(/drawdown/i);
  pass(hourMs);
  await untilJudged("fired");
  await expect.poll(rows).toEqual([{ state: "sent", attempts: 2 }]);
  const [mail, ...others] = received(/drawdown/i);
  expect(others).toEqual([]);
  expect(mail!.to).toBe("ada@example.com");
  expect(mail!.raw).toMatch(/BTC_USDT: drawdown below -0\.6: it is -0\.[67]\d* since /);

  const link = /List-Unsubscribe:\s+<https:\/\/slipway\.example(\/api\/alerts\/unsubscribe\/[\w-]+)>/.exec(
    mail!.raw,
  )![1]!;
  const body = "List-Unsubscribe=One-Click";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  expect((await alerts.send("POST", link, { headers, body })).status).toBe(200);
  expect(await alerts.list(key)).toEqual([]);
}, 600_000);
