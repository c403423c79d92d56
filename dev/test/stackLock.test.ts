import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { stackLockHolder, takeStackLock } from "../src/stack/stackLock.ts";
import { testFolder } from "./support/testFolder.ts";

const program = fileURLToPath(new URL("support/takeLock.ts", import.meta.url));

function contender(path: string) {
  const child = spawn(process.execPath, [program, path], { stdio: ["pipe", "pipe", "inherit"] });
  const said = once(child.stdout, "data").then(([line]) => String(line).trim());
  return { child, said };
}

describe("takeStackLock", { timeout: 30_000 }, () => {
  test("refuses a second holder and names the first", async () => {
    const path = join(testFolder(), "lock.json");
    const first = contender(path);
    expect(await first.said).toBe("taken");
    expect(() => takeStackLock(path)).toThrow(`already runs here (process ${first.child.pid})`);
    first.child.kill("SIGKILL");
  });

  test("takes over the lock of a process that was killed", async () => {
    const path = join(testFolder(), "lock.json");
    const first = contender(path);
    await first.said;
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const release = takeStackLock(path);
    expect(stackLockHolder(path)).toBe(process.pid);
    release();
    expect(existsSync(path)).toBe(false);
  });

  test("lets one of eight in that find a dead lock at once", async () => {
    const path = join(testFolder(), "lock.json");
    writeFileSync(path, JSON.stringify({ pid: 999_999_999, identity: "gone" }));
    const all = Array.from({ length: 8 }, () => contender(path));
    const said = await Promise.all(all.map((one) => one.said));
    expect(said.filter((text) => text === "taken")).toHaveLength(1);
    for (const { child } of all) child.kill("SIGKILL");
  });

  test("takes over a lock file that holds nothing readable", () => {
    const path = join(testFolder(), "lock.json");
    writeFileSync(path, "");
    takeStackLock(path)();
  });
});
