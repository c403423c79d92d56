import { streamEvents } from "@slipway/sdk/streamEvents";

/** Counts what a second client of the same stream as a page's gets. */
export function countMessages(baseUrl: string, selection: { token?: string }): { count(): number; stop(): void } {
  const end = new AbortController();
  let count = 0;
  const read = async () => {
    for await (const _ of streamEvents({ baseUrl, ...selection, signal: end.signal })) count++;
  };
  // Without it the count stays, which a goal then shows.
  read().catch(() => undefined);
  return { count: () => count, stop: () => end.abort() };
}
