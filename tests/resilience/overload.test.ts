import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { unlimited } from "../support/conformance/unlimited.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

/** The guards of a production server. */
const production = { RATE_LIMIT_STORE_TIMEOUT_MS: "", MAX_HEAP_BYTES: "", MAX_EVENT_LOOP_DELAY_MS: "" };
const connections = 2;
/** The time that each draft takes in the database, so that the database is the bottleneck. */
const draftSeconds = 0.2;
const intervalMs = (draftSeconds * 1_000) / connections / 4;

let servers: ApiServers;
let keys: string[];

beforeAll(async () => {
  servers = await openApiServers();
  await servers.pool.query(`
    create function app.delay_draft() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${draftSeconds}); return new; end $$;
    create trigger delay_draft before insert on app.intents for each row execute function app.delay_draft()`);
  keys = await Promise.all(Array.from({ length: 200 }, async () => (await servers.newKey()).apiKey));
});
afterAll(() => servers?.close());

type Answer = { status: number; code: string | undefined; retryAfter: string | null; startedAt: number; ms: number };
let stored = 0;

/** Stores a draft for one of many accounts: drafts of one account wait for each other. */
async function store(server: ApiServer): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(`${server.base}/intents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys[++stored % keys.length]}`,
      "content-type": "application/json",
      "idempotency-key": `idempotency-key-${stored}`,
    },
    body: JSON.stringify({ name: "Kite", symbol: "KITE", image_uri: "ipfs://bafy", chain_id: 46630 }),
  });
  const body = (await response.json()) as { error?: { code: string } };
  const ms = performance.now() - startedAt;
  const retryAfter = response.headers.get("retry-after");
  return { status: response.status, code: body.error?.code, retryAfter, startedAt, ms };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

it("refuses with 503 what arrives above the capacity, serves the rest in bounded time, loses none, and recovers", async () => {
  const calibrating = await servers.open({ ...unlimited, ...production, DATABASE_POOL_SIZE: String(connections) });
  const alone: number[] = [];
  for (let n = 0; n < 10; n++) alone.push((await store(calibrating)).ms);
  await calibrating.stop();
  const aloneMs = median(alone);
  const server = await servers.open({
    ...unlimited,
    ...production,
    DATABASE_POOL_SIZE: String(connections),
    MAX_DATABASE_WAIT_MS: String(Math.ceil(2 * aloneMs)),
  });

  // Four times as many as the database can store.
  const asked: Promise<Answer>[] = [];
  const served: Answer[] = [];
  let firstRefusalAt = Number.POSITIVE_INFINITY;
  const ask = async () => {
    const answer = await store(server);
    if (answer.status === 503) firstRefusalAt = Math.min(firstRefusalAt, performance.now());
    if (answer.status === 201) served.push(answer);
    return answer;
  };
  const arrivals = setInterval(() => asked.push(ask()), intervalMs);
  // The requests that arrived before the server began to shed load are answered by then.
  const settleMs = 50 * aloneMs;
  const listLasting = () => served.filter(({ startedAt }) => startedAt > firstRefusalAt + settleMs);
  const isOver = () => performance.now() - firstRefusalAt > 2 * settleMs && listLasting().length > 10;
  await vi.waitUntil(isOver, { timeout: 90_000, interval: 100 });
  clearInterval(arrivals);
  const answers = await Promise.all(asked);

  const refused = answers.filter(({ status }) => status !== 201);
  for (const { status, code, retryAfter } of refused) {
    expect([status, code]).toEqual([503, "overloaded"]);
    expect(retryAfter).toMatch(/^[1-9]\d*$/);
  }
  // An answer takes two connections, and two more if its credential and its limits are not in memory.
  const lasting = listLasting();
  expect(lasting.length).toBeGreaterThan(10);
  expect(median(lasting.map(({ ms }) => ms)) / aloneMs).toBeLessThan(40);

  await vi.waitFor(async () => expect((await store(server)).status).toBe(201), { timeout: 60_000, interval: 100 });
  const { rows } = await servers.pool.query<{ count: number }>("select count(*)::int as count from app.intents");
  expect(rows[0]!.count).toBe(alone.length + answers.length - refused.length + 1);
  await server.stop();
});
