import { randomUUID } from "node:crypto";
import type { Clock } from "@slipway/server/clock";
import { parseConfig } from "@slipway/server/config";
import type { createDeps } from "@slipway/server/deps";
import { sendMail } from "@slipway/server/features/alerts/mail/sendMail";
import { type MetricReading, raiseAlerts } from "@slipway/server/features/alerts/raiseAlerts";
import { deliverWebhooks } from "@slipway/server/features/webhooks/deliverWebhooks";
import { mailEvents } from "@slipway/server/features/webhooks/mailEvents";
import type { Job } from "@slipway/server/job";
import { createMailTransport } from "@slipway/server/providers/mail/createMailTransport";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { createSubscriber } from "../security/createSubscriber.ts";
import { createReadApp, type ReadApp } from "../server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../server/readDatabase.ts";
import { clear } from "../server/rows.ts";
import { type SmtpTestServer, startSmtp } from "./startSmtp.ts";

export type Answer = { status: number; body: any; headers: Record<string, any>; text: string };
type Sent = { key?: string; body?: unknown; headers?: Record<string, string> };

/** The secret that signs tickets in these tests. */
export const alertSecret = "an alert secret of 32 characters";

/** A rule that fires above 80. */
export const above80 = { metric: "risk_score", op: "above", value: 80 } as const;

/** Hours in the format of bars. */
export const hour = (number: number) => 1_700_000_000 - (1_700_000_000 % 3_600) + number * 3_600;

/** A server, a mail server and the jobs of alerts, with empty tables for each test. */
export function useAlerts() {
  let database: ReadDatabase;
  let smtp: SmtpTestServer;
  let read: ReadApp;
  const jobs: Job[] = [];
  const time = { offsetMs: 0 };
  const clock: Clock = {
    now: () => Date.now() + time.offsetMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.min(ms, 25));
        const end = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener("abort", end, { once: true });
      }),
  };
  /** The newest reading of each pair. */
  const readings = new Map<string, MetricReading>();

  beforeAll(async () => {
    database = await startReadDatabase();
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    time.offsetMs = 0;
    readings.clear();
    await clear(database.db);
    await database.db.indexer.query("insert into app.webhook_cursor (position, epoch) values (0, 1)");
    smtp = await startSmtp();
    read = await createReadApp(database.db, alerts.settings(), clock);
  });
  afterEach(async () => {
    await Promise.all(jobs.splice(0).map((job) => job.stop()));
    await read?.app.close();
    await smtp?.close();
  });

  const send = async (method: string, path: string, { key, body, headers = {} }: Sent = {}): Promise<Answer> => {
    const answer = await read.app.inject({
      method: method as "GET",
      url: path,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { payload: body as object }),
    });
    const isJson = String(answer.headers["content-type"]).startsWith("application/json") && answer.body !== "";
    return {
      status: answer.statusCode,
      body: isJson ? answer.json() : undefined,
      headers: answer.headers,
      text: answer.body,
    };
  };

  const alerts = {
    get smtp() {
      return smtp;
    },
    get database() {
      return database;
    },
    get read() {
      return read;
    },
    readings,
    send,
    settings: (): Record<string, string> => ({
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: "Slipway <alerts@slipway.example>",
      ALERT_SECRET: alertSecret,
      SITE_URL: "https://slipway.example",
      MAIL_POLL_MS: "10",
      ALERT_POLL_MS: "10",
    }),
    query: async <R extends object = any>(sql: string, values: unknown[] = []) =>
      (await database.db.indexer.query<R>(sql, values)).rows,

    /** A new account with a plan. */
    newOwner: async ({ plan = true } = {}) => await createSubscriber(database.db, { plan }),

    /** Creates an alert. */
    set: (key: string, change: object = {}, idempotencyKey: string = randomUUID()) =>
      send("POST", "/api/alerts", {
        key,
        body: { email: "ada@example.com", pair: "BTC_USDT", rule: above80, ...change },
        headers: { "idempotency-key": idempotencyKey },
      }),
    list: async (key: string) => (await send("GET", "/api/alerts", { key })).body.items,
    /** Returns the state of the only alert of an account. */
    status: async (key: string) => (await alerts.list(key))[0]?.status,

    /** Starts a worker that sends mails. */
    startSending: (settings: Record<string, string> = {}) => {
      const base = { DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" };
      const config = parseConfig({ ...base, ...alerts.settings(), ...settings });
      const job = sendMail({ ...read.deps, config, clock }, createMailTransport(config));
      jobs.push(job);
      return job;
    },
    /** Starts a worker that queues the events of alerts. */
    startMatching: () => {
      const config = { ...read.deps.config, WEBHOOK_POLL_MS: 10 };
      const untrustedFetch = () => Promise.reject(new Error("an alert has no endpoint"));
      jobs.push(deliverWebhooks({ ...read.deps, config, clock }, untrustedFetch));
    },
    /** Starts a worker that joins queued events to mails. */
    startMailingEvents: () => {
      jobs.push(mailEvents({ ...read.deps, clock }));
    },
    /** Starts a worker that evaluates alerts. */
    startRaising: (deps: Partial<ReturnType<typeof createDeps>> = {}) => {
      const job = raiseAlerts({ ...read.deps, ...deps, clock }, [async () => [...readings.values()]]);
      jobs.push(job);
      return job;
    },
    /** Advances the time of the jobs and of due times. */
    pass: (ms: number) => {
      time.offsetMs += ms;
    },
    /** Sets a reading at the close of a bar. */
    know: (bar: number, score: number, { pair = "BTC_USDT", isFresh = true } = {}) => {
      readings.set(pair, { pair, bar: hour(bar), isFresh, values: { risk_score: score } });
    },
    untilJudged: async (bar: number) =>
      await expect
        .poll(async () =>
          (await alerts.query("select judged_bar::float8 as bar from app.alerts")).map((row) => row.bar),
        )
        .toEqual(expect.arrayContaining([hour(bar)])),
    untilReceived: async (count: number) => await expect.poll(() => smtp.received.length).toBe(count),

    /** Confirms the address of an account's alerts without the mail. */
    confirmAll: async () => await alerts.query("update app.alert_addresses set confirmed_at = now()"),
  };
  return alerts;
}

/** Returns the ticket of a mail's link to a page. */
export const findTicket = (raw: string, page: "confirm" | "unsubscribe"): string =>
  new RegExp(`/alerts/${page}#([A-Za-z0-9_-]+)`).exec(raw)?.[1] ?? "";
