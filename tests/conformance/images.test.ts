import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startApi } from "../support/conformance/startApi.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { imageSha256, validCalls } from "../support/conformance/validCalls.ts";
import { draw } from "../support/images/pictures.ts";
import { type S3Server, startS3 } from "../support/images/startS3.ts";

const upload = (file: Uint8Array) => call("POST /images", { file: Uint8Array.from(file) });
const { fixture } = target;

statusCase("POST /images", 200, "stores a picture, and the same one once", async () => {
  const file = await draw(140, 70).png().toBuffer();
  const [first, second] = [await upload(file), await upload(file)];
  expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
  expect(first.body).toMatchObject({ width: 140, height: 70, animated: false, content_type: "image/webp" });
  expect(first.body.uri).toBe(first.body.ipfs ?? first.body.url);
});

statusCase("POST /images", 400, "refuses a body that is not one file", async () => {
  for (const one of [
    {},
    { body: {} },
    { rawBody: "x", headers: { "content-type": "multipart/form-data; boundary=x" } },
  ]) {
    const { status, body } = await call("POST /images", one);
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  }
});

statusCase("POST /images", 413, "refuses a file above 4 MiB", async () => {
  const { status, body } = await upload(new Uint8Array(4 * 1024 * 1024 + 1));
  expect([status, body.error.code]).toEqual([413, "image_too_large"]);
});

statusCase("POST /images", 415, "refuses what is no picture of the four formats", async () => {
  const { status, body } = await upload(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
  expect([status, body.error.code]).toEqual([415, "unsupported_image_type"]);
});

statusCase("POST /images", 422, "refuses a picture that breaks a limit, and says which", async () => {
  const { status, body } = await upload(await draw(9_000, 1).png().toBuffer());
  expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "file"]);
  expect(body.error.message).toContain("8192");
});

for (const operation of ["GET /media/{name}", "GET /media/{sha256}/{size}"]) {
  const valid = validCalls[operation]!;

  statusCase(
    operation,
    [200, 206, 304, 416],
    "serves a stored picture whole, in part, or not again",
    async () => {
      const whole = await call(operation, valid());
      expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "image/webp"]);
      expect(whole.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const part = await call(operation, { ...valid(), headers: { range: "bytes=0-3" } });
      expect([part.status, Buffer.from(part.bytes).toString()]).toEqual([206, "RIFF"]);
      const known = await call(operation, { ...valid(), headers: { "if-none-match": whole.headers.get("etag")! } });
      expect([known.status, known.bytes.length]).toEqual([304, 0]);
      const beyond = await call(operation, { ...valid(), headers: { range: "bytes=99999999-" } });
      expect([beyond.status, beyond.body.error.code]).toEqual([416, "range_not_satisfiable"]);
    },
    { signs: true },
  );

  statusCase(operation, 404, "does not find a picture that is not stored", async () => {
    const path = { name: `${"1".repeat(64)}.webp`, sha256: "1".repeat(64), size: "64.webp" };
    const { status, body } = await call(operation, { path });
    expect([status, body.error.code]).toEqual([404, "not_found"]);
  });
}

it.skipIf(fixture === null)("a picture is not found under another extension or size", async () => {
  for (const name of [`${imageSha256}.png`, imageSha256]) {
    expect((await call("GET /media/{name}", { path: { name } })).status).toBe(404);
  }
  const path = { sha256: imageSha256, size: "100.webp" };
  expect((await call("GET /media/{sha256}/{size}", { path })).status).toBe(404);
});

describe.skipIf(target.inside === null || fixture === null)("with a bucket that serves the pictures itself", () => {
  const observed = new Set<string>();
  let s3: S3Server;
  let api: Api;
  beforeAll(async () => {
    s3 = await startS3();
    const serving = { MEDIA_PUBLIC_URL: "https://cdn.example/pictures/", MEDIA_SERVING: "redirect" };
    const settings = { DATABASE_URL: target.inside!.databaseUrl, RPC_URL: target.rpcUrl! };
    api = await startApi({ ...settings, ...s3.settings, ...serving }, target.apiKey);
  });
  afterAll(async () => {
    await api?.stop();
    await s3?.stop();
  });

  for (const operation of ["GET /media/{name}", "GET /media/{sha256}/{size}"]) {
    const prove = async () => {
      const { status, headers } = await api.call(operation, validCalls[operation]!());
      const path = operation.includes("size") ? "/64.webp" : ".webp";
      expect([status, headers.get("location")]).toEqual([302, `https://cdn.example/pictures/${imageSha256}${path}`]);
      expect(headers.get("cache-control")).toBe("no-store");
      observed.add(`${operation} ${status}`);
    };
    statusCase(operation, 302, "says where the picture is", prove, { observed });
  }
});
