import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { rpcRequest } from "../src/chain/rpcRequest.ts";
import { freePort } from "../src/process/freePort.ts";
import { type ChildRecord, readChildren } from "../src/process/childRecords.ts";
import { processIdentity, waitForExit } from "../src/process/processIdentity.ts";
import type { DevFile } from "../src/stack/devFile.ts";
import { runProgram } from "./support/runProgram.ts";
import { testFolder } from "./support/testFolder.ts";

async function place(): Promise<{ dir: string; environment: Record<string, string> }> {
  const dir = join(testFolder(), "state");
  return { dir, environment: { SLIPWAY_DIR: dir, PORT: String(await freePort()) } };
}

const devFile = (dir: string): DevFile => JSON.parse(readFileSync(join(dir, "dev.json"), "utf8"));
const running = (children: ChildRecord[]) => children.filter((c) => processIdentity(c.pid) === c.identity);
const height = async (url: string) => Number(await rpcRequest<string>(url, "eth_blockNumber"));

async function draftIds({ base_url, api_key }: DevFile): Promise<string[]> {
  const response = await fetch(`${base_url}/intents`, { headers: { authorization: `Bearer ${api_key}` } });
  const { items } = (await response.json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}

describe("npm start", { timeout: 180_000 }, () => {
  test("reaches ready, describes itself in dev.json, stops everything on Ctrl-C, continues at the next start", async () => {
    const { dir, environment } = await place();
    const first = runProgram("main", environment);
    await first.said("Slipway is ready in");
    const dev = devFile(dir);
    expect(statSync(join(dir, "dev.json")).mode & 0o777).toBe(0o600);
    expect((await fetch(`${dev.site_url}/readyz`)).status).toBe(200);
    expect(dev).toMatchObject({ chain_id: 46630, base_url: `${dev.site_url}/api/v1/launchpad` });
    expect(dev.wallets).toHaveLength(10);
    expect(dev.tokens).toHaveLength(3);
    for (const token of dev.tokens) expect((await fetch(`${dev.base_url}/tokens/${token}`)).status).toBe(200);
    const drafts = await draftIds(dev);
    expect(drafts.length).toBeGreaterThanOrEqual(3);
    const children = readChildren(dir);
    expect(
      running(children)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["PostgreSQL", "chain", "server"]);
    const heightBefore = await height(dev.rpc_url);

    const second = runProgram("main", environment);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`already runs here (process ${first.pid})`);
    expect(existsSync(join(dir, "dev.json"))).toBe(true);

    const refused = runProgram("reset", environment);
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain("Stop it with Ctrl-C");

    first.child.kill("SIGINT");
    // npm passes the terminal's signal on a second time.
    first.child.kill("SIGINT");
    expect(await first.exited).toBe(0);
    expect(running(children)).toEqual([]);
    expect(existsSync(join(dir, "dev.json"))).toBe(false);

    const third = runProgram("main", environment);
    await third.said("Slipway is ready in");
    const again = devFile(dir);
    expect(again).toEqual({ ...dev, database_url: again.database_url });
    expect(await draftIds(again)).toEqual(drafts);
    expect(await height(again.rpc_url)).toBeGreaterThanOrEqual(heightBefore);
  });

  test("starts a killed server again and loses nothing", async () => {
    const { dir, environment } = await place();
    const stack = runProgram("main", environment, ["--no-demo"]);
    await stack.said("Slipway is ready in");
    const dev = devFile(dir);
    expect(dev.tokens).toEqual([]);
    const server = readChildren(dir).find(({ name }) => name === "server") as ChildRecord;
    process.kill(server.pid, "SIGKILL");
    await stack.said("the server runs again");
    await expect.poll(() => readyStatus(dev.site_url), { timeout: 30_000 }).toBe(200);
    expect(await draftIds(dev)).toEqual([]);
  });

  test("after kill -9 leaves no child, and the next start continues", async () => {
    const { dir, environment } = await place();
    const first = runProgram("main", environment, ["--no-demo"]);
    await first.said("Slipway is ready in");
    const children = readChildren(dir);
    const { manifest } = devFile(dir);
    first.child.kill("SIGKILL");
    const second = runProgram("main", environment, ["--no-demo"]);
    await second.said("Slipway is ready in");
    for (const child of children) expect(await waitForExit(child.pid, 0)).toBe(true);
    expect(devFile(dir).manifest).toEqual(manifest);
  });

  test("stops before it is ready when asked to", async () => {
    const { dir, environment } = await place();
    const stack = runProgram("main", environment);
    await stack.said("Slipway's server");
    const children = readChildren(dir);
    stack.child.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
    expect(stack.output()).toContain("Stopped before it was ready");
    expect(running(children)).toEqual([]);
    expect(running(readChildren(dir))).toEqual([]);
  });

  test("deletes a stale dev.json before anything else, and says who may have the port", async () => {
    const { dir, environment } = await place();
    mkdirSync(dir);
    writeFileSync(join(dir, "README.txt"), "");
    writeFileSync(join(dir, "dev.json"), "{}");
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(Number(environment.PORT), "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const stack = runProgram("main", environment);
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toMatch(/Port \d+ on 127\.0\.0\.1 is taken.*\n.*PORT=\d+ npm start/);
    expect(existsSync(join(dir, "dev.json"))).toBe(false);
    expect(readChildren(dir)).toEqual([]);
  });

  test("serves a chain of your own with the four settings, starting nothing of its own", async () => {
    const { dir, environment } = await place();
    const stack = runProgram("main", environment, ["--no-demo"]);
    await stack.said("Slipway is ready in");
    const dev = devFile(dir);
    const port = String(await freePort());
    const elsewhere = join(testFolder(), "none");
    const own = runProgram("main", {
      SLIPWAY_DIR: elsewhere,
      PORT: port,
      DATABASE_URL: dev.database_url,
      RPC_URL: dev.rpc_url,
      MANIFEST_PATH: dev.manifest.path,
      MANIFEST_SHA256: dev.manifest.sha256,
      ROLES: "api",
    });
    await expect.poll(() => readyStatus(`http://127.0.0.1:${port}`), { timeout: 30_000 }).toBe(200);
    expect(existsSync(elsewhere)).toBe(false);
    own.child.kill("SIGTERM");
    expect(await own.exited).toBe(0);
    expect(await readyStatus(dev.site_url)).toBe(200);
  });

  test("names what is missing of the four settings", async () => {
    const { environment } = await place();
    const stack = runProgram("main", { ...environment, RPC_URL: "http://127.0.0.1:1" });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toContain("RPC_URL is set but DATABASE_URL, MANIFEST_PATH, MANIFEST_SHA256 are not");
  });
});

async function readyStatus(siteUrl: string): Promise<number> {
  return fetch(`${siteUrl}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}
