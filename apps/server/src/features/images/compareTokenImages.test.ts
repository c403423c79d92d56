import { randomBytes, randomUUID } from "node:crypto";
import { checksummed } from "@slipway/protocol/primitives";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insert, insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { createMetrics } from "../../metrics.ts";
import { createContentWarnings } from "../../transactions/draftWarnings.ts";
import { compareTokenImages } from "./compareTokenImages.ts";

const world = useReadApp();
const siteUrl = "https://launch.example";
const picture = 0x1234_5678_9abc_def0n;
const token = (n: number) => toAddress(1_000 + n);

beforeEach(() => insertIndex(world.database.db));

/** Changes bits of a hash. */
const flip = (hash: bigint, ...bits: number[]) => bits.reduce((changed, bit) => changed ^ (1n << BigInt(bit)), hash);

/** Stores the picture of a launch as the job that processes pictures does. @returns Its SHA-256. */
async function storePicture(n: number, dhash: bigint, sha256 = randomBytes(32).toString("hex")): Promise<string> {
  const { api } = world.database.db;
  await api.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color, dhash)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 20, 20, false, 'LEHV6n', '#102030', ('x' || $2)::bit(64))
     on conflict do nothing`,
    [sha256, dhash.toString(16).padStart(16, "0")],
  );
  await api.query(
    `insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))
     on conflict (token) do update set sha256 = excluded.sha256`,
    [token(n), sha256],
  );
  return sha256;
}

/** Runs the job until every picture was compared. */
async function compareAll(): Promise<void> {
  const { db } = world.database;
  const clock = { sleep: () => new Promise((resolve) => setTimeout(resolve, 5)) } as never;
  const job = compareTokenImages({ db, clock, log: { warn: () => undefined } as never, metrics: createMetrics() });
  await expect
    .poll(async () => {
      const { rows } = await db.api.query(
        `select count(*)::int as n from app.token_images i where not exists (
           select from app.token_image_hashes k where k.token = i.token and k.sha256 = i.sha256)`,
      );
      return rows[0].n;
    })
    .toBe(0);
  await job.stop();
}

/** Returns, by symbol, the launch that the warning `similar_image` names. */
async function getWarned(): Promise<Record<string, string | null>> {
  const { json } = await (await createReadApp(world.database.db, { SITE_URL: siteUrl })).get("/tokens?sort=new");
  return Object.fromEntries(
    json.items.map(({ symbol, warnings }: any) => {
      const warning = warnings.find(({ code }: any) => code === "similar_image");
      return [symbol, warning === undefined ? null : /0x[0-9a-fA-F]{40}/.exec(warning.message)![0]];
    }),
  );
}

describe("compareTokenImages", () => {
  test("C7-95 warns about a later launch whose picture differs in at most five bits, whatever the order of processing", async () => {
    const { db } = world.database;
    for (let n = 1; n <= 5; n++) await insertToken(db, n);
    // The later launches are processed first.
    await storePicture(3, flip(picture, 0, 12, 24, 36, 48));
    await storePicture(4, flip(picture, 0, 12, 24, 36, 48, 60));
    await compareAll();
    expect(await getWarned()).toEqual({ T1: null, T2: null, T3: null, T4: checksummed(token(3)), T5: null });
    await storePicture(1, picture);
    await storePicture(5, flip(picture, ...Array.from({ length: 20 }, (_, n) => 3 * n)));
    await compareAll();
    const first = checksummed(token(1));
    // Launch 4 differs from launch 1 in six bits, and from launch 3 in one.
    expect(await getWarned()).toEqual({ T1: null, T2: null, T3: first, T4: checksummed(token(3)), T5: null });
  });

  test("C7-95 compares plain pictures by their bytes only, because their hashes are alike", async () => {
    const { db } = world.database;
    for (let n = 1; n <= 3; n++) await insertToken(db, n);
    const sha256 = await storePicture(1, 1n);
    await storePicture(2, 3n);
    await storePicture(3, 1n, sha256);
    await compareAll();
    expect(await getWarned()).toEqual({ T1: null, T2: null, T3: checksummed(token(1)) });
  });

  test("C7-95 a picture that replaced another is compared again, and a blocked picture has no warning", async () => {
    const { db } = world.database;
    for (let n = 1; n <= 2; n++) await insertToken(db, n);
    await storePicture(1, picture);
    await storePicture(2, flip(picture, 1));
    await compareAll();
    expect((await getWarned()).T2).toBe(checksummed(token(1)));
    await storePicture(1, ~picture & (2n ** 64n - 1n));
    await compareAll();
    expect((await getWarned()).T2).toBeNull();
    const again = await storePicture(2, flip(~picture & (2n ** 64n - 1n), 2));
    await compareAll();
    expect((await getWarned()).T2).toBe(checksummed(token(1)));
    await db.api.query("update app.images set blocked_at = now() where sha256 = decode($1, 'hex')", [again]);
    expect((await getWarned()).T2).toBeNull();
  });

  test("C7-95 a draft with an uploaded picture has the warning, but not about its own launch", async () => {
    const { db } = world.database;
    await insertToken(db, 1, { name: "Tin Boat", symbol: "TIN" });
    await insertToken(db, 2, { name: "Oak Boat", symbol: "OAK" });
    const sha256 = await storePicture(1, picture);
    await storePicture(2, flip(picture, 5));
    await compareAll();
    const { deps } = await createReadApp(db, { SITE_URL: siteUrl });
    const [own, other] = [randomUUID(), randomUUID()];
    const account = randomUUID();
    await insert(db, "app.accounts", { id: account, name: "test" });
    const intent = {
      name: "Tin Boat",
      symbol: "TIN",
      chain_id: 46630 as const,
      image_uri: `${siteUrl}/media/${sha256}.webp`,
    };
    for (const id of [own, other])
      await db.api.query(
        `insert into app.intents (id, account_id, idempotency_key, body_hash, intent) values ($1, $2, $3, '\\x00', $4)`,
        [id, account, id, intent],
      );
    await db.api.query(
      `insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter) values ($1, $2, $3, $4, $4)`,
      [token(1), own, account, toAddress(3)],
    );
    await db.api.query("insert into app.token_name_keys (key, token) values ('tlnboat', $1)", [token(1)]);
    const warnings = await createContentWarnings(
      deps,
      [own, other].map((id) => ({ id, intent })),
    );
    expect(warnings.map((list) => list.map(({ code }) => code))).toEqual([[], ["confusable_name", "similar_image"]]);
    expect(warnings[1]![1]!.message).toContain(checksummed(token(1)));
  });
});
