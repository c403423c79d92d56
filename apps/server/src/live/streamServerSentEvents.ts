import type { OutboxRow } from "./queries.ts";
import { type LiveFeed, tooFarBehind } from "./createLiveFeed.ts";
import { concerns, type LiveEvent, type LiveFilter, toLiveEvent } from "./liveMessage.ts";

export type LiveTextOptions = {
  feed: LiveFeed;
  /** The id that the reader has seen last. */
  cursor: number;
  filter: LiveFilter;
  /** The reader went away. */
  signal: AbortSignal;
  reconnectMs: number;
};

/** A line that says nothing, so that proxies and clients see a living connection. */
const heartbeat = ": heartbeat\n\n";
const heartbeatMs = 15_000;

/**
 * The text of one reader's stream, piece by piece as the reader takes it: nothing is queued for a slow one. It ends
 * when the reader goes away or the feed ends; the reader comes back with the last id it has seen.
 */
export async function* liveText(options: LiveTextOptions): AsyncGenerator<string> {
  const { feed, signal } = options;
  let { cursor } = options;
  let told = cursor;
  yield `retry: ${options.reconnectMs}\n${eventText("ready", cursor, JSON.stringify({ cursor: String(cursor) }))}`;
  while (!signal.aborted && !feed.ended()) {
    const step = feed.behind(cursor) > tooFarBehind ? behind(feed) : await feed.after(cursor);
    if (step.kind === "behind") {
      cursor = told = step.newest;
      yield snapshotText(cursor, "slow_reader");
      continue;
    }
    if (step.rows.length === 0) {
      await feed.more(heartbeatMs, signal);
      if (feed.newest() === cursor && !feed.ended() && !signal.aborted) yield heartbeat;
      continue;
    }
    cursor = step.rows.at(-1)!.id;
    const text = textOf(step.rows, options.filter);
    if (text !== "") {
      told = cursor;
      yield text;
    } else if (cursor - told > 1_000) {
      told = cursor;
      yield `id: ${cursor}\n${heartbeat}`;
    }
  }
}

function behind(feed: LiveFeed) {
  return { kind: "behind", newest: feed.newest() } as const;
}

function textOf(rows: readonly OutboxRow[], filter: LiveFilter): string {
  let text = "";
  for (const row of rows) {
    const told = wordRow(row);
    if (told !== null && concerns(told.event, filter)) text += told.text;
  }
  return text;
}

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
  const told = event === null ? null : { event, text: rowText(event, row.id) };
  worded.set(row, { told });
  return told;
}

function rowText({ name, json }: LiveEvent, id: number): string {
  return name === "snapshot" ? snapshotText(id, "rebuilt") : eventText(name, id, json);
}
