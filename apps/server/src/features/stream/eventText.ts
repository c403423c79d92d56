import type { OutboxRow } from "../../readModel/queries.ts";
import { type LiveEvent, toLiveEvent } from "../../readModel/toLiveEvent.ts";

/** A message as Server-Sent Events text (WHATWG HTML, 9.2.5). JSON has no line feed, so that it is one data line. */
export function eventText(name: string, id: number, json: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${json}\n\n`;
}

/** Says that messages were left out. */
export function snapshotText(cursor: number, reason: "slow_reader" | "rebuilt"): string {
  return eventText("snapshot", cursor, JSON.stringify({ reason, cursor: String(cursor) }));
}

type Told = { event: LiveEvent; text: string } | null;

// A row goes to every reader: it is worded once.
const worded = new WeakMap<OutboxRow, { told: Told }>();

/** What an outbox row tells, and its text; null for nothing. */
export function wordRow(row: OutboxRow): Told {
  const known = worded.get(row);
  if (known !== undefined) return known.told;
  const event = toLiveEvent(row);
  const told = event === null ? null : { event, text: textOf(event, row.id) };
  worded.set(row, { told });
  return told;
}

function textOf({ name, json }: LiveEvent, id: number): string {
  return name === "snapshot" ? snapshotText(id, "rebuilt") : eventText(name, id, json);
}
