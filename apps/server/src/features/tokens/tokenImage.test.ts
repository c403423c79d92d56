import { indexedTokens, tokenDetail } from "@slipway/protocol/indexed";
import { indexedWallet } from "@slipway/protocol/people";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import {
  claimTokenImages,
  discoverTokenImages,
  storeTokenImage,
  storeTokenImageError,
} from "../images/tokenImageQueries.ts";
import { moderate } from "../moderation/queries.ts";

const fixture = useReadApp();
const site = "https://launch.example";
const uri = "https://a.example/i.png";
const sha256 = "ab".repeat(32);
const creator = toAddress(77);
let read: ReadApp;
let token: string;

beforeEach(async () => {
  const { db } = fixture.database;
  read = await createReadApp(db, { SITE_URL: site });
  await insertIndex(db);
  token = await insertToken(db, 1, { image: uri, creator });
});

async function insertPicture(): Promise<void> {
  await fixture.database.db.api.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 30, 20, true, 'LEHV6n', '#102030')`,
    [sha256],
  );
}

async function claim() {
  const { api } = fixture.database.db;
  await discoverTokenImages(api, { tokenId: 0, change: "0" });
  const [claimed] = await claimTokenImages(api, 10, 60_000);
  return claimed!;
}

async function process(): Promise<void> {
  await storeTokenImage(fixture.database.db.api, await claim(), sha256);
}

const block = (kind: "image" | "token", blocked: boolean) =>
  moderate(fixture.database.db.api, {
    ...{ kind, target: kind === "image" ? sha256 : token, blocked, reason: "test", administrator: null },
  });

/** Returns `image_url` and `image` of the token; all reads must return the same values. */
async function readImage(): Promise<{ url: string | null; image: any }> {
  await read.deps.readModel.sync();
  const detail = (await read.get(`/tokens/${token}`)).json;
  expect(tokenDetail.parse(detail)).toEqual(detail);
  const state = { url: detail.image_url, image: detail.image };
  for (const path of ["/tokens?sort=new", "/tokens?q=token"]) {
    const { json } = await read.get(path);
    expect(indexedTokens.parse(json)).toEqual(json);
    for (const item of json.items) expect({ url: item.image_url, image: item.image }).toEqual(state);
  }
  const { json: wallet } = await read.get(`/wallets/${creator}`);
  expect(indexedWallet.parse(wallet)).toEqual(wallet);
  expect(wallet.launches[0].token.image).toBe(state.url);
  return state;
}

const pending = { url: uri, image: null };
const none = { url: null, image: null };
const url = (size: number) => `${site}/media/${sha256}/${size}.webp`;
const processed = {
  url: url(256),
  image: {
    ...{ sha256, width: 30, height: 20, animated: true, blurhash: "LEHV6n", dominant_color: "#102030" },
    urls: { 64: url(64), 256: url(256), 512: url(512), 1024: url(1_024) },
    alt: "Token 1 (T1)",
  },
};

describe("the picture of a token", () => {
  test("is the launch's URI until processing, then the URL of 256 pixels with the picture's metadata", async () => {
    expect(await readImage()).toEqual(pending);
    await insertPicture();
    await process();
    expect(await readImage()).toEqual(processed);
    // The gallery returns the same picture.
    expect((await read.get("/gallery")).json.items[0].image).toEqual(processed.image);
  });

  test("stays the launch's URI when processing failed", async () => {
    await storeTokenImageError(fixture.database.db.api, await claim(), "not_found", null);
    expect(await readImage()).toEqual(pending);
  });

  test("C5-23 is null while picture or token is blocked, also in responses that were cached before", async () => {
    await insertPicture();
    await process();
    for (const kind of ["image", "token"] as const) {
      expect(await readImage()).toEqual(processed);
      await block(kind, true);
      if (kind === "image") expect(await readImage()).toEqual(none);
      else {
        await read.deps.readModel.sync();
        expect((await read.get(`/tokens/${token}`)).json).toMatchObject({ image_url: null, image: null });
        expect((await read.get(`/wallets/${creator}`)).json.launches[0].token.image).toBeNull();
      }
      await block(kind, false);
    }
    expect(await readImage()).toEqual(processed);
  });

  test("C5-23 is null when the job stores a picture that is already blocked", async () => {
    await insertPicture();
    await block("image", true);
    expect(await readImage()).toEqual(pending);
    await process();
    expect(await readImage()).toEqual(none);
    expect((await read.get("/gallery")).json).toMatchObject({ items: [], total: 0 });
    await block("image", false);
    expect(await readImage()).toEqual(processed);
  });

  test("is the launch's URI where no public URL of pictures is configured", async () => {
    read = fixture.read;
    await insertPicture();
    await process();
    expect(await readImage()).toEqual(pending);
    await block("image", true);
    expect(await readImage()).toEqual(none);
  });
});
