import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { listChildren } from "../support/images/processUse.ts";
import { type S3Server, startS3 } from "../support/images/startS3.ts";
import { uploadSettings, uploadTo } from "../support/images/uploadTo.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

let servers: ApiServers;
let s3: S3Server;
beforeAll(async () => {
  [servers, s3] = await Promise.all([openApiServers(), startS3()]);
});
afterAll(async () => {
  await servers?.close();
  await s3?.stop();
});

const open = () => servers.open({ SITE_URL: "https://site.example", ...uploadSettings, ...s3.settings });
const upload = (server: ApiServer, file: Uint8Array) => uploadTo(server.base, servers.apiKey, file);
const countRows = async () => Number((await servers.pool.query("select count(*) from app.images")).rows[0].count);

/** Whether every object of a picture exists. */
async function expectServed(server: ApiServer, sha256: string): Promise<void> {
  for (const path of [".webp", "/64.webp", "/256.webp", "/512.webp", "/1024.webp"]) {
    expect((await fetch(`${server.site}/media/${sha256}${path}`)).status).toBe(200);
  }
}

it("C5-14 a server killed while the storage has not answered serves nothing of the picture, and a retry finds it", async () => {
  const file = await draw(70, 50).png().toBuffer();
  const first = await open();
  s3.fault = "hang";
  const lost = upload(first, file).catch(() => "no answer");
  await expect.poll(() => s3.waiting).toBeGreaterThan(0);
  await first.kill();
  expect(await lost).toBe("no answer");
  expect(await countRows()).toBe(0);
  s3.fault = null;

  const second = await open();
  const { status, body } = await upload(second, file);
  expect(status).toBe(200);
  await expectServed(second, body.sha256);
  expect(await countRows()).toBe(1);
  await second.stop();
});

it("C5-11 a server that is killed leaves no decoder process", async () => {
  const server = await open();
  expect((await upload(server, await draw(72, 50).png().toBuffer())).status).toBe(200);
  const decoders = listChildren(server.pid);
  expect(decoders.length).toBeGreaterThan(0);
  await server.kill();
  await expect.poll(() => decoders.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
});

it("C5-14 a server killed between the storage and the row serves nothing, and a retry has the same answer", async () => {
  const file = await draw(71, 50).png().toBuffer();
  const before = await countRows();
  const first = await open();
  const lock = await servers.pool.connect();
  await lock.query("begin");
  await lock.query("lock table app.images in share mode");
  const stored = s3.seen.length;
  const lost = upload(first, file).catch(() => "no answer");
  await expect
    .poll(() => s3.seen.slice(stored).filter((line) => line.startsWith("PUT") && line.endsWith("200")).length)
    .toBe(5);
  await first.kill();
  expect(await lost).toBe("no answer");
  await lock.query("rollback");
  lock.release();
  // The database may still complete a statement of the killed process: a whole row, or none.
  const second = await open();
  const { status, body } = await upload(second, file);
  expect(status).toBe(200);
  expect((await upload(second, file)).body).toEqual(body);
  await expectServed(second, body.sha256);
  expect(await countRows()).toBe(before + 1);
  await second.stop();
});

it("C5-14 whatever the moment of the kill, a row is there only with all objects", async () => {
  let server = await open();
  for (const round of [1, 3, 5]) {
    const width = 200 + round;
    const file = await draw(width, 200, 3).png().toBuffer();
    const seen = s3.seen.length;
    const lost = upload(server, file).catch(() => null);
    // After this many of the five objects were stored.
    await expect.poll(() => s3.seen.length - seen, { interval: 1 }).toBeGreaterThanOrEqual(round);
    await server.kill();
    await lost;
    // The next round kills this server: one start less for each round.
    server = await open();
    const { rows } = await servers.pool.query<{ sha256: string }>(
      "select encode(sha256, 'hex') as sha256 from app.images",
    );
    for (const { sha256 } of rows) await expectServed(server, sha256);
    const { status, body } = await upload(server, file);
    expect([status, body.width]).toEqual([200, width]);
    await expectServed(server, body.sha256);
  }
  await server.stop();
});
