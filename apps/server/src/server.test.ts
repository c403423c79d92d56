import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { openTestDatabase } from "../../../tests/support/database/openTestDatabase.ts";
import { getProgram } from "../../../tests/support/getProgram.ts";
import { programEnvironment } from "../../../tests/support/programEnvironment.ts";
import { type ReadDatabase, startReadDatabase } from "../../../tests/support/server/readDatabase.ts";
import { testManifest } from "../../../tests/support/server/testManifest.ts";

let program: string;
let database: ReadDatabase;
beforeAll(async () => {
  program = await getProgram("server");
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

type Running = { child: ChildProcess; output: () => string; exited: Promise<number | null> };

function start(env: Record<string, string>): Running {
  const child = spawn(process.execPath, [program], { env: { ...programEnvironment, ...env }, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  return { child, output: () => output, exited: once(child, "exit").then(([code]) => code as number | null) };
}

/** A key of a new account, created as an operator does. */
async function createKey(): Promise<string> {
  const accounts = fileURLToPath(new URL("./accountsCommand.ts", import.meta.url));
  const env = { ...programEnvironment, DATABASE_URL: database.url };
  const { stdout } = await promisify(execFile)(process.execPath, [accounts, "create", "--name", "A", "--json"], {
    env,
  });
  return JSON.parse(stdout).api_key;
}

const settings = () => ({
  DATABASE_URL: database.url,
  RPC_URL: "http://127.0.0.1:1",
  PORT: "0",
  ROLES: "api",
  SHUTDOWN_TIMEOUT_MS: "100000",
});

/** The time after which a wait counts as a hang; a busy machine needs seconds at most. */
const hangTimeout = { timeout: 90_000, interval: 25 };

async function waitForPort({ output }: Running): Promise<number> {
  return await vi.waitFor(() => {
    const port = /"port":(\d+)/.exec(output())?.[1];
    if (port === undefined) throw new Error(`no port:\n${output()}`);
    return Number(port);
  }, hangTimeout);
}

describe("the server program", { timeout: 180_000 }, () => {
  it("exits with 78 and every problem when its configuration cannot be used", async () => {
    const run = start({ PORT: "x", DATABASE_URL: "mysql://a:hunter2@b/c" });
    expect(await run.exited).toBe(78);
    expect(run.output()).toMatch(/PORT/);
    expect(run.output()).toMatch(/RPC_URL/);
    expect(run.output()).not.toContain("hunter2");
  });

  it("exits with 78 and every problem of its manifest and its chain", async () => {
    const rpc = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => {
        const calls = [JSON.parse(text)].flat() as { id: number }[];
        response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x7" }))));
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void rpc.close());
    await once(rpc, "listening");
    const RPC_URL = `http://127.0.0.1:1, http://:hunter2@127.0.0.1:${(rpc.address() as AddressInfo).port}`;
    const run = start({
      ...settings(),
      RPC_URL,
      CHAIN_ID: "46630",
      MANIFEST_PATH: program,
      MANIFEST_SHA256: "ab".repeat(32),
    });
    expect(await run.exited).toBe(78);
    expect(run.output()).toMatch(/^ {2}MANIFEST_SHA256: the manifest's SHA-256 is [0-9a-f]{64}, pinned is (ab){32}/m);
    expect(run.output()).toMatch(/^ {2}CHAIN_ID: is 46630, but endpoint 1 of RPC_URL serves chain 7/m);
    expect(run.output()).not.toContain("hunter2");

    const text = JSON.stringify(testManifest);
    const MANIFEST_PATH = join(createTestFolder(), "manifest.json");
    writeFileSync(MANIFEST_PATH, text);
    const MANIFEST_SHA256 = createHash("sha256").update(text).digest("hex");
    const other = start({ ...settings(), MANIFEST_PATH, MANIFEST_SHA256, CHAIN_ID: "4663" });
    expect(await other.exited).toBe(78);
    expect(other.output()).toMatch(/^ {2}CHAIN_ID: is 4663, but the manifest is for chain 46630/m);
  });

  it("exits with 69 and a message when its database cannot be reached", async () => {
    const run = start({ ...settings(), DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" });
    expect(await run.exited).toBe(69);
    expect(run.output()).toMatch(/^DATABASE_URL: the database at 127\.0\.0\.1:1 does not answer .*ECONNREFUSED/m);
    expect(run.output()).not.toContain("hunter2");
  });

  it("exits with 69 when its port is taken", async () => {
    const port = await waitForPort(start(settings()));
    const second = start({ ...settings(), PORT: String(port) });
    expect(await second.exited).toBe(69);
    expect(second.output()).toMatch(`PORT: ${port} at 127.0.0.1 is taken by another program (EADDRINUSE); stop it`);
  });

  it.each(["worker", "indexer"])(
    "C4-57 serves metrics and liveness at a port of their own, on loopback, in the role %s",
    async (role) => {
      const run = start({ ...settings(), ROLES: role, METRICS_PORT: "0" });
      const { host, port } = await vi.waitFor(() => {
        const line = run
          .output()
          .split("\n")
          .find((text) => text.includes("metrics listening"));
        return JSON.parse(line!) as { host: string; port: number };
      }, hangTimeout);
      expect(host).toBe("127.0.0.1");
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining("# HELP slipway_mails_total "),
      ]);
      const alive = await fetch(`http://127.0.0.1:${port}/healthz`);
      expect([alive.status, await alive.json()]).toEqual([200, { status: "alive" }]);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(404);
      const second = start({ ...settings(), METRICS_PORT: String(port) });
      expect(await second.exited).toBe(69);
      expect(second.output()).toMatch(`METRICS_PORT: ${port} at 127.0.0.1 is taken by another program`);
    },
  );

  it("exits with 78 when its host is not an address of this machine", async () => {
    // TEST-NET-3 (RFC 5737).
    const run = start({ ...settings(), HOST: "203.0.113.9" });
    expect(await run.exited).toBe(78);
    expect(run.output()).toMatch(/^ {2}HOST: 203\.0\.113\.9 is no address of this machine \(EADDRNOTAVAIL\)/m);
  });

  it("exits with 78 when its database belongs to another application", async () => {
    const other = await openTestDatabase();
    onTestFinished(other.drop);
    const client = new pg.Client({ connectionString: other.url });
    await client.connect();
    await client.query("drop table public.slipway_migrations");
    await client.end();
    const run = start({ ...settings(), DATABASE_URL: other.url });
    expect(await run.exited).toBe(78);
    expect(run.output()).toMatch(/^ {2}DATABASE_URL: the database has the schema app and chain but no table/m);
    expect(run.output()).not.toContain(new URL(other.url).password);
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "finishes a request in progress at %s, refuses new ones, and exits with 0",
    async (signal) => {
      const key = await createKey();
      const run = start(settings());
      const port = await waitForPort(run);
      const body = JSON.stringify({ name: "A", symbol: "A", image_uri: "ipfs://bafy", chain_id: 46630 });
      const socket = connect(port, "127.0.0.1");
      let answer = "";
      socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
      const head = ["POST /api/v1/launchpad/intents HTTP/1.1", "host: x", `authorization: Bearer ${key}`];
      head.push("content-type: application/json", `idempotency-key: stop-${signal}`, `content-length: ${body.length}`);
      // The server announces with this response that it has read the head.
      head.push("expect: 100-continue");
      socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
      await vi.waitFor(() => expect(answer).toMatch(/^HTTP\/1\.1 100 /), hangTimeout);
      run.child.kill(signal);
      // Within SHUTDOWN_TIMEOUT_MS.
      await vi.waitFor(
        async () => await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow(),
        hangTimeout,
      );
      socket.write(body.slice(10));
      expect(await run.exited).toBe(0);
      expect(answer).toMatch(/^HTTP\/1\.1 201 /m);
      expect(run.output()).toMatch(/"msg":"stopped"/);
    },
  );

  it("never logs a key, neither from a header nor from a refused URL", async () => {
    const run = start({ ...settings(), LOG_LEVEL: "trace" });
    const root = `http://127.0.0.1:${await waitForPort(run)}`;
    const canary = "slip_CANARY0000000000000000000000000000000000000";
    await fetch(`${root}/api/v1/launchpad/intents`, { headers: { authorization: `Bearer ${canary}`, cookie: canary } });
    await fetch(`${root}/api/v1/launchpad/tokens?api_key=${canary}`);
    await fetch(`${root}/${canary}`);
    await fetch(`${root}/api/v1/launchpad/intents`, {
      method: "POST",
      body: canary,
      headers: { "content-type": canary },
    });
    await vi.waitFor(() => expect(run.output().match(/"msg":"request completed"/g)).toHaveLength(4), hangTimeout);
    run.child.kill("SIGTERM");
    await run.exited;
    expect(run.output()).not.toContain("CANARY");
  });
});
