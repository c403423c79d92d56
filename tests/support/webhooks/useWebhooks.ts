import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@slipway/server/clock";
import type { Config } from "@slipway/server/config";
import { deliverWebhooks } from "@slipway/server/features/webhooks/deliverWebhooks";
import type { Job } from "@slipway/server/job";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import { systemClock } from "@slipway/server/systemClock";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { createSubscriber } from "../security/createSubscriber.ts";
import { startUntrustedServer, type UntrustedServer } from "../security/untrustedServer.ts";
import { createReadApp, type ReadApp } from "../server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../server/readDatabase.ts";
import { clear } from "../server/rows.ts";
import { signInSettings } from "../server/signIn.ts";

/** A request that the receiver got. */
export type Received = { path: string; id: string; headers: Record<string, string>; body: string; message: any };

type Sent = { key?: string; body?: unknown; headers?: Record<string, string> };

/** Settings of the server and of its jobs. */
export const webhookSettings = { ...signInSettings, WEBHOOK_POLL_MS: "10", WRITE_LIMIT_PER_SECOND: "100000" };

/** The subject of all launches. */
export const launches = { kind: "launches" } as const;

/** A server, a receiver of messages and the jobs of webhooks, with empty tables for each test. */
export function useWebhooks() {
  let database: ReadDatabase;
  let read: ReadApp;
  let receiver: UntrustedServer;
  const jobs: Job[] = [];
  const time = { offsetMs: 0 };
  const clock: Clock = {
    now: () => Date.now() + time.offsetMs,
    sleep: systemClock.sleep,
  };

  beforeAll(async () => {
    database = await startReadDatabase();
    receiver = await startUntrustedServer((request, response) => {
      void readRequest(request).then((received) => {
        hooks.received.push(received);
        hooks.answer(received, response);
      });
    });
  });
  afterAll(async () => {
    await receiver?.close();
    await database?.stop();
  });
  beforeEach(async () => {
    time.offsetMs = 0;
    hooks.received.length = 0;
    hooks.answer = (_, response) => response.writeHead(204).end();
    await clear(database.db);
    await database.db.indexer.query("insert into app.webhook_cursor (position, epoch) values (0, 1)");
    read = await createReadApp(database.db, webhookSettings, clock);
  });
  afterEach(async () => {
    await Promise.all(jobs.splice(0).map((job) => job.stop()));
    await read?.app.close();
  });

  const send = async (method: string, path: string, { key, body, headers = {} }: Sent = {}) => {
    const answer = await read.app.inject({
      method: method as "GET",
      url: path,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { payload: body as object }),
    });
    return { status: answer.statusCode, body: answer.body === "" ? undefined : answer.json(), text: answer.body };
  };
  const query = async <R extends object = any>(sql: string, values: unknown[] = []) =>
    (await database.db.indexer.query<R>(sql, values)).rows;

  const hooks = {
    get database() {
      return database;
    },
    get read() {
      return read;
    },
    get receiver() {
      return receiver;
    },
    /** The requests of the receiver, in the order of their arrival. */
    received: [] as Received[],
    /** The answer of the receiver; 204 by default. */
    answer: ((_, response) => response.writeHead(204).end()) as (
      received: Received,
      response: ServerResponse,
    ) => unknown,
    send,
    query,
    newOwner: async ({ plan = true } = {}) => await createSubscriber(database.db, { plan }),
    create: (key: string, change: object = {}, idempotencyKey: string = randomUUID()) =>
      send("POST", "/api/webhooks", {
        key,
        body: { url: "https://hooks.example/in", subject: launches, ...change },
        headers: { "idempotency-key": idempotencyKey },
      }),
    /** Creates a webhook of a subject whose messages go to a path of the receiver. */
    subscribe: async (key: string, subject: object = launches, path = "/"): Promise<{ id: string; secret: string }> => {
      const { status, body } = await hooks.create(key, { subject });
      expect(status).toBe(201);
      await query("update app.webhooks set url = $2, host = 'documents.example' where id = $1", [
        body.id,
        receiver.url(path),
      ]);
      return body;
    },
    list: async (key: string) => (await send("GET", "/api/webhooks", { key })).body.items,
    deliveries: async (key: string, id: string) =>
      (await send("GET", `/api/webhooks/${id}/deliveries`, { key })).body.items,

    /** Starts a worker that may connect to the receiver. @param settings - Replace those of the server. */
    start: (settings: Partial<Config> = {}) => {
      const untrustedFetch = createUntrustedFetch({
        clock,
        addressPolicy: ({ address, port }) => address === "127.0.0.2" && port === receiver.port,
        resolve: async () => ["127.0.0.2"],
        ca: receiver.ca,
      });
      const job = deliverWebhooks(
        { ...read.deps, clock, config: { ...read.deps.config, ...settings } },
        untrustedFetch,
      );
      jobs.push(job);
      return job;
    },
    /** Advances the time of the jobs. */
    pass: (ms: number) => {
      time.offsetMs += ms;
    },
    untilReceived: async (count: number) => await expect.poll(() => hooks.received.length).toBe(count),
    /** Waits until the common cursor has reached the newest row of the outbox. */
    untilMatched: async () =>
      await expect
        .poll(
          async () =>
            (
              await query(
                `select position = (select coalesce(max(id), 0) from chain.outbox) and not exists (
                   select from app.webhooks where state = 'enabled' and cursor is not null) as done from app.webhook_cursor`,
              )
            )[0].done,
          { timeout: 20_000 },
        )
        .toBe(true),
  };
  return hooks;
}

export async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  const headers = request.headers as Record<string, string>;
  return { path: request.url!, id: headers["webhook-id"]!, headers, body, message: JSON.parse(body) };
}

/** Verifies a request with the reference library of Standard Webhooks. */
export const verify = (secret: string, { headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, headers);

/** Returns the signature that the reference library makes for a request, whatever the time. */
export const sign = (secret: string, { headers, body, id }: Received): string =>
  new Webhook(secret).sign(id, new Date(Number(headers["webhook-timestamp"]) * 1_000), body);
