import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { parseConfig } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { createMetrics } from "../../metrics.ts";
import { PinningError, type PinRequest } from "../../providers/pinning/pinningService.ts";
import { systemClock } from "../../systemClock.ts";
import { pinImage } from "./pinImage.ts";
import { insertImage } from "./queries.ts";
import { retryImagePins } from "./retryImagePins.ts";

let database: ReadDatabase;
/** The response of the pinning service, and the requests that it received. */
let answer: () => Promise<void>;
let requests: PinRequest[];
const stored = new Map<string, Buffer>();

const config = parseConfig({
  DATABASE_URL: "postgres://unused",
  RPC_URL: "http://127.0.0.1:1",
  PINNING_TIMEOUT_MS: "60000",
  PIN_POLL_MS: "20",
});
const createDeps = () =>
  ({
    clock: systemClock,
    config,
    db: database.db,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    pinning: {
      pin: async (request: PinRequest) => {
        requests.push(request);
        await answer();
      },
    },
    mediaStorage: { get: async (key: string) => stored.get(key) ?? null },
  }) as unknown as Deps;

beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());
beforeEach(async () => {
  await database.db.api.query("delete from app.images");
  answer = async () => undefined;
  requests = [];
});

/** Stores and records a picture. */
async function addImage(uploaded = true) {
  const [sha256, bytes] = [randomBytes(32).toString("hex"), randomBytes(10)];
  const cid = `bafkrei${sha256.slice(0, 20)}`;
  const more = {
    width: 1,
    height: 1,
    animated: false,
    blurhash: "",
    dominantColor: "#000000",
    sizes: [],
    dhash: "00".repeat(8),
  };
  await insertImage(database.db.api, { sha256, cid, bytes, contentType: "image/webp", ...more }, uploaded);
  stored.set(`${sha256}.webp`, bytes);
  return { sha256, cid, bytes };
}
const readPin = async () => {
  const { rows } = await database.db.api.query<{
    attempts: number;
    error: string | null;
    pinned: boolean;
    wait: number | null;
  }>(
    `select attempts, error, pinned_at is not null as pinned,
       round(extract(epoch from next_at - now()))::int as wait from app.image_pins`,
  );
  return rows[0];
};
const makeDue = () => database.db.api.query("update app.image_pins set next_at = now() where pinned_at is null");

/** Runs the job until the condition holds. */
async function runJob(isDone: () => Promise<boolean>): Promise<void> {
  const job = retryImagePins(createDeps());
  try {
    await expect.poll(isDone, { interval: 10 }).toBe(true);
  } finally {
    await job.stop();
  }
}

const refuse = async () => {
  throw new PinningError("pinning_refused");
};

describe("C5-09 the pin of an upload", () => {
  it("is made once for concurrent uploads of the same picture, and each upload returns the pin", async () => {
    const image = await addImage();
    answer = () => systemClock.sleep(300);
    const pins = await Promise.all([...Array(8)].map(() => pinImage(createDeps(), image, image.bytes)));
    expect(pins).toEqual(Array(8).fill({ pinned: true, error: null }));
    expect(requests).toHaveLength(1);
    expect(await pinImage(createDeps(), image, image.bytes)).toEqual({ pinned: true, error: null });
    expect(requests).toHaveLength(1);
  });

  it("that failed is not retried by another upload before the pause has ended", async () => {
    const image = await addImage();
    answer = refuse;
    const failed = { pinned: false, error: "pinning_refused" };
    expect(await pinImage(createDeps(), image, image.bytes)).toEqual(failed);
    expect(await pinImage(createDeps(), image, image.bytes)).toEqual(failed);
    expect(requests).toHaveLength(1);
    await makeDue();
    answer = async () => undefined;
    expect(await pinImage(createDeps(), image, image.bytes)).toEqual({ pinned: true, error: null });
  });

  it("is pending if another process does not finish in time", async () => {
    const image = await addImage();
    const { promise, resolve } = Promise.withResolvers<void>();
    answer = () => promise;
    const first = pinImage(createDeps(), image, image.bytes);
    await expect.poll(() => requests.length).toBe(1);
    let nowMs = Date.now();
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    const clock = { ...systemClock, now: () => nowMs, sleep };
    const pending = { pinned: false, error: "pinning_pending" };
    expect(await pinImage({ ...createDeps(), clock }, image, image.bytes)).toEqual(pending);
    expect(requests).toHaveLength(1);
    resolve();
    expect(await first).toEqual({ pinned: true, error: null });
  });

  it("is not attempted without a pinning service, and an earlier pin stays", async () => {
    const image = await addImage();
    const without = { ...createDeps(), pinning: null };
    expect(await pinImage(without, image, image.bytes)).toBeNull();
    await pinImage(createDeps(), image, image.bytes);
    expect(await pinImage(without, image, image.bytes)).toEqual({ pinned: true, error: null });
  });
});

describe("C5-09 the job that retries pins", () => {
  it("waits 1, 5, 25, 125, 625 minutes, then a day each, and gives up after ten attempts", async () => {
    const image = await addImage();
    answer = refuse;
    await pinImage(createDeps(), image, image.bytes);
    const waits: (number | null)[] = [(await readPin())!.wait];
    for (let attempts = 2; attempts <= 10; attempts++) {
      await makeDue();
      await runJob(async () => (await readPin())!.attempts === attempts);
      waits.push((await readPin())!.wait);
    }
    const minutes = waits.map((seconds) => (seconds === null ? null : Math.round(seconds / 60)));
    expect(minutes).toEqual([1, 5, 25, 125, 625, 1_440, 1_440, 1_440, 1_440, null]);
    expect(await readPin()).toMatchObject({ error: "pinning_refused", pinned: false });
  });

  it("pins stored pictures after a failed upload pin and after a killed process", async () => {
    const image = await addImage();
    answer = refuse;
    await pinImage(createDeps(), image, image.bytes);
    answer = async () => undefined;
    await makeDue();
    await runJob(async () => (await readPin())!.pinned);
    expect(requests.at(-1)).toEqual({ cid: image.cid, name: `${image.sha256}.webp`, bytes: image.bytes });

    const begun = await addImage();
    await database.db.api.query("delete from app.image_pins");
    await database.db.api.query("insert into app.image_pins (sha256, next_at) values (decode($1, 'hex'), now())", [
      begun.sha256,
    ]);
    await runJob(async () => (await readPin())!.pinned);
  });

  it("pins pictures uploaded before a service was configured, except blocked and fetched pictures", async () => {
    await addImage(false);
    const [image, blocked] = [await addImage(), await addImage()];
    await database.db.api.query("update app.images set blocked_at = now() where cid = $1", [blocked.cid]);
    await runJob(async () => requests.length > 0);
    expect(requests.map(({ cid }) => cid)).toEqual([image.cid]);
  });

  it("shares the work: two jobs pin each picture once", async () => {
    const images = await Promise.all([...Array(12)].map(() => addImage()));
    answer = () => systemClock.sleep(20);
    const other = retryImagePins(createDeps());
    await runJob(async () => requests.length >= images.length);
    await other.stop();
    expect(requests.map(({ cid }) => cid).sort()).toEqual(images.map(({ cid }) => cid).sort());
  });
});
