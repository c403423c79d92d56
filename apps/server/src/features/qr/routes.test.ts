import { crc32, inflateSync } from "node:zlib";
import { create } from "qrcode";
import { describe, expect, test } from "vitest";
import { renderReceiveCode } from "./routes.ts";

/** Decodes a PNG of one grey bit per pixel without filters, by the specification; throws at a wrong checksum. */
function readPng(bytes: Buffer): { width: number; height: number; isBlack: (x: number, y: number) => boolean } {
  expect(bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(bytes.subarray(at + 4, at + 8 + length)));
    chunks.set(bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.get("IHDR")!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  // Bit depth 1, greyscale, deflate, filter method 0, not interlaced.
  expect([...header.subarray(8)]).toEqual([1, 0, 0, 0, 0]);
  const pixels = inflateSync(chunks.get("IDAT")!);
  const stride = 1 + Math.ceil(width / 8);
  expect(pixels.length).toBe(stride * height);
  return {
    width,
    height,
    isBlack: (x, y) => {
      expect(pixels[y * stride]).toBe(0);
      return ((pixels[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1) === 0;
    },
  };
}

const address = `0x${"Ab".repeat(20)}`;

describe("renderReceiveCode", () => {
  test.each([address, `ethereum:${address}@12345678`])("renders every module of %s with a white border", (text) => {
    const { bytes, contentType, etag } = renderReceiveCode(text);
    expect([contentType, etag]).toEqual(["image/png", expect.stringMatching(/^".+"$/)]);
    const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
    const { width, height, isBlack } = readPng(bytes);
    expect([width, height]).toEqual([(size + 8) * 8, (size + 8) * 8]);
    const wrong: string[] = [];
    for (let y = 0; y < height; y += 3) {
      for (let x = 0; x < width; x += 3) {
        const [column, row] = [(x >> 3) - 4, (y >> 3) - 4];
        const isInside = column >= 0 && row >= 0 && column < size && row < size;
        if (isBlack(x, y) !== (isInside && data[row * size + column] === 1)) wrong.push(`${x},${y}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
