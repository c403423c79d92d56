import type { OutboxRow } from "../readModel/queries.ts";
import type { LiveEvent } from "../readModel/toLiveEvent.ts";
import { textFrame } from "./textFrame.ts";

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
