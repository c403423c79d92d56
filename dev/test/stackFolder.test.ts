import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reset } from "../src/reset.ts";
import { createStackFolder, examineStackFolder, type StackFolder, stackFolder } from "../src/stack/stackFolder.ts";
import { takeStackLock } from "../src/stack/stackLock.ts";
import { testFolder } from "./support/testFolder.ts";

function completeFolder(): StackFolder {
  const folder = stackFolder(join(testFolder(), "state"));
  createStackFolder(folder);
  mkdirSync(folder.postgresData);
  for (const path of [folder.chainState, folder.manifest, folder.setupDone]) writeFileSync(path, "{}");
  return folder;
}

describe("examineStackFolder", () => {
  test("knows a new folder and a complete one", () => {
    const folder = stackFolder(join(testFolder(), "state"));
    createStackFolder(folder);
    expect(examineStackFolder(folder)).toBe("new");
    expect(examineStackFolder(completeFolder())).toBe("complete");
  });

  test("clears a first start that did not finish", () => {
    const folder = completeFolder();
    rmSync(folder.setupDone);
    expect(examineStackFolder(folder)).toBe("unfinished");
    expect([folder.chainState, folder.postgresData, folder.manifest].filter(existsSync)).toEqual([]);
  });

  test.each(["chainState", "manifest"] as const)("refuses a folder without its %s and names the file", (part) => {
    const folder = completeFolder();
    rmSync(folder[part]);
    expect(() => examineStackFolder(folder)).toThrow(folder[part]);
  });

  test("goes on without a database, which the chain can rebuild", () => {
    const folder = completeFolder();
    rmSync(folder.postgresData, { recursive: true });
    expect(examineStackFolder(folder)).toBe("without-database");
  });
});

describe("createStackFolder", () => {
  test("makes it readable for its owner only", () => {
    expect(statSync(completeFolder().dir).mode & 0o777).toBe(0o700);
  });

  test("says so when a file is in the way", () => {
    const path = join(testFolder(), "state");
    writeFileSync(path, "");
    expect(() => createStackFolder(stackFolder(path))).toThrow("cannot be used");
  });
});

describe("reset", () => {
  test("deletes the folder and says what it deleted", async () => {
    const folder = completeFolder();
    const said: string[] = [];
    await reset(folder.dir, (text) => said.push(text));
    expect(existsSync(folder.dir)).toBe(false);
    expect(said.join("")).toContain(`Deleted ${folder.dir}`);
  });

  test("refuses while a stack runs", async () => {
    const folder = completeFolder();
    const release = takeStackLock(folder.lock);
    await expect(reset(folder.dir, () => undefined)).rejects.toThrow(`is running (process ${process.pid})`);
    expect(existsSync(folder.dir)).toBe(true);
    release();
  });

  test("does not touch a folder that no stack has made", async () => {
    const path = testFolder();
    writeFileSync(join(path, "thesis.txt"), "");
    await expect(reset(path, () => undefined)).rejects.toThrow("no Slipway stack has made");
    expect(() => createStackFolder(stackFolder(path))).toThrow("no Slipway stack has made");
    expect(existsSync(join(path, "thesis.txt"))).toBe(true);
  });

  test("says that there is nothing to reset", async () => {
    const said: string[] = [];
    await reset(join(testFolder(), "none"), (text) => said.push(text));
    expect(said.join("")).toContain("Nothing to reset");
  });
});
