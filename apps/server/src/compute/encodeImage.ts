import { createHash } from "node:crypto";
import { encode as encodeBlurhash } from "blurhash";
import sharp, { type Metadata, type Sharp } from "sharp";
import { computeCid } from "./computeCid.ts";
import { getStoredBytes } from "./getStoredBytes.ts";
import { type ImageSize, imageLimits, imageSizes, maxStoredBytes, maxStoredSide } from "./imageLimits.ts";

// libvips supports dozens of formats; only the readers of the four accepted formats can run, and only on bytes in
// memory.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadNsgifBuffer",
    "VipsForeignLoadWebpBuffer",
  ],
});
sharp.cache(false);
sharp.concurrency(1);

/** A picture in our own encoding, without any other data of the uploaded file. */
export type EncodedImage = {
  bytes: Uint8Array;
  contentType: "image/webp";
  /** SHA-256 of `bytes`, in hex. */
  sha256: string;
  /** CID of `bytes`, see `computeCid`. */
  cid: string;
  width: number;
  height: number;
  animated: boolean;
  /** Source: https://blurha.sh */
  blurhash: string;
  /** `#rrggbb`. */
  dominantColor: string;
  /** The perceptual hash of the first frame, 64 bits in hex; see `computeDhash`. */
  dhash: string;
  /** Smaller versions; for an animation, of its first frame. Never larger than the picture. */
  sizes: { size: ImageSize; bytes: Uint8Array }[];
};

/** Why a file is refused: it is not a picture of the four formats, or it breaks a limit. */
export type ImageRefusal = { code: "unsupported_image_type" | "invalid_fields"; message: string };

export type EncodeResult = { ok: true; image: EncodedImage } | ({ ok: false } & ImageRefusal);

const formats: readonly string[] = ["png", "jpeg", "gif", "webp"];

const notAPicture: EncodeResult = {
  ok: false,
  code: "unsupported_image_type",
  message: "The file is no PNG, JPEG, GIF or WebP picture that can be decoded; it may be cut off or damaged.",
};

export const refuseImage = (what: string): EncodeResult => ({
  ok: false,
  code: "invalid_fields",
  message: `The picture ${what}.`,
});

/**
 * Decodes a picture and encodes it as WebP: rotated upright by its EXIF orientation, in sRGB, without metadata, an
 * animation with all its frames. Runs in a decoder process (`decodeImage.ts`).
 */
export async function encodeImage(file: Uint8Array): Promise<EncodeResult> {
  // Reads only headers, so that a picture that is too large is refused before any pixel is decoded.
  const header = await readHeader(file);
  if (header === null || (header.format === "gif" && !isWholeGif(file))) return notAPicture;
  const refusal = findBrokenLimit(header);
  if (refusal !== null) return refusal;
  try {
    return await encode(file, header);
  } catch {
    return notAPicture;
  }
}

async function readHeader(file: Uint8Array): Promise<Metadata | null> {
  try {
    const header = await sharp(file, { limitInputPixels: false, failOn: "warning" }).metadata();
    return formats.includes(header.format ?? "") && header.width > 0 && header.height > 0 ? header : null;
  } catch {
    return null;
  }
}

function findBrokenLimit({ width, height, pages = 1 }: Metadata): EncodeResult | null {
  const { maxSide, maxFrames, maxPixels } = imageLimits;
  if (width > maxSide || height > maxSide) {
    return refuseImage(`is ${width} x ${height} pixels; at most ${maxSide} a side are taken`);
  }
  if (pages > maxFrames) return refuseImage(`has ${pages} frames; at most ${maxFrames} are taken`);
  if (width * height * pages > maxPixels) {
    return refuseImage(`has ${width * height * pages} pixels in all frames; at most ${maxPixels} are taken`);
  }
  return null;
}

type RawPicture = { data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } };

async function encode(file: Uint8Array, header: Metadata): Promise<EncodeResult> {
  const animated = (header.pages ?? 1) > 1;
  const still = await readStill(file);
  const encoded = animated ? await encodeAnimation(file) : await encodeStill(still, header);
  if (encoded.bytes.length > maxStoredBytes.picture) {
    return refuseBytes("", encoded.bytes.length, maxStoredBytes.picture, animated);
  }
  const sizes = [];
  for (const size of imageSizes) {
    const bytes = await shrink(fromRaw(still), size).webp({ quality: 85, alphaQuality: 90, effort: 4 }).toBuffer();
    sizes.push({ size, bytes });
  }
  const total = getStoredBytes({ bytes: encoded.bytes, sizes });
  if (total > maxStoredBytes.total) {
    return refuseBytes(" with its smaller versions", total, maxStoredBytes.total, animated);
  }
  const image: EncodedImage = {
    ...encoded,
    contentType: "image/webp",
    sha256: createHash("sha256").update(encoded.bytes).digest("hex"),
    cid: await computeCid(encoded.bytes),
    animated,
    ...(await describeColors(still)),
    dhash: await computeDhash(still),
    sizes,
  };
  return { ok: true, image };
}

function refuseBytes(what: string, bytes: number, limit: number, animated: boolean): EncodeResult {
  const advice = animated ? "fewer frames or fewer pixels" : "fewer pixels";
  return refuseImage(
    `becomes ${bytes} bytes of WebP${what}, of which at most ${limit} are stored; send one of ${advice}`,
  );
}

const shrink = (picture: Sharp, side: number) =>
  picture.resize(side, side, { fit: "inside", withoutEnlargement: true });

/** Reads the picture, or an animation's first frame, as sRGB pixels, at most of the stored size. */
async function readStill(file: Uint8Array): Promise<RawPicture> {
  const picture = sharp(file, { failOn: "warning", limitInputPixels: imageLimits.maxPixels }).autoOrient();
  const { data, info } = await shrink(picture, maxStoredSide)
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, info: { width: info.width, height: info.height, channels: info.channels as 3 | 4 } };
}

const fromRaw = ({ data, info }: RawPicture) => sharp(data, { raw: info });

/** Maximum pixels of a drawing that is stored without loss: logos and pixel art, which a lossy encoder would blur. */
const maxLosslessPixels = 1_048_576;

async function encodeStill(still: RawPicture, { format }: Metadata) {
  const { width, height } = still.info;
  const lossless = (format === "png" || format === "gif") && width * height <= maxLosslessPixels;
  const bytes = await fromRaw(still)
    .webp(lossless ? { lossless, effort: 3 } : { quality: 88, alphaQuality: 100, effort: 4, smartSubsample: true })
    .toBuffer();
  return { bytes, width, height };
}

async function encodeAnimation(file: Uint8Array) {
  const frames = sharp(file, { animated: true, failOn: "warning", limitInputPixels: imageLimits.maxPixels });
  // A higher effort takes twice the time for a tenth of the bytes.
  const { data, info } = await shrink(frames, maxStoredSide)
    .toColourspace("srgb")
    .webp({ quality: 80, effort: 1 })
    .toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height };
}

/** The side in pixels of the reduced picture from which colours are described. */
const describedSide = 32;

async function describeColors(still: RawPicture): Promise<Pick<EncodedImage, "blurhash" | "dominantColor">> {
  const small = shrink(fromRaw(still), describedSide).ensureAlpha();
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const { dominant } = await sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    .flatten({ background: "white" })
    .toBuffer()
    .then((flat) => sharp(flat, { raw: { width: info.width, height: info.height, channels: 3 } }).stats());
  const toHex = (value: number) => Math.round(value).toString(16).padStart(2, "0");
  return {
    blurhash: encodeBlurhash(new Uint8ClampedArray(data), info.width, info.height, 4, 3),
    dominantColor: `#${toHex(dominant.r)}${toHex(dominant.g)}${toHex(dominant.b)}`,
  };
}

/**
 * Computes the difference hash of a picture: of 9 x 8 grey pixels, one bit for each pair of adjacent pixels in a row,
 * set if the right pixel is brighter. Similar pictures differ in few of the 64 bits, independent of size and encoding.
 * Source: https://www.hackerfactor.com/blog/index.php?/archives/529-Kind-of-Like-That.html
 */
async function computeDhash(still: RawPicture): Promise<string> {
  const grey = await fromRaw(still)
    .flatten({ background: "white" })
    .resize({ width: 9, height: 8, fit: "fill" })
    .greyscale()
    .raw()
    .toBuffer();
  let bits = 0n;
  for (let y = 0; y < 8; y++) {
    for (let x = 0; x < 8; x++) bits = (bits << 1n) | BigInt(grey[y * 9 + x + 1]! > grey[y * 9 + x]!);
  }
  return bits.toString(16).padStart(16, "0");
}

/** The first byte of an extension block of a GIF. */
const extension = 0x21;
const image = 0x2c;
const trailer = 0x3b;

/**
 * Whether a GIF has all its blocks up to its trailer; the decoder accepts a truncated GIF and shows the complete
 * frames.
 * Source: GIF89a specification, 15 to 27.
 */
function isWholeGif(file: Uint8Array): boolean {
  const colorTable = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  /**
   * Returns the position after the sub-blocks that begin at `from`; each begins with its length, the last has length 0.
   */
  const skipBlocks = (from: number) => {
    let at = from;
    while (at < file.length && file[at] !== 0) at += 1 + file[at]!;
    return at + 1;
  };
  let at = 13 + colorTable(file[10] ?? 0);
  while (at < file.length) {
    if (file[at] === trailer) return true;
    if (file[at] === extension) at = skipBlocks(at + 2);
    else if (file[at] === image) at = skipBlocks(at + 11 + colorTable(file[at + 9] ?? 0));
    else return false;
  }
  return false;
}
