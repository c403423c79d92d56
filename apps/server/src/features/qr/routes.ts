import { crc32, deflateSync } from "node:zlib";
import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { create } from "qrcode";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";

/** Creates the route that renders a receive address as a QR code. */
export function qrRoutes(_deps: Deps): Route[] {
  return [
    createRoute("getReceiveCode", {
      cache: "public-10s",
      handle: async ({ query, reply }) => {
        const warning = findWarning(query.text);
        if (warning !== null) reply.header("slipway-warning", warning);
        return renderReceiveCode(query.text);
      },
    }),
  ];
}

/** Returns the reason why assets sent to the address of a text would be lost; null without one. */
function findWarning(text: string): "zero_address" | "address_checksum" | null {
  const [address] = /0x[0-9a-fA-F]{40}/.exec(text)!;
  if (/^0x0{40}$/.test(address)) return "zero_address";
  return checkAddressChecksum(address).status === "wrong" ? "address_checksum" : null;
}

/** The white border, in modules. */
const quietZone = 4;

/** Renders a text as a QR code (ISO/IEC 18004, error correction M, quiet zone of four modules), black on white PNG. */
export function renderReceiveCode(text: string): CachedResponse {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  const isInside = (at: number) => at >= 0 && at < size;
  const png = encodePng(size + 2 * quietZone, (column, row) => {
    const [x, y] = [column - quietZone, row - quietZone];
    return isInside(x) && isInside(y) && data[y * size + x] === 1;
  });
  return new CachedResponse(png, strongEtag(png), "image/png");
}

const signature = Buffer.from("89504e470d0a1a0a", "hex");
/** One grey bit per pixel: 0 is black, 1 is white. */
const [bitDepth, greyscale] = [1, 0];
/** Width and height of a module: one byte of pixels per row. */
const pixelsPerModule = 8;

/**
 * Encodes modules of 8 x 8 pixels as a PNG with one bit per pixel. A library for colour images takes ten times as long
 * on the thread that serves all requests.
 * Source: PNG (Third Edition), 5.2 to 5.6, 11.2.1.
 *
 * @param modules - Number of modules per row, and number of rows.
 */
export function encodePng(modules: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(modules * pixelsPerModule, 0);
  header.writeUInt32BE(modules * pixelsPerModule, 4);
  header.set([bitDepth, greyscale], 8);
  const rows: Buffer[] = [];
  for (let y = 0; y < modules; y++) {
    // A row begins with its filter type: 0, none.
    const row = Buffer.alloc(1 + modules, 0xff);
    row[0] = 0;
    for (let x = 0; x < modules; x++) if (isBlack(x, y)) row[1 + x] = 0;
    for (let i = 0; i < pixelsPerModule; i++) rows.push(row);
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
