import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { createObserver } from "@slipway/server/observer/createObserver";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../support/database/openTestDatabase.ts";
import { startMain } from "../support/security/startMain.ts";
import { withoutLimits } from "../support/security/startTestStack.ts";
import { startAnvil } from "../support/startAnvil.ts";

type Value = { stringValue?: string; intValue?: number };
type ReceivedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: Value }[];
};

/** Starts an OTLP receiver over HTTP. */
async function startReceiver() {
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(Buffer.concat(parts).toString());
      headers.push({ ...request.headers, path: request.url });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  type Export = { resourceSpans: { resource: unknown; scopeSpans: { spans: ReceivedSpan[] }[] }[] };
  const exports = () => bodies.map((body) => JSON.parse(body) as Export);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    resources: () => exports().flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource)),
    spans: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  };
}

const getAttributes = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

const planted = { key: "planted-rpc-key-0123456789", bearer: "slip_planted_bearer_0123456789", query: "plantedneedle" };

test("C4-90 traces of requests and jobs contain statements and RPC calls, and no secret or value of a request", async () => {
  const [receiver, database, chain] = await Promise.all([startReceiver(), openTestDatabase(), startAnvil()]);
  onTestFinished(() => database.drop());
  onTestFinished(() => chain.stop());
  const server = await startMain(() => ({
    DATABASE_URL: database.url,
    RPC_URL: `${chain.url}/?key=${planted.key}`,
    ...withoutLimits,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=collector",
    OTEL_SERVICE_NAME: "slipway-test",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  }));
  onTestFinished(() => server.kill());
  await fetch(`${server.siteUrl}/readyz`);
  const headers = { authorization: `Bearer ${planted.bearer}`, "x-forwarded-for": "192.0.2.77" };
  await fetch(`${server.siteUrl}/api/v1/launchpad/directory?q=${planted.query}`, { headers });
  await fetch(`${server.siteUrl}/api/v1/launchpad/intents`, { headers });

  const find = (name: string) => receiver.spans().find((span) => span.name === name);
  const directory = "GET /api/v1/launchpad/directory";
  await expect.poll(() => [find("GET /readyz"), find(directory)].every((span) => span !== undefined)).toBe(true);
  await expect.poll(() => receiver.spans().some(({ name }) => name.startsWith("job "))).toBe(true);

  const ready = find("GET /readyz")!;
  expect(ready.kind).toBe(2);
  expect(ready.status.code).toBe(2);
  expect(getAttributes(ready)).toMatchObject({ "http.route": "/readyz", "http.response.status_code": 503 });
  const childrenOf = (parent: ReceivedSpan) => receiver.spans().filter((span) => span.parentSpanId === parent.spanId);
  const rpc = childrenOf(ready).find(({ name }) => name === "rpc eth_chainId")!;
  expect(rpc.traceId).toBe(ready.traceId);
  expect(getAttributes(rpc)).toMatchObject({
    "rpc.method": "eth_chainId",
    "server.address": new URL(chain.url).host,
  });
  const statements = childrenOf(find(directory)!).filter(({ name }) => name === "sql select");
  expect(statements.map((span) => getAttributes(span)["db.query.text"]).join()).toContain("$1");

  expect(receiver.headers[0]).toMatchObject({ path: "/v1/traces", "x-collector-key": "collector" });
  expect(JSON.stringify(receiver.resources())).toContain("slipway-test");
  const password = new URL(database.url).password;
  const all = receiver.bodies.join();
  for (const secret of [...Object.values(planted), password, "192.0.2.77"]) expect(all).not.toContain(secret);

  // The spans of the last moment are sent before the process ends.
  const sent = receiver.bodies.length;
  await fetch(`${server.siteUrl}/healthz`);
  await server.stop();
  expect(receiver.bodies.length).toBeGreaterThan(sent);
  expect(find("GET /healthz")).toBeDefined();
});

test("C4-91 the log of slow statements has duration, rows, request and text, and no value", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.drop());
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const observer = createObserver({ spans: null, slowQueryMs: 30, log, nowMs: () => performance.now() });
  const config = parseConfig({ DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:9", DATABASE_POOL_SIZE: "2" });
  const db = openDatabase(config, log, observer);
  onTestFinished(() => db.close());
  const runAs = (id: string, work: () => Promise<unknown>) =>
    new Promise<void>((resolve) => {
      observer.startRequest({ id, method: "GET" }).run(
        () =>
          void work().then(
            () => resolve(),
            () => resolve(),
          ),
      );
    });
  const slow = "select pg_sleep(0.05), $1::text as value, 'planted literal' as text";
  // There are more requests than connections: each request keeps its id, whichever request releases its connection.
  const ids = ["a", "b", "c", "d", "e"];
  await Promise.all(ids.map((id) => runAs(id, () => db.read.query(slow, ["planted value"]))));
  await runAs("f", () => db.read.query("select 1"));
  await runAs("g", () =>
    db.read.query("select 1 / (n - $1::int) from generate_series(1, 60) n, lateral pg_sleep(0.002 + n * 0)", [50]),
  );

  const events = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "slow query");
  expect(new Set(events.map(({ requestId }) => requestId))).toEqual(new Set([...ids, "g"]));
  expect(events).toHaveLength(ids.length + 1);
  expect(events[0]).toMatchObject({
    pool: "read",
    rows: 1,
    statement: "select pg_sleep(0.05), $1::text as value, '?' as text",
  });
  expect(events[0].durationMs).toBeGreaterThanOrEqual(30);
  expect(events.at(-1)).toMatchObject({ rows: null, code: "22012" });
  expect(lines.join()).not.toContain("planted");
});

test("without an endpoint for traces, no part of OpenTelemetry is loaded, and statements are not measured", async () => {
  const { openObserver } = await import("@slipway/server/observer/openObserver");
  const config = parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:9" });
  const log = pino({ level: "silent" });
  expect(await openObserver(config, log, systemClock)).toBeUndefined();
  const disabled = { ...config, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: true };
  expect(await openObserver(disabled, log, systemClock)).toBeUndefined();
  expect(await openObserver({ ...config, SLOW_QUERY_MS: 1 }, log, systemClock)).toBeDefined();
});
