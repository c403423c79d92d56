import type { OutboxRow } from "./queries.ts";
import type { LiveEvent } from "./liveMessage.ts";

/**
 * A whole WebSocket text frame of a server (RFC 6455, 5.2): final, unmasked, not compressed. The same bytes go to any
 * number of sockets, which `ws` would frame anew for each.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headLength + length);
  frame[0] = 0x81;
  if (headLength === 2) {
    frame[1] = length;
  } else if (headLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headLength);
  return frame;
}

// A row goes to every reader: it is framed once.
const framed = new WeakMap<OutboxRow, Buffer>();

/** The frame of what a row tells; the row's id is its cursor. */
export function rowFrame(row: OutboxRow, event: LiveEvent): Buffer {
  let frame = framed.get(row);
  if (frame === undefined) {
    frame = textFrame(`{"type":"${event.name}","cursor":"${row.id}","data":${event.json}}`);
    framed.set(row, frame);
  }
  return frame;
}

/** Says that messages up to a cursor were left out. */
export function snapshotFrame(cursor: number): Buffer {
  return textFrame(`{"type":"snapshot","cursor":"${cursor}","data":{"reason":"slow_reader"}}`);
}
