import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../tests/support/createTestFolder.ts";
import { type RunningProgram, runDevProgram, startDevProgram } from "../../tests/support/runDevProgram.ts";
import { shortHistory } from "../../tests/support/startBuiltStack.ts";
import { rpcRequest } from "./chain/rpcRequest.ts";
import { type ChildRecord, readChildren } from "./process/childRecords.ts";
import { getFreePort } from "./process/getFreePort.ts";
import { processIdentity, waitForExit } from "./process/processIdentity.ts";
import type { DevFile } from "./stack/stackFolder.ts";
import { temporaryFolder } from "./stack/temporaryFolder.ts";

async function createEnvironment(parent = createTestFolder()) {
  const dir = join(parent, "state");
  const environment: Record<string, string> = { SLIPWAY_DIR: dir, PORT: String(await getFreePort()) };
  return { dir, environment };
}

type NamedStack = { dir: string; environment: Record<string, string>; ports: number[] };

/** Creates a folder, and finds three free ports: for the site, the chain, the database. */
async function createNamedStack(parent?: string): Promise<NamedStack> {
  const { dir, environment } = await createEnvironment(parent);
  const chain = await getFreePort();
  const database = await getFreePort();
  const named: Record<string, string> = {
    ...environment,
    CHAIN_PORT: String(chain),
    DATABASE_PORT: String(database),
  };
  return { dir, environment: named, ports: [Number(environment.PORT), chain, database] };
}

const devFile = (dir: string): DevFile => JSON.parse(readFileSync(join(dir, "dev.json"), "utf8"));
const running = (children: ChildRecord[]) => children.filter((c) => processIdentity(c.pid) === c.identity);
const height = async (url: string) => Number(await rpcRequest<string>(url, "eth_blockNumber"));

async function draftIds({ base_url, api_key }: DevFile): Promise<string[]> {
  const response = await fetch(`${base_url}/intents`, { headers: { authorization: `Bearer ${api_key}` } });
  const { items } = (await response.json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}

describe("npm start", () => {
  test("becomes ready, writes dev.json, stops everything on Ctrl-C, continues at the next start", async () => {
    const { dir, environment } = await createEnvironment();
    const first = runDevProgram("main", { ...environment, ...shortHistory });
    await first.waitForOutput("Slipway is ready in");
    const dev = devFile(dir);
    expect(statSync(join(dir, "dev.json")).mode & 0o777).toBe(0o600);
    expect((await fetch(`${dev.site_url}/readyz`)).status).toBe(200);
    expect(dev).toMatchObject({ chain_id: 46630, base_url: `${dev.site_url}/api/v1/launchpad` });
    expect(dev.wallets).toHaveLength(10);
    expect(dev.tokens).toHaveLength(3);
    for (const token of dev.tokens) expect((await fetch(`${dev.base_url}/tokens/${token}`)).status).toBe(200);
    // The account of the first wallet has a plan and credits, so that a person who imports the wallet sees all pages.
    const database = new pg.Client({ connectionString: dev.database_url });
    await database.connect();
    const readCredits = async () => {
      const { rows } = await database.query<{ credits: number }>(
        `select b.balance::float8 as credits from app.wallets w
         join app.plans p on p.account_id = w.user_id join app.credit_balances b on b.account_id = w.user_id
         where lower(w.address) = $1`,
        [dev.wallets[0]!.address.toLowerCase()],
      );
      return rows[0]?.credits;
    };
    await expect.poll(readCredits).toBe(1_000);
    await database.end();
    const drafts = await draftIds(dev);
    expect(drafts.length).toBeGreaterThanOrEqual(3);
    const children = readChildren(dir);
    expect(
      running(children)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["PostgreSQL", "chain", "server"]);
    const heightBefore = await height(dev.rpc_url);

    const second = runDevProgram("main", environment);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`already runs here (process ${first.pid})`);
    expect(existsSync(join(dir, "dev.json"))).toBe(true);

    const refused = runDevProgram("reset", environment);
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain("Stop it with Ctrl-C");

    first.child.kill("SIGINT");
    // npm passes the terminal's signal on a second time.
    first.child.kill("SIGINT");
    expect(await first.exited).toBe(0);
    expect(running(children)).toEqual([]);
    expect(existsSync(join(dir, "dev.json"))).toBe(false);

    const third = runDevProgram("main", environment);
    await third.waitForOutput("Slipway is ready in");
    const again = devFile(dir);
    expect(again).toEqual({ ...dev, database_url: again.database_url });
    expect(await draftIds(again)).toEqual(drafts);
    expect(await height(again.rpc_url)).toBeGreaterThanOrEqual(heightBefore);
  });

  test("stops before it is ready on SIGTERM", async () => {
    const { dir, environment } = await createEnvironment();
    const stack = runDevProgram("main", environment);
    await stack.waitForOutput("Slipway's server");
    const children = readChildren(dir);
    stack.child.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
    expect(stack.output()).toContain("Stopped before it was ready");
    expect(running(children)).toEqual([]);
    expect(running(readChildren(dir))).toEqual([]);
  });

  test("deletes a stale dev.json first, and reports a taken port with advice", async () => {
    const { dir, environment } = await createEnvironment();
    mkdirSync(dir);
    writeFileSync(join(dir, "README.txt"), "");
    writeFileSync(join(dir, "dev.json"), "{}");
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(environment.PORT), "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const stack = runDevProgram("main", environment);
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toMatch(/PORT: port \d+ on 127\.0\.0\.1 is taken by process \d+.*\n.*PORT=\d+ npm start/);
    expect(existsSync(join(dir, "dev.json"))).toBe(false);
    expect(readChildren(dir)).toEqual([]);
  });

  test.each(["CHAIN_PORT", "DATABASE_PORT"])("names %s and the process when its port is taken", async (name) => {
    const { dir, environment } = await createNamedStack();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(environment[name]), "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const stack = runDevProgram("main", environment);
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toMatch(
      new RegExp(
        `${name}: port \\d+ on 127\\.0\\.0\\.1 is taken by process ${process.pid} .*\n.*${name}=\\d+ npm start`,
      ),
    );
    expect(readChildren(dir)).toEqual([]);
  });

  test("prints advice if a killed stack has left its record", async () => {
    const { dir, environment } = await createEnvironment();
    mkdirSync(dir);
    writeFileSync(join(dir, "dev.json"), "{}");
    const demo = runDevProgram("demo", environment);
    expect([await demo.exited, demo.output()]).toEqual([1, expect.stringContaining("No local stack is running here")]);
  });

  test("shows its options and settings with --help and starts nothing", async () => {
    const { dir, environment } = await createEnvironment();
    const help = runDevProgram("main", environment, ["--help"]);
    expect(await help.exited).toBe(0);
    expect(help.output()).toContain("npm start -- --no-demo");
    for (const name of ["PORT", "CHAIN_PORT", "DATABASE_PORT", "HOST", "SLIPWAY_DIR", "DATABASE_URL"]) {
      expect(help.output()).toMatch(new RegExp(`^ +${name}\\b`, "m"));
    }
    expect(existsSync(dir)).toBe(false);
  });

  test("names the missing settings of the four", async () => {
    const { environment } = await createEnvironment();
    const stack = runDevProgram("main", { ...environment, RPC_URL: "http://127.0.0.1:1" });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toContain("RPC_URL is set but DATABASE_URL, MANIFEST_PATH, MANIFEST_SHA256 are not");
  });
});

describe("npm start -- --no-demo", () => {
  const folder = temporaryFolder();
  /** The stack that the tests share, one after the other. */
  let first: NamedStack;
  let stack: RunningProgram;
  let dev: DevFile;
  beforeAll(async () => {
    first = await createNamedStack(folder.path);
    stack = startDevProgram("main", first.environment, ["--no-demo"]);
    await stack.waitForOutput("Slipway is ready in");
    dev = devFile(first.dir);
  });
  afterAll(async () => {
    await stack?.end();
    folder.remove();
  });

  test("runs beside another stack with configured ports and folder; demo and reset use the right stack", async () => {
    const second = await createNamedStack();
    const other = runDevProgram("main", second.environment, ["--no-demo"]);
    await other.waitForOutput("Slipway is ready in");
    for (const { dir, ports } of [first, second]) {
      const { site_url, rpc_url, database_url } = devFile(dir);
      expect([site_url, rpc_url, database_url].map((url) => Number(new URL(url).port))).toEqual(ports);
    }

    // Demo and reset get no ports: dev.json of the running stack contains them.
    const heightBefore = await height(dev.rpc_url);
    const drafts = await draftIds(dev);
    const demo = runDevProgram("demo", { SLIPWAY_DIR: second.dir });
    expect(await demo.exited, demo.output()).toBe(0);
    expect(demo.output()).toContain("Every step done");
    expect(demo.output()).toContain("This stack has none: it was started with --no-demo.");
    expect((await draftIds(devFile(second.dir))).length).toBeGreaterThan(0);
    expect(await draftIds(dev)).toEqual(drafts);
    expect(await height(dev.rpc_url)).toBeGreaterThanOrEqual(heightBefore);

    const refused = runDevProgram("reset", { SLIPWAY_DIR: second.dir });
    expect(await refused.exited).toBe(1);
    other.child.kill("SIGINT");
    expect(await other.exited).toBe(0);
    const gone = runDevProgram("demo", { SLIPWAY_DIR: second.dir });
    expect([await gone.exited, gone.output()]).toEqual([1, expect.stringContaining("No local stack is running here")]);
    expect(await runDevProgram("reset", { SLIPWAY_DIR: second.dir }).exited).toBe(0);
    expect(existsSync(second.dir)).toBe(false);
    expect(await readyStatus(dev.site_url)).toBe(200);
  });

  test("restarts a killed server without loss", async () => {
    expect(dev.tokens).toEqual([]);
    const server = readChildren(first.dir).find(({ name }) => name === "server") as ChildRecord;
    process.kill(server.pid, "SIGKILL");
    await stack.waitForOutput("the server runs again");
    await expect.poll(() => readyStatus(dev.site_url)).toBe(200);
    expect(await draftIds(dev)).toEqual([]);
  });

  test("with the four settings serves an external chain and starts no other process", async () => {
    const port = String(await getFreePort());
    const elsewhere = join(createTestFolder(), "none");
    const external = {
      SLIPWAY_DIR: elsewhere,
      PORT: port,
      DATABASE_URL: dev.database_url,
      RPC_URL: dev.rpc_url,
      MANIFEST_PATH: dev.manifest.path,
      MANIFEST_SHA256: dev.manifest.sha256,
    };
    const own = runDevProgram("main", { ...external, ROLES: "api" });
    await expect.poll(() => readyStatus(`http://127.0.0.1:${port}`)).toBe(200);
    expect(existsSync(elsewhere)).toBe(false);
    own.child.kill("SIGTERM");
    expect(await own.exited).toBe(0);
    expect(own.output()).toContain("Site");
    expect(await readyStatus(dev.site_url)).toBe(200);

    // Only the API serves the site.
    const worker = runDevProgram("main", { ...external, ROLES: "worker", METRICS_PORT: "0" });
    await worker.waitForOutput("metrics listening");
    expect(worker.output()).not.toContain("Site");
    worker.child.kill("SIGTERM");
    await worker.exited;
  });

  test("leaves no child after kill -9, and continues at the next start", async () => {
    const children = readChildren(first.dir);
    stack.child.kill("SIGKILL");
    const again = runDevProgram("main", first.environment, ["--no-demo"]);
    await again.waitForOutput("Slipway is ready in");
    for (const child of children) expect(await waitForExit(child.pid, 0)).toBe(true);
    expect(devFile(first.dir).manifest).toEqual(dev.manifest);
  });
});

async function readyStatus(siteUrl: string): Promise<number> {
  return fetch(`${siteUrl}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}
