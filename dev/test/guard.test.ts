import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { endLeftovers, recordChild } from "../src/process/childRecords.ts";
import { waitForExit } from "../src/process/processIdentity.ts";
import { testFolder } from "./support/testFolder.ts";

const holdGround = fileURLToPath(new URL("support/holdGround.ts", import.meta.url));

describe("watchOver", { timeout: 60_000 }, () => {
  test("ends database and chain when the process that started them is killed", async () => {
    const dir = testFolder();
    const holder = spawn(process.execPath, [holdGround, dir], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(holder.stdout, "data");
    const pids = JSON.parse(String(line)) as number[];
    writeFileSync(join(dir, "dev.json"), "{}");
    holder.kill("SIGKILL");
    const ended = await Promise.all(pids.map((pid) => waitForExit(pid, 50_000)));
    expect(ended).toEqual([true, true]);
    // The chain saved its state on the way out.
    expect(existsSync(join(dir, "chain.json"))).toBe(true);
    await expect.poll(() => existsSync(join(dir, "dev.json")), { timeout: 30_000 }).toBe(false);
  });
});

describe("endLeftovers", () => {
  test("leaves a process alone that merely has the pid of a former child", async () => {
    const dir = testFolder();
    writeFileSync(
      join(dir, "children.json"),
      JSON.stringify([
        { name: "server", pid: process.pid, identity: "of another run", endSignal: "SIGTERM", endOrder: 1 },
      ]),
    );
    expect(await endLeftovers(dir)).toEqual([]);
  });

  test("kills a child that does not listen", async () => {
    const dir = testFolder();
    const deaf = spawn(
      process.execPath,
      ["-e", "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 999)"],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(deaf.stdout, "data");
    const exited = once(deaf, "exit");
    recordChild(dir, { name: "deaf", pid: deaf.pid as number, endSignal: "SIGTERM", endOrder: 1 });
    expect(await endLeftovers(dir, 300)).toEqual(["deaf"]);
    await exited;
    expect(deaf.signalCode).toBe("SIGKILL");
  });
});
