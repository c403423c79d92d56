import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { draw, drawAnimation, flatPng } from "../../../../../tests/support/images/pictures.ts";
import { startUntrustedServer, type UntrustedServer } from "../../../../../tests/support/security/untrustedServer.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { clear, insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { createUntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { systemClock } from "../../systemClock.ts";
import { processTokenImages } from "./processTokenImages.ts";
import { storeImage, toSizeKey } from "./storeImage.ts";

const folder = temporaryFolder();
let database: ReadDatabase;
let read: ReadApp;
let outside: UntrustedServer;
const pages = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
const seen: string[] = [];

beforeAll(async () => {
  database = await startReadDatabase();
  outside = await startUntrustedServer((request, response) => {
    seen.push(request.url!);
    const page = pages.get(request.url!);
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
  read = await createReadApp(database.db, {
    DATA_DIR: folder.path,
    SITE_URL: "https://site.example",
    TOKEN_MANIFEST_POLL_MS: "20",
  });
});
afterAll(async () => {
  await read?.deps.imageDecoder.stop();
  await read?.app.close();
  await outside?.close();
  await database?.stop();
  folder.remove();
});
beforeEach(async () => {
  await clear(database.db);
  await insertIndex(database.db);
  pages.clear();
  seen.length = 0;
});

const serve = (path: string, file: Buffer, type = "image/png") => {
  pages.set(path, (_request, response) => response.writeHead(200, { "content-type": type }).end(file));
  return outside.url(path);
};
type Row = { token: string; sha256: string | null; error: string | null; wait: number | null };
const readRows = async () => {
  const { rows } = await database.db.api.query<Row>(
    `select token, encode(sha256, 'hex') as sha256, error, round(extract(epoch from next_at - now()))::int as wait
     from app.token_images order by token`,
  );
  return rows;
};
const makeDue = () => database.db.api.query("update app.token_images set next_at = now() where sha256 is null");

/** Runs the job until the condition holds; only the outside server has a public address for the job's fetcher. */
async function runJob(isDone: () => Promise<boolean> | boolean, gateway?: string): Promise<void> {
  const untrustedFetch = createUntrustedFetch({
    ...{ clock: systemClock, ca: outside.ca, resolve: async () => ["127.0.0.2"] },
    addressPolicy: ({ address, port }) => address === "127.0.0.2" && port === outside.port,
  });
  const config = { ...read.deps.config, IPFS_GATEWAY_URL: gateway };
  const job = processTokenImages({ ...read.deps, config }, untrustedFetch);
  try {
    await expect.poll(isDone, { interval: 20 }).toBe(true);
  } finally {
    await job.stop();
  }
}
const untilTried =
  (count = 1) =>
  async () => {
    const rows = await readRows();
    return rows.length === count && rows.every(({ sha256, error }) => sha256 !== null || error !== null);
  };

describe("the picture of a launched token", () => {
  it("is fetched once, and stored like an upload, in every size", async () => {
    const token = await insertToken(database.db, 1, { image: serve("/a.png", await draw(300, 300).png().toBuffer()) });
    await runJob(untilTried());
    const [row] = await readRows();
    expect(row).toEqual({ token, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), error: null, wait: null });
    for (const size of [64, 256, 512, 1024]) {
      expect(await read.deps.mediaStorage.has(toSizeKey(row!.sha256!, size))).toBe(true);
    }
    await runJob(() => true);
    expect(seen).toEqual(["/a.png"]);
  });

  it("of an upload of this service comes from the storage, by CID and by URL, never through a gateway", async () => {
    const encoded = await read.deps.imageDecoder.encode(await draw(40, 40).png().toBuffer());
    const accountId = read.deps.ids.uuid();
    await database.db.api.query("insert into app.accounts (id, name) values ($1, 'Ada')", [accountId]);
    await storeImage(read.deps, encoded, { accountId });
    const uris = [`ipfs://${encoded.cid}`, `https://site.example/media/${encoded.sha256}.webp`];
    for (const [index, image] of uris.entries()) await insertToken(database.db, 10 + index, { image });
    await runJob(untilTried(2), outside.url(""));
    expect((await readRows()).map(({ sha256 }) => sha256)).toEqual([encoded.sha256, encoded.sha256]);
    expect(seen).toEqual([]);
  });

  it("on ipfs comes from the gateway, and waits until a gateway is configured", async () => {
    await insertToken(database.db, 1, {
      image: `ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/a.png`,
    });
    await runJob(untilTried());
    expect(await readRows()).toMatchObject([{ sha256: null, error: "no_ipfs_gateway", wait: null }]);
    const path = "/ipfs/bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/a.png";
    serve(path, await drawAnimation("gif"), "application/octet-stream");
    await runJob(async () => (await readRows())[0]!.sha256 !== null, outside.url(""));
    expect(seen).toEqual([path]);
  });

  it("of a token manifest is processed, and again when the manifest names another picture", async () => {
    const [first, second] = [await draw(20, 20).png().toBuffer(), await draw(21, 21).png().toBuffer()];
    const token = await insertToken(database.db, 1, { contract_uri: "https://documents.example/x.json" });
    const name = (uri: string) =>
      database.db.api.query(
        `insert into app.token_manifests (token, uri, image) values ($1, 'https://documents.example/x.json', $2)
         on conflict (token) do update set image = excluded.image, change = nextval('app.token_manifest_changes')`,
        [token, uri],
      );
    await name(serve("/first.png", first));
    await runJob(untilTried());
    const [before] = await readRows();
    await name(serve("/second.png", second));
    await runJob(async () => (await readRows())[0]!.sha256 !== before!.sha256);
    expect(seen).toEqual(["/first.png", "/second.png"]);
  });

  it("that cannot be fetched or decoded stores the error and is retried a limited number of times after increasing pauses", async () => {
    await insertToken(database.db, 1, { image: outside.url("/down.png") });
    pages.set("/down.png", (_request, response) => response.writeHead(503).end());
    const minutes = [1, 5, 25, 125, 625, 1_440, 1_440, null];
    for (const [index, wanted] of minutes.entries()) {
      await makeDue();
      // Waits until the failure is stored: a job that stops earlier releases its claim. A claim expires after 330 s.
      await runJob(async () => {
        const [row] = await readRows();
        const isNear =
          row?.wait == null || wanted === null ? row?.wait === wanted : Math.abs(row.wait - wanted * 60) < 15;
        return seen.length === index + 1 && row?.error === "bad_status" && isNear;
      });
    }
  });

  it.each([
    [
      "a file that is not a picture",
      "unsupported_image_type",
      async () => Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"),
      "image/png",
    ],
    ["SVG by its type", "wrong_type", async () => Buffer.from("<svg/>"), "image/svg+xml"],
    ["too many pixels", "invalid_fields", async () => flatPng(14_000, 14_000), "image/png"],
    ["more than 8 MiB", "too_large", async () => randomBytes(9 * 1024 * 1024), "image/png"],
  ])("with %s is refused with the error", async (_what, error, create, type) => {
    await insertToken(database.db, 1, { image: serve("/bad.png", await create(), type) });
    await runJob(untilTried());
    expect(await readRows()).toMatchObject([{ sha256: null, error }]);
  });

  it("C5-06 at a non-public address is not fetched", async () => {
    for (const [index, host] of ["127.0.0.1", "[::1]", "169.254.169.254", "x.internal"].entries()) {
      await insertToken(database.db, 1 + index, { image: `https://${host}:${outside.port}/a.png` });
    }
    await runJob(untilTried(4));
    expect((await readRows()).map(({ error }) => error)).toEqual([
      ...["address_refused", "address_refused", "address_refused", "url_refused"],
    ]);
    expect(seen).toEqual([]);
  });

  it("is processed once by two jobs, and is not pinned", async () => {
    for (let id = 1; id <= 12; id++) {
      await insertToken(database.db, id, {
        image: serve(
          `/${id}.png`,
          await draw(20 + id, 20)
            .png()
            .toBuffer(),
        ),
      });
    }
    await Promise.all([runJob(untilTried(12)), runJob(untilTried(12))]);
    expect(seen.sort()).toEqual([...new Set(seen)].sort());
    expect(seen).toHaveLength(12);
    const { rows } = await database.db.api.query("select 1 from app.images where uploaded");
    expect(rows).toHaveLength(0);
  });
});
