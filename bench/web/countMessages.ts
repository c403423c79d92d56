import { streamEvents } from "@slipway/sdk/streamEvents";

/** Counts the messages that a second client of a page's stream receives. */
export function countMessages(baseUrl: string, selection: { token?: string }): { count(): number; stop(): void } {
  const end = new AbortController();
  let count = 0;
  const read = async () => {
    for await (const _ of streamEvents({ baseUrl, ...selection, signal: end.signal })) count++;
  };
  // Without the stream the count stays the same, which a goal then shows.
  read().catch(() => undefined);
  return { count: () => count, stop: () => end.abort() };
}
