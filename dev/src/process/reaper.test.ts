import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { repositoryRoot } from "../stack/stackFolder.ts";
import { endOrphans, recordChild } from "./childRecords.ts";
import { waitForExit } from "./processIdentity.ts";

/** Starts a program in each folder, prints the pids, and runs until it is killed. KILL_REAPER: kills its reaper in between. */
const holdPrograms = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startReaper } from "./dev/src/process/reaper.ts";
import { spawnChild } from "./dev/src/process/spawnChild.ts";

const pids = [];
for (const dir of process.argv.slice(1)) {
  const program = { name: "sleep", endSignal: "SIGTERM", endOrder: 1, command: "sleep", args: ["600"] };
  pids.push((await spawnChild({ dir, logPath: join(dir, "log"), ...program })).pid);
  if (process.env.KILL_REAPER === undefined || pids.length > 1) continue;
  const readPid = () => JSON.parse(readFileSync(join(dir, "reaper.json"), "utf8")).pid;
  const killed = readPid();
  process.kill(killed, "SIGKILL");
  for (; readPid() === killed; await sleep(20)) startReaper(dir);
}
process.stdout.write(JSON.stringify(pids));
`;

const holdInfrastructure = fileURLToPath(new URL("../../../tests/support/holdInfrastructure.ts", import.meta.url));

describe("startReaper", () => {
  test("ends database and chain when the process that started them is killed", async () => {
    const dir = createTestFolder();
    const holder = spawn(process.execPath, [holdInfrastructure, dir], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(holder.stdout, "data");
    const pids = JSON.parse(String(line)) as number[];
    writeFileSync(join(dir, "dev.json"), "{}");
    holder.kill("SIGKILL");
    const ended = await Promise.all(pids.map((pid) => waitForExit(pid, 60_000)));
    expect(ended).toEqual([true, true]);
    // The chain saved its state before it ended.
    expect(existsSync(join(dir, "chain.json"))).toBe(true);
    await expect.poll(() => existsSync(join(dir, "dev.json"))).toBe(false);
  });

  test.each([
    ["starts one reaper for all folders of a process, which ends the children of each", {}],
    ["replaces a reaper that has ended, for all folders", { KILL_REAPER: "true" }],
  ])("%s", async (_, environment) => {
    const folders = [createTestFolder(), createTestFolder()];
    const args = ["--input-type=module", "--eval", holdPrograms, ...folders];
    const env = { ...process.env, ...environment };
    const holder = spawn(process.execPath, args, { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "inherit"] });
    const [printed] = await once(holder.stdout, "data");
    const reapers = folders.map(
      (dir) => (JSON.parse(readFileSync(join(dir, "reaper.json"), "utf8")) as { pid: number }).pid,
    );
    expect(reapers[0]).toBe(reapers[1]);
    holder.kill("SIGKILL");
    for (const pid of [...(JSON.parse(String(printed)) as number[]), reapers[0]!])
      expect(await waitForExit(pid, 60_000)).toBe(true);
  });
});

describe("endOrphans", () => {
  test("does not end another process that has the pid of a former child", async () => {
    const dir = createTestFolder();
    writeFileSync(
      join(dir, "children.json"),
      JSON.stringify([
        { name: "server", pid: process.pid, identity: "of another run", endSignal: "SIGTERM", endOrder: 1 },
      ]),
    );
    expect(await endOrphans(dir)).toEqual([]);
  });

  test("kills a child that ignores its end signal", async () => {
    const dir = createTestFolder();
    const stubborn = spawn(
      process.execPath,
      ["-e", "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 999)"],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(stubborn.stdout, "data");
    const exited = once(stubborn, "exit");
    recordChild(dir, { name: "stubborn", pid: stubborn.pid as number, endSignal: "SIGTERM", endOrder: 1 });
    expect(await endOrphans(dir, 300)).toEqual(["stubborn"]);
    await exited;
    expect(stubborn.signalCode).toBe("SIGKILL");
  });
});
