import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** A drawing with edges, a gradient and a transparent corner, which reveal a wrong decoder. */
export function drawPixels(width: number, height: number, channels: 3 | 4 = 4): Buffer {
  const pixels = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * channels;
      pixels[at] = Math.round((255 * x) / width);
      pixels[at + 1] = Math.round((255 * y) / height);
      pixels[at + 2] = (x >> 3) % 2 === (y >> 3) % 2 ? 220 : 30;
      if (channels === 4) pixels[at + 3] = x < width / 4 && y < height / 4 ? 0 : 255;
    }
  }
  return pixels;
}

export const draw = (width = 96, height = 64, channels: 3 | 4 = 4) =>
  sharp(drawPixels(width, height, channels), { raw: { width, height, channels } });

/** A GIF or WebP with a moving square. */
export async function drawAnimation(format: "gif" | "webp", frames = 6, side = 48): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * frames * 4);
  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < side * side; i++) {
      const x = i % side;
      const y = Math.floor(i / side);
      const inside = x >= frame * 4 && x < frame * 4 + 12 && y >= 8 && y < 20;
      pixels.set(inside ? [250, 30, 60, 255] : [20, 90, 200, 255], (frame * side * side + i) * 4);
    }
  }
  const animation = sharp(pixels, { raw: { width: side, height: side * frames, channels: 4, pageHeight: side } });
  const delay = Array(frames).fill(120);
  return format === "gif"
    ? await animation.gif({ delay, loop: 0 }).toBuffer()
    : await animation.webp({ delay, loop: 0, lossless: true }).toBuffer();
}

/** A picture of random pixels, with alpha also random transparency, which is the worst case for compression. */
export const drawNoise = (width: number, height: number, channels: 3 | 4 = 4) =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });

/** A GIF of four random colours: small as a file, and several times larger in a lossy format. */
export async function drawNoiseAnimation(frames: number, side = 256): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * frames * 3);
  for (const [i, value] of randomBytes(side * side * frames).entries()) {
    pixels[i * 3] = value & 1 ? 255 : 0;
    pixels[i * 3 + 1] = value & 2 ? 255 : 0;
  }
  const raw = { width: side, height: side * frames, channels: 3 as const, pageHeight: side };
  return await sharp(pixels, { raw })
    .gif({ effort: 1, dither: 0, colours: 4, delay: Array(frames).fill(50) })
    .toBuffer();
}

/** A chunk of a PNG. Source: PNG (Third Edition), 5.3. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

export const pngSignature = Buffer.from("89504e470d0a1a0a", "hex");

/** A greyscale PNG of one colour and any size, created without its pixels in memory; a decompression bomb if large. */
export function flatPng(width: number, height: number, chunks: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8);
  const row = 1 + Math.ceil(width / 8);
  const data = deflateSync(Buffer.alloc(row * Math.min(height, 4_000)));
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", header),
    ...chunks,
    pngChunk("IDAT", data),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A GIF with any number of frames of any size, with a few bytes a frame. Source: GIF89a specification. */
export function flatGif(frames: number, width: number, height: number): Buffer {
  const word = (value: number) => [value & 0xff, value >> 8];
  const frame = Buffer.from([
    ...[0x21, 0xf9, 4, 4, 5, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, ...word(1), ...word(1), 0],
    ...[2, 2, 0x44, 0x01, 0],
  ]);
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from([...word(width), ...word(height), 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array<Buffer>(frames).fill(frame),
    Buffer.from([0x3b]),
  ]);
}

/** A region of a GIF's screen with one palette entry, and its disposal before the next frame. */
type GifFrame = {
  at: [left: number, top: number];
  size: [width: number, height: number];
  colour: number;
  disposal: number;
};

/**
 * A GIF of 8 x 8 pixels whose frames cover regions that are kept (disposal 1), cleared (2) or restored (3). Source:
 * GIF89a specification, 23.c.iv; codes have 8 bits, because the table is cleared before it grows.
 */
export function disposingGif(): Buffer {
  const word = (value: number) => [value & 0xff, value >> 8];
  const red = 1;
  const green = 2;
  const blue = 3;
  const frames: GifFrame[] = [
    { at: [0, 0], size: [8, 8], colour: red, disposal: 1 },
    { at: [0, 0], size: [4, 4], colour: green, disposal: 3 },
    { at: [4, 4], size: [4, 4], colour: blue, disposal: 2 },
    { at: [4, 0], size: [4, 4], colour: green, disposal: 1 },
  ];
  const palette = Buffer.alloc(128 * 3);
  for (const [channel, entry] of [red, green, blue].entries()) palette[entry * 3 + channel] = 255;
  const clear = 128;
  const end = 129;
  const blocks = frames.flatMap(({ at, size, colour, disposal }) => {
    const codes = [clear, ...Array<number>(size[0] * size[1]).fill(colour), end];
    return [
      ...[0x21, 0xf9, 4, disposal << 2, ...word(12), 0, 0],
      ...[0x2c, ...at.flatMap(word), ...size.flatMap(word), 0, 7, codes.length, ...codes, 0],
    ];
  });
  return Buffer.concat([
    Buffer.from("GIF89a"),
    Buffer.from([...word(8), ...word(8), 0x86, 0, 0]),
    palette,
    Buffer.from([...blocks, 0x3b]),
  ]);
}

/** EXIF with a place, a camera and a comment, which must not be served. */
export const withExif = (picture: Sharp, orientation?: number) =>
  picture.withMetadata({ ...(orientation === undefined ? {} : { orientation }) }).withExifMerge({
    IFD0: { Copyright: "planted-copyright", Make: "planted-camera", ImageDescription: "planted-description" },
    IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1", GPSLongitudeRef: "W", GPSLongitude: "0/1 7/1 0/1" },
  });

/** Legal pictures that some decoders get wrong. */
export const oddPictures: Record<string, () => Promise<Buffer>> = {
  "16-bit PNG": () => draw().toColourspace("rgb16").png().toBuffer(),
  "greyscale PNG with alpha": () => draw().toColourspace("b-w").png().toBuffer(),
  "palette PNG": () => draw().png({ palette: true, colours: 16 }).toBuffer(),
  "interlaced PNG": () => draw().png({ progressive: true }).toBuffer(),
  "CMYK JPEG": () => draw(96, 64, 3).toColourspace("cmyk").jpeg().toBuffer(),
  "progressive JPEG": () => draw(96, 64, 3).jpeg({ progressive: true }).toBuffer(),
  "greyscale JPEG": () => draw(96, 64, 3).toColourspace("b-w").jpeg().toBuffer(),
  "JPEG in Display P3": () => draw(96, 64, 3).withIccProfile("p3").jpeg({ quality: 95 }).toBuffer(),
  "JPEG with EXIF, GPS and orientation": () =>
    withExif(draw(96, 64, 3), 6)
      .jpeg()
      .toBuffer(),
  "lossless WebP": () => draw().webp({ lossless: true }).toBuffer(),
  "GIF of one frame": () => draw().gif().toBuffer(),
  "animated GIF": () => drawAnimation("gif"),
  "GIF whose frames cover parts": async () => disposingGif(),
  "animated WebP": () => drawAnimation("webp"),
  "PNG of one pixel": () => draw(1, 1).png().toBuffer(),
  "PNG of 8192 x 1": () => draw(8_192, 1).png().toBuffer(),
};
