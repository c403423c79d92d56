import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { createAccount } from "../../accounts/accounts.ts";
import type { Deps } from "../../deps.ts";
import { MediaStorageError } from "../../providers/storage/mediaStorage.ts";
import { storeImage } from "./storeImage.ts";

let database: ReadDatabase;
let read: ReadApp;
let accountId: string;
let stored: Set<string>;
/** Runs before each `put`. */
let onPut: (key: string) => Promise<void>;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});
beforeEach(async () => {
  accountId = await addAccount();
  stored = new Set();
  onPut = async () => undefined;
});

async function addAccount(): Promise<string> {
  const { ids } = read.deps;
  const id = ids.uuid();
  const key = { keyId: ids.uuid(), keyName: "key", hash: randomBytes(32), prefix: "x" };
  await createAccount(database.db.api, { accountId: id, name: "Ada", ...key });
  return id;
}

const createDeps = (quota: Partial<Deps["config"]>) => ({
  config: { ...read.deps.config, MAX_ACCOUNT_IMAGES: 0, MAX_ACCOUNT_IMAGE_BYTES: 0, ...quota },
  db: database.db,
  mediaStorage: {
    has: async (key: string) => stored.has(key),
    put: async (key: string) => {
      await onPut(key);
      stored.add(key);
    },
  } as unknown as Deps["mediaStorage"],
});

/** Creates a picture of `bytes` bytes in total, with 30 bytes for its smaller version. */
function createPicture(bytes = 100) {
  const sha256 = randomBytes(32).toString("hex");
  return {
    ...{ sha256, cid: sha256, bytes: randomBytes(bytes - 30), contentType: "image/webp" as const, width: 9, height: 9 },
    ...{ animated: false, blurhash: "", dominantColor: "#000000", dhash: randomBytes(8).toString("hex") },
    sizes: [{ size: 64 as const, bytes: randomBytes(30) }],
  };
}
const readUse = async (id = accountId) => {
  const { rows } = await database.db.api.query<{ images: number; bytes: number }>(
    "select count(*)::int as images, coalesce(sum(bytes), 0)::int as bytes from app.account_images where account_id = $1",
    [id],
  );
  return rows[0]!;
};
const full = { name: "SlipwayError", code: "too_many_images" };

describe("C5-38 the quota of an account", () => {
  it("is not exceeded by pictures that are stored concurrently", async () => {
    const deps = createDeps({ MAX_ACCOUNT_IMAGE_BYTES: 1_050 });
    onPut = () => new Promise((resolve) => setTimeout(resolve, 50));
    const work = Array.from({ length: 40 }, () => storeImage(deps, createPicture(), { accountId }));
    const results = await Promise.allSettled(work);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(full);
    expect(await readUse()).toEqual({ images: 10, bytes: 1_000 });
    expect(stored.size).toBe(20);
    // The quota accepts pictures up to the last byte.
    await storeImage(deps, createPicture(50), { accountId });
    await expect(storeImage(deps, createPicture(31), { accountId })).rejects.toMatchObject(full);
  });

  it("counts a picture once, even if the picture is sent repeatedly or concurrently", async () => {
    const deps = createDeps({ MAX_ACCOUNT_IMAGES: 1 });
    const picture = createPicture();
    await Promise.all(Array.from({ length: 10 }, () => storeImage(deps, picture, { accountId })));
    await storeImage(deps, picture, { accountId });
    expect(await readUse()).toEqual({ images: 1, bytes: 100 });
    await expect(storeImage(deps, createPicture(), { accountId })).rejects.toMatchObject(full);
    const other = await addAccount();
    await storeImage(deps, picture, { accountId: other });
    expect(await readUse(other)).toEqual({ images: 1, bytes: 100 });
  });

  it("does not count a picture that could not be stored or that is blocked", async () => {
    const deps = createDeps({ MAX_ACCOUNT_IMAGES: 1 });
    onPut = async () => {
      throw new MediaStorageError("planted");
    };
    const lost = storeImage(deps, createPicture(), { accountId });
    await expect(lost).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await readUse()).toEqual({ images: 0, bytes: 0 });

    onPut = async () => undefined;
    const blocked = createPicture();
    await storeImage(deps, blocked, { accountId: null });
    await database.db.api.query("update app.images set blocked_at = now() where cid = $1", [blocked.cid]);
    await expect(storeImage(deps, blocked, { accountId })).rejects.toMatchObject({ code: "invalid_fields" });
    expect(await readUse()).toEqual({ images: 0, bytes: 0 });
  });

  it("counts a picture that the deny list blocks during the insert, because its bytes are stored", async () => {
    const picture = createPicture();
    await database.db.api.query(
      "insert into app.denied_images (id, dhash, within, reason) values (gen_random_uuid(), ('x' || $1)::bit(64), 0, 'test')",
      [picture.dhash],
    );
    const refused = storeImage(createDeps({}), picture, { accountId });
    await expect(refused).rejects.toMatchObject({ code: "invalid_fields" });
    expect(await readUse()).toEqual({ images: 1, bytes: 100 });
  });

  it("does not count pictures that the job of token pictures stores", async () => {
    await storeImage(createDeps({ MAX_ACCOUNT_IMAGES: 1 }), createPicture(), { accountId: null });
    expect(await readUse()).toEqual({ images: 0, bytes: 0 });
  });
});
