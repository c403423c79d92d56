import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { keepAlive } from "../src/process/keepAlive.ts";
import { waitForExit } from "../src/process/processIdentity.ts";
import { type Child, spawnChild } from "../src/process/spawnChild.ts";
import { testFolder } from "./support/testFolder.ts";

function program(dir: string, source: string): () => Promise<Child> {
  return () =>
    spawnChild({
      dir,
      name: "program",
      command: process.execPath,
      args: ["-e", source],
      logPath: join(dir, "program.log"),
      endSignal: "SIGTERM",
      endOrder: 1,
    });
}

async function kept(source: string, options: { maximumQuickDeaths?: number; isHopeless?: () => boolean } = {}) {
  const dir = testFolder();
  const start = program(dir, source);
  const said: string[] = [];
  const it = keepAlive({
    name: "the program",
    first: await start(),
    restart: start,
    report: (text) => said.push(text),
    logPath: join(dir, "program.log"),
    ...options,
  });
  onTestFinished(it.stop);
  return { it, said };
}

describe("keepAlive", { timeout: 30_000 }, () => {
  test("starts a killed child again", async () => {
    const { it, said } = await kept("setInterval(() => {}, 999)");
    const first = it.current().pid;
    process.kill(first, "SIGKILL");
    await expect.poll(() => it.current().pid, { timeout: 20_000 }).not.toBe(first);
    expect(said.join("\n")).toMatch(/ended \(by SIGKILL\).*\n.*runs again/);
  });

  test("gives up on one that dies again and again, and says where to look", async () => {
    const { it } = await kept("process.exit(3)", { maximumQuickDeaths: 3 });
    const failure = await it.failed;
    expect(failure.message).toBe("the program ended 3 times right after its start, last with code 3: given up.");
    expect(failure.whatToDo).toContain("program.log");
  });

  test("does not repeat a start that cannot succeed", async () => {
    const { it, said } = await kept("process.exit(78)", { isHopeless: () => true });
    await it.failed;
    expect(said).toEqual([]);
  });

  test("does not start again what was stopped", async () => {
    const { it, said } = await kept("setInterval(() => {}, 999)");
    const { pid } = it.current();
    await it.stop();
    expect(await waitForExit(pid, 0)).toBe(true);
    expect(said).toEqual([]);
  });
});
