import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestFolder } from "../../../../../tests/support/createTestFolder.ts";
import { type S3Server, startS3 } from "../../../../../tests/support/images/startS3.ts";
import { parseConfig } from "../../config.ts";
import { createIds } from "../../createIds.ts";
import { systemClock } from "../../systemClock.ts";
import { createMediaStorage } from "./createMediaStorage.ts";
import { type MediaStorage, MediaStorageError } from "./mediaStorage.ts";

const open = (environment: Record<string, string>): MediaStorage =>
  createMediaStorage({
    config: parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1", ...environment }),
    clock: systemClock,
    ids: createIds(systemClock),
  });

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3?.stop());
beforeEach(() => {
  s3.fault = null;
  s3.seen.length = 0;
});

const key = () => `${randomBytes(32).toString("hex")}.webp`;
const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe.each(["files", "S3"])("a storage of images (%s)", (kind) => {
  const openThis = () => open(kind === "files" ? { DATA_DIR: createTestFolder() } : s3.settings);

  it("returns exactly the bytes that were stored, and nothing under another key", async () => {
    const storage = openThis();
    const [name, bytes] = [key(), randomBytes(200_000)];
    expect([await storage.get(name), await storage.has(name)]).toEqual([null, false]);
    await storage.put(name, bytes, "image/webp");
    expect((await storage.get(name))!.equals(bytes)).toBe(true);
    expect([await storage.has(name), await storage.has(`${name}x`)]).toEqual([true, false]);
  });

  it("stores an object below the name of another one, and the same object many times concurrently", async () => {
    const storage = openThis();
    const name = key().replace(".webp", "/64.webp");
    const bytes = randomBytes(3_000);
    await Promise.all([...Array(8)].map(() => storage.put(name, bytes, "image/webp")));
    expect(await storage.get(name)).toEqual(bytes);
  });
});

describe("a folder of images", () => {
  it("shows a file under its name only when the file is complete", async () => {
    const folder = createTestFolder();
    const storage = open({ DATA_DIR: folder });
    const bytes = randomBytes(4 * 1024 * 1024);
    const name = key();
    const stored = storage.put(name, bytes, "image/webp");
    let isStored = false;
    void stored.then(() => (isStored = true));
    while (!isStored) {
      const found = await storage.get(name);
      if (found !== null) expect(found.length).toBe(bytes.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(listFiles(folder)).toHaveLength(1);
  });

  it("removes old files of killed processes, and nothing else", async () => {
    const folder = createTestFolder();
    const incoming = join(folder, "media", "incoming");
    mkdirSync(incoming, { recursive: true });
    for (const name of ["old", "new"]) writeFileSync(join(incoming, name), "x");
    const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
    utimesSync(join(incoming, "old"), longAgo, longAgo);
    await open({ DATA_DIR: folder }).put(key(), Buffer.from("y"), "image/webp");
    expect(readdirSync(incoming)).toEqual(["new"]);
  });

  it("C5-09 fails and stores nothing while it cannot write, and recovers afterwards", async () => {
    const folder = createTestFolder();
    const storage = open({ DATA_DIR: join(folder, "data") });
    writeFileSync(join(folder, "data"), "a file in the place of the folder");
    const name = key();
    await expect(storage.put(name, Buffer.from("x"), "image/webp")).rejects.toBeInstanceOf(MediaStorageError);
    rmSync(join(folder, "data"));
    await storage.put(name, Buffer.from("x"), "image/webp");
    rmSync(join(folder, "data"), { recursive: true });
    await expect(storage.put(name, Buffer.from("x"), "image/webp")).rejects.toBeInstanceOf(MediaStorageError);
    await storage.put(name, Buffer.from("x"), "image/webp");
    expect(readFileSync(join(folder, "data", "media", name.slice(0, 2), name), "utf8")).toBe("x");
  });
});

it("C5-09 a folder whose disk is nearly full accepts no more images, and still returns the stored ones", async () => {
  const folder = createTestFolder();
  const name = key();
  await open({ DATA_DIR: folder }).put(name, Buffer.from("x"), "image/webp");
  const full = open({ DATA_DIR: folder, MEDIA_MIN_FREE_BYTES: String(2 ** 50) });
  await expect(full.put(key(), Buffer.from("y"), "image/webp")).rejects.toBeInstanceOf(MediaStorageError);
  expect(String(await full.get(name))).toBe("x");
  expect(listFiles(folder)).toHaveLength(1);
});

describe("C5-09 an S3 storage", () => {
  it("that refuses the signature is a fault of the storage", async () => {
    const wrong = open({ ...s3.settings, S3_SECRET_ACCESS_KEY: "another secret" });
    await expect(wrong.put(key(), Buffer.from("x"), "image/webp")).rejects.toBeInstanceOf(MediaStorageError);
    await expect(wrong.get(key())).rejects.toBeInstanceOf(MediaStorageError);
    expect(s3.seen.every((line) => line.endsWith(" 403"))).toBe(true);
  });

  it.each([500, 503])("that responds %s is retried a few times, and then is a fault of the storage", async (status) => {
    const storage = open(s3.settings);
    s3.fault = status;
    await expect(storage.put(key(), Buffer.from("x"), "image/webp")).rejects.toBeInstanceOf(MediaStorageError);
    expect(s3.seen).toHaveLength(3);
    await expect(storage.has(key())).rejects.toBeInstanceOf(MediaStorageError);
  });

  it("without its bucket is a fault of the storage, not a missing image", async () => {
    const storage = open({ ...s3.settings, S3_BUCKET: "no-such-bucket" });
    await expect(storage.get(key())).rejects.toBeInstanceOf(MediaStorageError);
  });

  it("that does not respond is a fault of the storage", async () => {
    const closed = open({ ...s3.settings, S3_ENDPOINT: "http://127.0.0.1:9" });
    await expect(closed.get(key())).rejects.toBeInstanceOf(MediaStorageError);
  });
});
