import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { type S3Server, startS3 } from "../support/images/startS3.ts";
import { uploadSettings, uploadTo } from "../support/images/uploadTo.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

let servers: ApiServers;
let server: ApiServer;
let s3: S3Server;
beforeAll(async () => {
  [servers, s3] = await Promise.all([openApiServers(), startS3()]);
  server = await servers.open({ SITE_URL: "https://site.example", ...uploadSettings, ...s3.settings });
});
afterAll(async () => {
  await servers?.close();
  await s3?.stop();
});
beforeEach(() => {
  s3.fault = null;
});

const upload = (file: Uint8Array) => uploadTo(server.base, servers.apiKey, file);
const countRows = async () => Number((await servers.pool.query("select count(*) from app.images")).rows[0].count);

describe("C5-09 a storage that fails", () => {
  it.each([403, 500, 503])(
    "with %s makes an upload 503, saves nothing, and shows nothing of its own words",
    async (fault) => {
      const file = await draw(50, Math.round(fault / 5))
        .png()
        .toBuffer();
      const before = await countRows();
      s3.fault = fault;
      const { status, body, headers } = await upload(file);
      expect([status, body.error.code]).toEqual([503, "storage_unavailable"]);
      expect(headers.get("retry-after")).toMatch(/^\d+$/);
      expect(JSON.stringify(body)).not.toMatch(/planted|127\.0\.0\.1|SignatureDoesNotMatch/);
      expect(await countRows()).toBe(before);
      s3.fault = null;
      expect((await upload(file)).status).toBe(200);
    },
  );

  it("makes a stored picture 503, never 404, and it is served again afterwards", async () => {
    const { body } = await upload(await draw(51, 51).png().toBuffer());
    const get = async () => (await fetch(`${server.site}/media/${body.sha256}.webp`)).status;
    expect(await get()).toBe(200);
    s3.fault = 500;
    expect(await get()).toBe(503);
    s3.fault = null;
    expect(await get()).toBe(200);
  });

  it("and had stored a part of a picture has all of it after a retry", async () => {
    const file = await draw(52, 52).png().toBuffer();
    s3.faultAfter = 3;
    expect((await upload(file)).status).toBe(503);
    s3.faultAfter = null;
    const { status, body } = await upload(file);
    expect(status).toBe(200);
    for (const path of [".webp", "/64.webp", "/1024.webp"]) {
      expect((await fetch(`${server.site}/media/${body.sha256}${path}`)).status).toBe(200);
    }
  });

  it("and lost a picture gets it back with the next upload of it", async () => {
    const file = await draw(53, 53).png().toBuffer();
    const { body } = await upload(file);
    await s3.remove(`${body.sha256}.webp`);
    expect((await fetch(`${server.site}/media/${body.sha256}.webp`)).status).toBe(503);
    expect((await upload(file)).body).toEqual(body);
    expect((await fetch(`${server.site}/media/${body.sha256}.webp`)).status).toBe(200);
  });
});
