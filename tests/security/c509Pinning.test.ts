import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { type PinningServer, startPinning } from "../support/images/startPinning.ts";
import { uploadSettings, uploadTo } from "../support/images/uploadTo.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

const folder = temporaryFolder();
let servers: ApiServers;
let server: ApiServer;
let pinning: PinningServer;
const settings = () => ({
  SITE_URL: "https://site.example",
  DATA_DIR: folder.path,
  ...uploadSettings,
  PINNING_PROVIDER: "kubo",
  PINNING_URL: pinning.url,
  PINNING_TOKEN: "planted-pinning-token",
  PINNING_TIMEOUT_MS: "5000",
  PIN_POLL_MS: "50",
});
beforeAll(async () => {
  [servers, pinning] = await Promise.all([openApiServers(), startPinning()]);
  server = await servers.open({ ...settings(), ROLES: "api,worker" });
});
afterAll(async () => {
  await servers?.close();
  await pinning?.stop();
  folder.remove();
});
beforeEach(() => {
  pinning.fault = null;
});

const upload = (file: Uint8Array, to = server) => uploadTo(to.base, servers.apiKey, file);
const makeDue = () => servers.pool.query("update app.image_pins set next_at = now() where pinned_at is null");

it("C5-09 an upload's uri is ipfs when it is pinned, and two processes pin the same picture once", async () => {
  const other = await servers.open(settings());
  const file = await draw(61, 61).png().toBuffer();
  const answers = await Promise.all([server, other, server, other].map((one) => upload(file, one)));
  const { cid, sha256 } = answers[0]!.body;
  for (const { status, body } of answers) {
    expect([status, body]).toMatchObject([
      200,
      {
        uri: `ipfs://${cid}`,
        ipfs: `ipfs://${cid}`,
        url: `https://site.example/media/${sha256}.webp`,
        ipfs_error: null,
      },
    ]);
  }
  expect(pinning.pinned.filter((one) => one === cid)).toHaveLength(1);
  const served = await fetch(`${server.site}/media/${sha256}.webp`);
  expect(Buffer.from((await pinning.node.read(cid))!).equals(Buffer.from(await served.arrayBuffer()))).toBe(true);
});

it("C5-09 an upload whose pin fails is 200 with its url; the job pins it later, and the uri becomes ipfs", async () => {
  const file = await draw(62, 62).png().toBuffer();
  pinning.fault = 500;
  const { status, body } = await upload(file);
  expect([status, body.uri, body.ipfs, body.ipfs_error.code]).toEqual([200, body.url, null, "pinning_unavailable"]);
  expect(body.ipfs_error.message).toMatch(/^[A-Z].*\.$/);
  pinning.fault = null;
  await makeDue();
  await expect.poll(() => pinning.pinned.includes(body.cid)).toBe(true);
  await expect
    .poll(async () => (await upload(file)).body)
    .toMatchObject({ uri: `ipfs://${body.cid}`, ipfs_error: null });
  expect(pinning.pinned.filter((one) => one === body.cid)).toHaveLength(1);
});

it("C5-09 nothing of the service's words, address or token is in answers or in the log", async () => {
  for (const fault of ["HTML", 401, "other cid"] as const) {
    pinning.fault = fault;
    const { status, body } = await upload(
      await draw(63, 60 + String(fault).length)
        .png()
        .toBuffer(),
    );
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringMatching(/planted|127\.0\.0\.1/)]);
    expect(body.ipfs_error.code).toMatch(/^pinning_/);
  }
  expect(server.output()).not.toContain("planted");
});

it("C5-09 a server killed while it pins leaves a picture that is served, and that is pinned after a restart", async () => {
  const file = await draw(64, 64).png().toBuffer();
  const doomed = await servers.open(settings());
  pinning.fault = "hang";
  const before = pinning.seen.length;
  const lost = upload(file, doomed).catch(() => null);
  await expect.poll(() => pinning.seen.length).toBeGreaterThan(before);
  await doomed.kill();
  expect(await lost).toBeNull();
  pinning.fault = null;
  await makeDue();
  const next = await servers.open(settings());
  await expect.poll(async () => (await upload(file, next)).body.ipfs_error).toBeNull();
  const { body } = await upload(file, next);
  expect(body.uri).toBe(`ipfs://${body.cid}`);
  expect((await fetch(`${next.site}/media/${body.sha256}.webp`)).status).toBe(200);
});
