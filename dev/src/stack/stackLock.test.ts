import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { readStackLockHolder, takeStackLock } from "./stackLock.ts";

const program = fileURLToPath(new URL("../../../tests/support/holdStackLock.ts", import.meta.url));

function contender(path: string) {
  const child = spawn(process.execPath, [program, path], { stdio: ["pipe", "pipe", "inherit"] });
  const output = once(child.stdout, "data").then(([line]) => String(line).trim());
  return { child, output };
}

describe("takeStackLock", () => {
  test("rejects a second holder and names the first one", async () => {
    const path = join(createTestFolder(), "lock.json");
    const first = contender(path);
    expect(await first.output).toBe("taken");
    await expect(takeStackLock(path)).rejects.toThrow(`already runs here (process ${first.child.pid})`);
    first.child.kill("SIGKILL");
  });

  test("takes over the lock of a process that was killed", async () => {
    const path = join(createTestFolder(), "lock.json");
    const first = contender(path);
    await first.output;
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const release = await takeStackLock(path);
    expect(readStackLockHolder(path)).toBe(process.pid);
    release();
    expect(existsSync(path)).toBe(false);
  });

  test("grants a lock whose holder has ended to one of eight contenders", async () => {
    const path = join(createTestFolder(), "lock.json");
    writeFileSync(path, JSON.stringify({ pid: 999_999_999, identity: "gone" }));
    const all = Array.from({ length: 8 }, () => contender(path));
    const outputs = await Promise.all(all.map((one) => one.output));
    expect(outputs.filter((text) => text === "taken")).toHaveLength(1);
    for (const { child } of all) child.kill("SIGKILL");
  });

  test("takes over a lock file with unreadable content", async () => {
    const path = join(createTestFolder(), "lock.json");
    writeFileSync(path, "");
    const release = await takeStackLock(path);
    release();
  });
});
