import sharp from "sharp";
import { expect, it } from "vitest";
import { draw, flatGif, flatPng } from "../support/images/pictures.ts";
import { hasLoaded, listChildren, readMemory } from "../support/images/processUse.ts";
import { useUploads } from "../support/images/useUploads.ts";
import { getVolume } from "../support/volume.ts";

const uploads = useUploads({ IMAGE_PROCESSES: "2" });

/** More than two decoders take: some wait. */
const uploadCount = getVolume(8, "HEAVY_UPLOADS", 3);

it(`C5-04 ${uploadCount} uploads of the heaviest legal picture are decoded outside of the API, which goes on answering`, async () => {
  // 40 megapixels of 16 bits a channel.
  const background = { r: 40, g: 90, b: 160, alpha: 0.5 };
  const flat = sharp({ create: { width: 8_000, height: 5_000, channels: 4, background } });
  const file = await flat.toColourspace("rgb16").png().toBuffer();
  expect(file.length).toBeLessThan(4 * 1024 * 1024);
  const small = await draw().png().toBuffer();
  expect((await uploads.upload(small)).status).toBe(200);
  const { pid, site } = uploads.server;
  const memory = readMemory(pid);

  const accounts = await Promise.all([...Array(2)].map(() => uploads.servers.newKey()));
  let pending = true;
  const answers = Promise.all([...Array(uploadCount)].map((_, i) => uploads.upload(file, accounts[i % 2]!))).finally(
    () => {
      pending = false;
    },
  );
  let alive = 0;
  let decoders = 0;
  while (pending) {
    expect((await fetch(`${site}/healthz`)).status).toBe(200);
    alive++;
    decoders = Math.max(decoders, listChildren(pid).filter((child) => hasLoaded(child, "libvips")).length);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const statuses = (await answers).map(({ status }) => status);
  // On a busy machine a picture may exceed its time, or wait too long for it.
  for (const status of statuses) expect([200, 422, 503]).toContain(status);
  expect(decoders).toBe(2);
  expect(alive).toBeGreaterThan(10);
  // The API only passes bytes on: it has never loaded the library that decodes.
  expect(hasLoaded(pid, "libvips")).toBe(false);
  expect(readMemory(pid) - memory).toBeLessThan(300 * 1024 * 1024);
});

it("C5-02 bombs are refused without memory for their pixels, in the API and in its decoders", async () => {
  await uploads.upload(await draw().png().toBuffer());
  const { pid } = uploads.server;
  const pids = [pid, ...listChildren(pid)];
  const before = pids.map(readMemory);
  const bombs = [
    flatPng(14_000, 14_000),
    flatPng(30_000, 1),
    flatPng(8_192, 8_192),
    flatGif(10_000, 8, 8),
    flatGif(290, 2_000, 2_000),
  ];
  for (const bomb of bombs) {
    const { status, body } = await uploads.upload(bomb);
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "file"]);
  }
  for (const [index, one] of pids.entries()) expect(readMemory(one) - before[index]!).toBeLessThan(150 * 1024 * 1024);
});
