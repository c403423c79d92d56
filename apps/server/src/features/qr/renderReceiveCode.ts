import { crc32, deflateSync } from "node:zlib";
import { create } from "qrcode";
import { z } from "zod";
import { ReadyAnswer, strongEtag } from "../../cache/cachedResponse.ts";

/** The white border, in modules. */
const quietZone = 4;

/** A text as a QR code (ISO/IEC 18004, error correction M, quiet zone of four modules): black on white PNG. */
export function renderReceiveCode(text: string): ReadyAnswer {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  const isInside = (at: number) => at >= 0 && at < size;
  const png = encodePng(size + 2 * quietZone, (column, row) => {
    const [x, y] = [column - quietZone, row - quietZone];
    return isInside(x) && isInside(y) && data[y * size + x] === 1;
  });
  return new ReadyAnswer(png, strongEtag(png), "image/png");
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");
/** One bit a pixel, grey: 0 is black, 1 is white. */
const [bitDepth, greyscale] = [1, 0];
/** A byte of pixels is a square's width, and so many rows are its height. */
const pixelsPerSquare = 8;

/**
 * Draws squares of 8 x 8 pixels as PNG. A byte for each row of a square: a library that draws pixels in colours takes
 * ten times as long, on the thread that answers everybody.
 * Source: PNG (Third Edition), 5.2 to 5.6, 11.2.1.
 *
 * @param squares - How many there are in a row, and rows there are.
 */
export function encodePng(squares: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(squares * pixelsPerSquare, 0);
  header.writeUInt32BE(squares * pixelsPerSquare, 4);
  header.set([bitDepth, greyscale], 8);
  const rows: Buffer[] = [];
  for (let y = 0; y < squares; y++) {
    // Each row begins with its filter: 0, none.
    const row = Buffer.alloc(1 + squares, 0xff);
    row[0] = 0;
    for (let x = 0; x < squares; x++) if (isBlack(x, y)) row[1 + x] = 0;
    for (let i = 0; i < pixelsPerSquare; i++) rows.push(row);
  }
  const pixels = deflateSync(Buffer.concat(rows));
  return Buffer.concat([
    signature,
    encodeChunk("IHDR", header),
    encodeChunk("IDAT", pixels),
    encodeChunk("IEND", Buffer.alloc(0)),
  ]);
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

/** What a receive code may say: an address, alone or as an EIP-681 link with a chain id. Source: the spec. */
const receivePattern = /^(ethereum:)?0x[0-9a-fA-F]{40}(@[0-9]{1,8})?$/;

/** Nobody receives at the zero address: what is sent there is lost. */
const zeroAddress = /0x0{40}/;

/** The `text` of a QR code: `0x…`, `ethereum:0x…` or either with `@<chain id>`; the zero address is refused. */
export const receiveText = z
  .string()
  .regex(receivePattern, "must be [ethereum:]0x followed by 40 hex digits and optionally @ and a chain id")
  .refine((text) => !zeroAddress.test(text), "must not be the zero address");
