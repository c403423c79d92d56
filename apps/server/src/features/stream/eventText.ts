import type { OutboxRow } from "../../readModel/queries.ts";
import { type LiveEvent, toLiveEvent } from "./toLiveEvent.ts";

/** A message as Server-Sent Events text (WHATWG HTML, 9.2.5). JSON has no line feed, so that it is one data line. */
export function eventText(name: string, id: number, data: unknown): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Told = { event: LiveEvent; text: string } | null;

// A row goes to every reader: it is worded once.
const worded = new WeakMap<OutboxRow, { told: Told }>();

/** What an outbox row tells, and its text; null for nothing. */
export function wordRow(row: OutboxRow): Told {
  const known = worded.get(row);
  if (known !== undefined) return known.told;
  const event = toLiveEvent(row);
  const data = event?.name === "rebuilt" ? { reason: "rebuilt", cursor: String(row.id) } : event?.data;
  const told =
    event === null
      ? null
      : { event, text: eventText(event.name === "rebuilt" ? "snapshot" : event.name, row.id, data) };
  worded.set(row, { told });
  return told;
}
