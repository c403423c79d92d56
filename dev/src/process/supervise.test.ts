import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { waitForExit } from "./processIdentity.ts";
import { type Child, spawnChild } from "./spawnChild.ts";
import { supervise } from "./supervise.ts";

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

async function superviseProgram(source: string, options: { maxEarlyExits?: number; isFatal?: () => boolean } = {}) {
  const dir = createTestFolder();
  const start = program(dir, source);
  const reports: string[] = [];
  const supervised = supervise({
    name: "the program",
    first: await start(),
    restart: start,
    report: (text) => reports.push(text),
    logPath: join(dir, "program.log"),
    ...options,
  });
  onTestFinished(supervised.stop);
  return { supervised, reports };
}

describe("supervise", () => {
  test("restarts a killed child", async () => {
    const { supervised, reports } = await superviseProgram("setInterval(() => {}, 999)");
    const first = supervised.current().pid;
    process.kill(first, "SIGKILL");
    await expect.poll(() => supervised.current().pid).not.toBe(first);
    expect(reports.join("\n")).toMatch(/ended \(by SIGKILL\).*\n.*runs again/);
  });

  test("fails after repeated early exits with an error that names the log", async () => {
    const { supervised } = await superviseProgram("process.exit(3)", { maxEarlyExits: 3 });
    const failure = await supervised.failed;
    expect(failure.message).toBe("the program ended 3 times right after its start, last with code 3: not restarted.");
    expect(failure.whatToDo).toContain("program.log");
  });

  test("does not restart after a fatal exit", async () => {
    const { supervised, reports } = await superviseProgram("process.exit(78)", { isFatal: () => true });
    await supervised.failed;
    expect(reports).toEqual([]);
  });

  test("does not restart a stopped child", async () => {
    const { supervised, reports } = await superviseProgram("setInterval(() => {}, 999)");
    const { pid } = supervised.current();
    await supervised.stop();
    expect(await waitForExit(pid, 0)).toBe(true);
    expect(reports).toEqual([]);
  });
});
