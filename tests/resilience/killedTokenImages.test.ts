import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { expect, test, vi } from "vitest";
import { flatPng } from "../support/images/pictures.ts";
import { programEnvironment } from "../support/programEnvironment.ts";
import { startUntrustedServer } from "../support/security/untrustedServer.ts";
import { startReadDatabase } from "../support/server/readDatabase.ts";
import { insertIndex, insertToken } from "../support/server/rows.ts";
import { getVolume } from "../support/volume.ts";

const workerProgram = fileURLToPath(new URL("../support/images/tokenImageWorker.ts", import.meta.url));
const count = getVolume(500, "TOKEN_IMAGES");
/** A hang only: a picture takes a tenth of a second on a busy machine. */
const deadlineMs = 180_000;
const concurrency = 8;

test("a first fill of pictures that kill -9 interrupts goes on where it was: each is stored once, none twice", {
  timeout: 3 * deadlineMs,
}, async () => {
  const folder = temporaryFolder();
  const database = await startReadDatabase();
  const requests = new Map<string, number>();
  const outside = await startUntrustedServer((request, response) => {
    const path = request.url!;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    // Each picture has a different size, so that no two are the same object.
    const number = Number(path.slice(1));
    const file = flatPng(1 + (number % 25), 1 + Math.floor(number / 25));
    response.writeHead(200, { "content-type": "image/png" }).end(file);
  });
  const environment = {
    ...programEnvironment,
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    OUTSIDE_CA: outside.ca,
    OUTSIDE_PORT: String(outside.port),
  };
  const startWorker = (): ChildProcess => fork(workerProgram, { env: environment, stdio: "inherit" });
  const countStored = async () => {
    const sql = "select count(*)::int as n from app.token_images where sha256 is not null";
    return (await database.db.api.query<{ n: number }>(sql)).rows[0]!.n;
  };
  await insertIndex(database.db);
  for (let number = 0; number < count; number++)
    await insertToken(database.db, number + 1, { image: outside.url(`/${number}`) });

  let worker = startWorker();
  try {
    await vi.waitUntil(async () => (await countStored()) >= count / 5, { timeout: deadlineMs, interval: 20 });
    worker.kill("SIGKILL");
    await once(worker, "exit");
    const storedBefore = await countStored();
    expect(storedBefore).toBeLessThan(count);
    const done = await database.db.api.query<{ uri: string }>(
      "select uri from app.token_images where sha256 is not null",
    );
    // The claims of the killed process end with their lease.
    await database.db.api.query("update app.token_images set next_at = now() where sha256 is null");
    worker = startWorker();
    await vi.waitUntil(async () => (await countStored()) === count, { timeout: deadlineMs, interval: 50 });
    for (const { uri } of done.rows) expect(requests.get(new URL(uri).pathname)).toBe(1);
    const repeated = [...requests.values()].filter((times) => times > 1);
    expect(repeated.length).toBeLessThanOrEqual(concurrency);
    const { rows } = await database.db.api.query<{ images: number; failed: number }>(
      `select (select count(*)::int from app.images) as images,
         (select count(*)::int from app.token_images where error is not null or attempts > 0) as failed`,
    );
    expect(rows).toEqual([{ images: count, failed: 0 }]);
  } finally {
    worker.kill("SIGKILL");
    await outside.close();
    await database.stop();
    folder.remove();
  }
});
