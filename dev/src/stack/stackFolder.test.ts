import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { reset } from "../reset.ts";
import { createStackFolder, inspectStackFolder, resolveStackFolder, type StackFolder } from "./stackFolder.ts";
import { takeStackLock } from "./stackLock.ts";

function completeFolder(): StackFolder {
  const folder = resolveStackFolder(join(createTestFolder(), "state"));
  createStackFolder(folder);
  mkdirSync(folder.postgresData);
  for (const path of [folder.chainState, folder.manifest, folder.setupDone]) writeFileSync(path, "{}");
  return folder;
}

describe("inspectStackFolder", () => {
  test("distinguishes a new folder from a complete one", () => {
    const folder = resolveStackFolder(join(createTestFolder(), "state"));
    createStackFolder(folder);
    expect(inspectStackFolder(folder)).toBe("new");
    expect(inspectStackFolder(completeFolder())).toBe("complete");
  });

  test("clears the data of an unfinished first start", () => {
    const folder = completeFolder();
    rmSync(folder.setupDone);
    expect(inspectStackFolder(folder)).toBe("unfinished");
    expect([folder.chainState, folder.postgresData, folder.manifest].filter(existsSync)).toEqual([]);
  });

  test.each(["chainState", "manifest"] as const)("refuses a folder without its %s and names the file", (part) => {
    const folder = completeFolder();
    rmSync(folder[part]);
    expect(() => inspectStackFolder(folder)).toThrow(folder[part]);
  });

  test("accepts a folder without a database, which is rebuilt from the chain", () => {
    const folder = completeFolder();
    rmSync(folder.postgresData, { recursive: true });
    expect(inspectStackFolder(folder)).toBe("without-database");
  });
});

describe("createStackFolder", () => {
  test("creates a folder that only its owner can read", () => {
    expect(statSync(completeFolder().dir).mode & 0o777).toBe(0o700);
  });

  test("throws when a file has the folder's name", () => {
    const path = join(createTestFolder(), "state");
    writeFileSync(path, "");
    expect(() => createStackFolder(resolveStackFolder(path))).toThrow("cannot be used");
  });
});

describe("reset", () => {
  test("deletes the folder and prints what it deleted", async () => {
    const folder = completeFolder();
    const output: string[] = [];
    await reset(folder.dir, (text) => output.push(text));
    expect(existsSync(folder.dir)).toBe(false);
    expect(output.join("")).toContain(`Deleted ${folder.dir}`);
  });

  test("refuses while a stack runs", async () => {
    const folder = completeFolder();
    const release = await takeStackLock(folder.lock);
    await expect(reset(folder.dir, () => undefined)).rejects.toThrow(`is running (process ${process.pid})`);
    expect(existsSync(folder.dir)).toBe(true);
    release();
  });

  test("does not change a folder that no stack has created", async () => {
    const path = createTestFolder();
    writeFileSync(join(path, "thesis.txt"), "");
    await expect(reset(path, () => undefined)).rejects.toThrow("no Slipway stack has created");
    expect(() => createStackFolder(resolveStackFolder(path))).toThrow("no Slipway stack has created");
    expect(existsSync(join(path, "thesis.txt"))).toBe(true);
  });

  test("prints that there is nothing to reset", async () => {
    const output: string[] = [];
    await reset(join(createTestFolder(), "none"), (text) => output.push(text));
    expect(output.join("")).toContain("Nothing to reset");
  });
});
