import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import {
  disposingGif,
  draw,
  drawAnimation,
  drawNoise,
  drawNoiseAnimation,
  drawPixels,
  flatGif,
  flatPng,
  oddPictures,
  pngChunk,
  withExif,
} from "../../../../tests/support/images/pictures.ts";
import { systemClock } from "../systemClock.ts";
import { createImageDecoder } from "./createImageDecoder.ts";
import type { EncodedImage } from "./encodeImage.ts";
import { getStoredBytes } from "./getStoredBytes.ts";

// A deadline that only bounds a hang: a busy machine exceeds the service's minute with the largest pictures.
const decoder = createImageDecoder({ clock: systemClock, processes: 2, deadlineMs: 240_000 });
afterAll(() => decoder.stop());

const refused = (code: string) => ({ name: "SlipwayError", code });
const limitBroken = { ...refused("invalid_fields"), field: "file" };

/** Root mean square difference of two pictures of the same size, on a scale of 255. */
async function getDifference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const raw = (bytes: Uint8Array) =>
    sharp(bytes).flatten({ background: "white" }).toColourspace("srgb").raw().toBuffer();
  const [left, right] = [await raw(a), await raw(b)];
  expect(right.length).toBe(left.length);
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += (left[i]! - right[i]!) ** 2;
  return Math.sqrt(sum / left.length);
}

async function expectOwnEncoding(image: EncodedImage): Promise<void> {
  expect(image.sha256).toBe(createHash("sha256").update(image.bytes).digest("hex"));
  const {
    format,
    width,
    height,
    pageHeight,
    pages = 1,
    space,
    exif,
    icc,
    xmp,
    iptc,
  } = await sharp(image.bytes, {
    animated: true,
  }).metadata();
  expect({ format, width, height: pageHeight ?? height, animated: pages > 1, space }).toEqual({
    format: "webp",
    width: image.width,
    height: image.height,
    animated: image.animated,
    space: "srgb",
  });
  expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined]);
  expect(image.dominantColor).toMatch(/^#[0-9a-f]{6}$/);
  expect(image.blurhash.length).toBe(28);
  expect(image.sizes.map(({ size }) => size)).toEqual([64, 256, 512, 1_024]);
  for (const { size, bytes } of image.sizes) {
    const small = await sharp(bytes).metadata();
    const longer = Math.max(image.width, image.height);
    expect([small.format, Math.max(small.width, small.height)]).toEqual(["webp", Math.min(size, longer)]);
  }
}

describe("a legal picture", () => {
  it.each(Object.entries(oddPictures))("%s becomes our own WebP", async (_name, create) => {
    await expectOwnEncoding(await decoder.encode(await create()));
  });

  it.each(["16-bit PNG", "palette PNG", "CMYK JPEG", "progressive JPEG", "lossless WebP", "interlaced PNG"])(
    "%s keeps its content",
    async (name) => {
      const file = await oddPictures[name]!();
      const { bytes } = await decoder.encode(file);
      expect(await getDifference(file, bytes)).toBeLessThan(16);
    },
  );

  it("encodes to the same bytes each time, and encodes a small drawing without loss", async () => {
    const file = await draw().png().toBuffer();
    const [first, second] = await Promise.all([decoder.encode(file), decoder.encode(file)]);
    expect(second).toEqual(first);
    const stored = await sharp(first.bytes).ensureAlpha().raw().toBuffer();
    const sent = drawPixels(96, 64);
    for (let i = 0; i < sent.length; i += 4) {
      if (sent[i + 3] !== 0) expect(stored.subarray(i, i + 4)).toEqual(sent.subarray(i, i + 4));
    }
  });

  it("does not depend on the metadata or the compression of its file", async () => {
    const one = await decoder.encode(await draw().png({ compressionLevel: 1 }).toBuffer());
    const other = await decoder.encode(await withExif(draw()).png({ compressionLevel: 9 }).toBuffer());
    expect(other.sha256).toBe(one.sha256);
  });

  it("is rotated upright", async () => {
    const image = await decoder.encode(
      await withExif(draw(96, 64, 3), 6)
        .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
        .toBuffer(),
    );
    expect([image.width, image.height]).toEqual([64, 96]);
    const turned = await draw(96, 64, 3).rotate(90).png().toBuffer();
    expect(await getDifference(turned, image.bytes)).toBeLessThan(16);
  });

  it("of another colour space has the colours of its profile", async () => {
    const green = { create: { width: 32, height: 32, channels: 3 as const, background: { r: 0, g: 200, b: 0 } } };
    const file = await sharp(green).withIccProfile("p3").png().toBuffer();
    const { bytes } = await decoder.encode(file);
    const [red, , blue] = await sharp(bytes).raw().toBuffer();
    // The file's own values, which are in P3, would be read as another green.
    expect([red! < 30, blue! < 30]).toEqual([true, true]);
    expect(await getDifference(file, bytes)).toBeLessThan(4);
  });

  it("keeps the frames, pauses and repetitions of an animation", async () => {
    for (const format of ["gif", "webp"] as const) {
      const image = await decoder.encode(await drawAnimation(format));
      const { pages, delay, loop } = await sharp(image.bytes).metadata();
      expect([image.animated, pages, delay, loop]).toEqual([true, 6, Array(6).fill(120), 0]);
      const last = await sharp(image.bytes, { page: 5 }).removeAlpha().raw().toBuffer();
      // The square is at the position of the last frame, and the squares of earlier frames are cleared.
      expect([last[(12 * 48 + 24) * 3]! > 200, last[(12 * 48 + 2) * 3]! < 60]).toEqual([true, true]);
    }
  });

  it("composes GIF frames that cover parts, and keeps, clears or restores them", async () => {
    const { bytes } = await decoder.encode(disposingGif());
    const frames: string[][] = [];
    for (let page = 0; page < 4; page++) {
      const pixels = await sharp(bytes, { page }).ensureAlpha().raw().toBuffer();
      const nameAt = (x: number, y: number) => {
        const channels = [...pixels.subarray((y * 8 + x) * 4, (y * 8 + x) * 4 + 3)];
        return ["red", "green", "blue"][channels.findIndex((value) => value > 128)] ?? "clear";
      };
      // The areas of the second, the third and the fourth frame, and an area that no frame covers.
      frames.push([nameAt(1, 1), nameAt(6, 6), nameAt(5, 1), nameAt(1, 6)]);
    }
    expect(frames).toEqual([
      ["red", "red", "red", "red"],
      ["green", "red", "red", "red"],
      ["red", "blue", "red", "red"],
      ["red", "clear", "green", "red"],
    ]);
  });

  it("of several frames becomes a still if the format's reader supports one frame only (APNG)", async () => {
    const png = await draw().png().toBuffer();
    const afterHeader = 8 + 25;
    const control = Buffer.alloc(8);
    control.writeUInt32BE(2, 0);
    const apng = Buffer.concat([png.subarray(0, afterHeader), pngChunk("acTL", control), png.subarray(afterHeader)]);
    expect((await decoder.encode(apng)).animated).toBe(false);
  });

  it("that is larger than the stored size is reduced", async () => {
    const image = await decoder.encode(await draw(4_000, 1_000, 3).jpeg().toBuffer());
    expect([image.width, image.height]).toEqual([2_048, 512]);
  });
});

describe("C5-02 a picture that breaks a limit", () => {
  it.each([
    ["14000 x 14000 pixels", () => flatPng(14_000, 14_000)],
    ["30000 x 1 pixels", () => flatPng(30_000, 1)],
    ["8192 x 8192 pixels, which are 67 million", () => flatPng(8_192, 8_192)],
    ["10,000 frames", () => flatGif(10_000, 8, 8)],
    ["200 frames of 1000 x 1000 pixels", () => flatGif(200, 1_000, 1_000)],
  ])("of %s is refused by its header", async (_what, create) => {
    await expect(decoder.encode(create())).rejects.toMatchObject(limitBroken);
  });

  it("may have exactly the allowed maximum", async () => {
    expect(await decoder.encode(flatGif(300, 16, 16))).toMatchObject({ animated: true });
  });
});

describe("C5-37 the stored files of a picture", () => {
  const mebibyte = 1024 * 1024;

  it("have at most 6 MiB: a larger animation is refused, and the error recommends what to send", async () => {
    const file = await drawNoiseAnimation(160);
    expect(file.length).toBeLessThan(4 * mebibyte);
    const advice =
      /becomes \d+ bytes of WebP, of which at most 6291456 are stored; send one of fewer frames or fewer pixels/;
    await expect(decoder.encode(file)).rejects.toMatchObject({
      ...limitBroken,
      message: expect.stringMatching(advice),
    });
    const half = await decoder.encode(await drawNoiseAnimation(80));
    expect([half.animated, half.bytes.length > 3 * mebibyte]).toEqual([true, true]);
  });

  it("have at most 7 MiB with the smaller versions", async () => {
    const drawTransparent = (side: number) => drawNoise(side, side).webp({ quality: 60, effort: 0 }).toBuffer();
    const advice = /WebP with its smaller versions, of which at most 7340032 are stored; send one of fewer pixels/;
    await expect(decoder.encode(await drawTransparent(1_850))).rejects.toMatchObject({
      ...limitBroken,
      message: expect.stringMatching(advice),
    });
    expect(getStoredBytes(await decoder.encode(await drawTransparent(1_600)))).toBeGreaterThan(5 * mebibyte);
  });

  it.each([
    ["photograph", 3, () => drawNoise(2_048, 2_048, 3).jpeg({ quality: 85 })],
    ["drawing", 5, () => drawNoise(1_020, 1_020).png()],
  ])("are accepted for a %s that is as hard to compress as possible", async (_what, minMebibytes, create) => {
    const stored = getStoredBytes(await decoder.encode(await create().toBuffer()));
    expect(stored).toBeGreaterThan(minMebibytes * mebibyte);
  });
});

describe("C5-03 a file that is not a picture", () => {
  const png = () => draw().png().toBuffer();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>');
  const cases: Record<string, () => Promise<Buffer>> = {
    empty: async () => Buffer.alloc(0),
    "of one byte": async () => Buffer.from([0x89]),
    SVG: async () => svg,
    HTML: async () => Buffer.from("<!doctype html><script>alert(1)</script>"),
    PDF: async () => Buffer.from("%PDF-1.7\n1 0 obj\n"),
    TIFF: () => draw().tiff().toBuffer(),
    AVIF: () => draw().avif().toBuffer(),
    "only a signature": async () => (await png()).subarray(0, 8),
    "SVG after a PNG's signature": async () => Buffer.concat([(await png()).subarray(0, 8), svg]),
    "a PNG that is truncated": async () => (await png()).subarray(0, 300),
    "a PNG with a wrong checksum": async () => {
      const broken = Buffer.from(await png());
      broken[60]! ^= 0xff;
      return broken;
    },
    "a JPEG that is truncated": async () => {
      const jpeg = await draw(400, 400, 3).jpeg().toBuffer();
      return jpeg.subarray(0, jpeg.length / 2);
    },
    "a GIF that is truncated": async () => (await drawAnimation("gif")).subarray(0, 200),
    "a WebP that is truncated": async () => (await drawAnimation("webp")).subarray(0, 200),
  };
  it.each(Object.entries(cases))("(%s) is refused", async (_name, create) => {
    await expect(decoder.encode(await create())).rejects.toMatchObject(refused("unsupported_image_type"));
  });

  it("and is also a picture leaves nothing of the other format", async () => {
    const script = "/*--><script>alert('planted')</script>";
    for (const file of [await drawAnimation("gif"), await png(), await draw(64, 64, 3).jpeg().toBuffer()]) {
      const image = await decoder.encode(Buffer.concat([file, Buffer.from(script)]));
      for (const bytes of [image.bytes, ...image.sizes.map((one) => one.bytes)]) {
        expect(Buffer.from(bytes).includes("planted")).toBe(false);
      }
      await expectOwnEncoding(image);
    }
  });
});

it("C5-04 removes EXIF, the location of a photograph, profiles and comments", async () => {
  const formats = [withExif(draw(96, 64, 3)).jpeg(), withExif(draw()).png(), withExif(draw()).webp()];
  for (const format of formats) {
    const file = await format.toBuffer();
    expect((await sharp(file).metadata()).exif).toBeDefined();
    const image = await decoder.encode(file);
    await expectOwnEncoding(image);
    for (const bytes of [image.bytes, ...image.sizes.map((one) => one.bytes)]) {
      expect(Buffer.from(bytes).toString("latin1")).not.toMatch(/planted|EXIF|ICCP|XMP/);
    }
  }
});

describe("C5-05 the library of decoders", () => {
  it("has at least the version whose readers can be blocked safely", () => {
    const [major = 0, minor = 0, patch = 0] = sharp.versions.sharp!.split(".").map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(35_005);
  });

  it("is loaded only by the decoder's program", () => {
    const source = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
    expect(source("encodeImage.ts")).toContain('sharp.block({ operation: ["VipsForeignLoad"] });');
    expect(source("createImageDecoder.ts")).not.toMatch(/from "sharp"|import \{[^}]*encodeImage/);
  });
});

const program = fileURLToPath(new URL("../../../../tests/support/images/faultyDecoder.ts", import.meta.url));

describe("C5-11 a decoder process", () => {
  it.each(["hang", "stop"])(
    "that does not respond (%s) is killed, and the next picture uses a new process",
    async (way) => {
      const faulty = createImageDecoder({
        clock: systemClock,
        processes: 1,
        program,
        deadlineMs: 6_000,
      });
      try {
        const file = Buffer.concat([await draw(1, 1).png().toBuffer(), Buffer.from(way)]);
        await expect(faulty.encode(file)).rejects.toMatchObject(limitBroken);
        expect(await faulty.encode(await draw(1, 1).png().toBuffer())).toMatchObject({ width: 1 });
      } finally {
        await faulty.stop();
      }
    },
  );

  it("that crashes is replaced, and its picture is refused after a second attempt", async () => {
    const faulty = createImageDecoder({ clock: systemClock, processes: 1, program });
    try {
      const good = await draw(1, 1).png().toBuffer();
      const bad = Buffer.concat([good, Buffer.from("crash")]);
      await expect(faulty.encode(bad)).rejects.toMatchObject(refused("unsupported_image_type"));
      expect(await faulty.encode(good)).toMatchObject({ width: 1 });
    } finally {
      await faulty.stop();
    }
  });

  it("has a bounded queue: further pictures are refused at once as overloaded", async () => {
    const slow = createImageDecoder({ clock: systemClock, processes: 1, program });
    try {
      const file = Buffer.concat([await draw(1, 1).png().toBuffer(), Buffer.from("slow")]);
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => slow.encode(file)));
      const codes = results.map((result) => (result.status === "rejected" ? result.reason.code : "ok"));
      expect(new Set(codes)).toEqual(new Set(["ok", "overloaded"]));
      expect(codes.filter((code) => code === "ok").length).toBeGreaterThanOrEqual(16);
    } finally {
      await slow.stop();
    }
  });
});

it("C5-12 gets no variable of the service's environment, and may write no file and start no process", async () => {
  process.env.PLANTED_SECRET = "planted";
  const faulty = createImageDecoder({ clock: systemClock, processes: 1, program });
  try {
    const file = Buffer.concat([await draw(1, 1).png().toBuffer(), Buffer.from("environment")]);
    const { blurhash } = await faulty.encode(file);
    const seen = JSON.parse(blurhash);
    expect(Object.keys(seen.environment).sort()).toEqual(["MALLOC_ARENA_MAX", "TINYPOOL_WORKER_ID", "VIPS_WARNING"]);
    expect(seen).toMatchObject({
      read: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      spawn: "ERR_ACCESS_DENIED",
      connect: "ERR_ACCESS_DENIED",
    });
  } finally {
    delete process.env.PLANTED_SECRET;
    await faulty.stop();
  }
});
