import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../../tests/support/database/startReplicatedPostgres.ts";
import { runProgram } from "../../../tests/support/runProgram.ts";
import { startAnvil } from "../../../tests/support/startAnvil.ts";
import { diagnose } from "./diagnose.ts";
import { systemClock } from "./systemClock.ts";

let servers: ReplicatedPostgres;
let chain: Awaited<ReturnType<typeof startAnvil>>;
beforeAll(async () => {
  [servers, chain] = await Promise.all([startReplicatedPostgres(), startAnvil()]);
});
afterAll(async () => {
  await Promise.all([servers?.stop(), chain?.stop()]);
});

function createSettings(change: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: servers.urls.primary,
    DATABASE_READ_URL: servers.urls.replica,
    RPC_URL: chain.url,
    PORT: "0",
    DATA_DIR: createTestFolder(),
    ...change,
  };
}

const examine = async (change: Record<string, string> = {}, clock = systemClock) => {
  const findings = await diagnose(createSettings(change), clock);
  expect(JSON.stringify(findings)).not.toContain(new URL(servers.urls.primary).password);
  return findings;
};
const pick = (findings: Awaited<ReturnType<typeof diagnose>>, check: string) =>
  findings.filter((finding) => finding.check === check).map(({ level, text }) => `${level}: ${text}`);

test("a deployment that can start has no problem", async () => {
  const findings = await examine();
  expect(findings.filter(({ level }) => level === "problem")).toEqual([]);
  expect(pick(findings, "database")).toEqual([expect.stringMatching(/^ok: PostgreSQL 18.*; migrated$/)]);
  expect(pick(findings, "replica")).toEqual([
    expect.stringMatching(/^ok: 127\.0\.0\.1:\d+ lacks \d+ kB of the primary's changes$/),
  ]);
  expect(pick(findings, "clock")).toEqual(["ok: equals the database's clock"]);
  expect(pick(findings, "chain")).toEqual([
    expect.stringMatching(/^ok: endpoint 1 \(127\.0\.0\.1:\d+\): block \d+/),
    expect.stringMatching("^warning: every endpoint of RPC_URL has one host"),
  ]);
  expect(pick(findings, "manifest")).toEqual([expect.stringMatching("^warning: no manifest is configured")]);
  expect(pick(findings, "roles")).toEqual([expect.stringMatching("^warning: .*set DATABASE_API_URL")]);
  expect(pick(findings, "ports")).toEqual([expect.stringMatching(/^ok: PORT: \d+ at 127\.0\.0\.1 is free$/)]);
  expect(pick(findings, "disk")).toEqual([expect.stringMatching(/^ok: \d+ MiB are free at /)]);
});

test("a history engine that does not answer is a problem, and its password is not shown", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as { port: number };
  closed.close();
  await once(closed, "close");
  const findings = await examine({ HISTORY_URL: `http://slipway:hunter2@127.0.0.1:${port}/slipway` });
  expect(pick(findings, "history")).toEqual([
    "problem: the history engine cannot be reached (ECONNREFUSED); correct HISTORY_URL, or start the engine",
  ]);
});

test("invalid settings are reported without further checks", async () => {
  const findings = await examine({ PORT: "many", ROLES: "cook" });
  expect(findings.map(({ check, level }) => [check, level])).toEqual([
    ["settings", "problem"],
    ["settings", "problem"],
  ]);
});

test("each part that fails has its own finding with a remedy", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const wrong = new URL(servers.urls.primary);
  wrong.password = "wrong-password";
  const findings = await examine({
    PORT: String(port),
    DATABASE_URL: wrong.href,
    DATABASE_READ_URL: "postgres://someone:hidden@127.0.0.1:1/x",
    RPC_URL: "http://127.0.0.1:9",
    CHAIN_ID: "5",
    MEDIA_MIN_FREE_BYTES: String(2 ** 50),
  });
  expect(pick(findings, "database")).toEqual([
    expect.stringMatching("^problem: DATABASE_URL: .* refuses the password"),
  ]);
  expect(pick(findings, "replica")).toEqual([expect.stringMatching("^problem: DATABASE_READ_URL: .* does not answer")]);
  expect(pick(findings, "chain")).toContainEqual(expect.stringMatching("^problem: endpoint 1 .* does not respond"));
  expect(pick(findings, "ports")).toEqual([expect.stringMatching("^warning: PORT: .* is in use")]);
  expect(pick(findings, "disk")).toEqual([expect.stringMatching("^problem: .*uploads are refused")]);
  expect(JSON.stringify(findings)).not.toMatch(/wrong-password|hidden/);
});

test("another chain, a replica that is none, and a clock that differs are problems or warnings", async () => {
  expect(pick(await examine({ CHAIN_ID: "5" }), "chain")).toContainEqual(
    expect.stringMatching("^problem: CHAIN_ID: is 5, but endpoint 0 of RPC_URL serves chain"),
  );
  const self = await examine({ DATABASE_READ_URL: servers.urls.primary });
  expect(pick(self, "replica")).toEqual([expect.stringMatching("^warning: .*is no replica")]);
  for (const offsetMs of [-10_000, 10_000]) {
    const findings = await examine({}, { ...systemClock, now: () => Date.now() + offsetMs });
    expect(pick(findings, "clock")).toEqual([expect.stringMatching(/^problem: differs by (9\.\d|10\.\d) s .*chrony/)]);
  }
});

test("the command prints the findings, and exits with 1 if one is a problem", async () => {
  const program = fileURLToPath(new URL("./doctorCommand.ts", import.meta.url));
  const run = (env: Record<string, string>) => runProgram(program, [], { env });
  const healthy = await run(createSettings());
  expect(healthy).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok {7}database: PostgreSQL/m) });
  const broken = await run({ RPC_URL: chain.url });
  expect(broken).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^PROBLEM {2}settings: DATABASE_URL: is not set/m),
  });
});
