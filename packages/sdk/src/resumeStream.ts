import type { DataMessage } from "@slipway/protocol/liveMessages";
import { ApiError } from "./apiError.ts";

/** A message of a live stream. `snapshot` means that messages are missing: read the data over REST again. */
export type LiveMessage =
  | DataMessage
  | { type: "snapshot"; cursor: string; data: { reason: "cursor_expired" | "slow_reader" | "rebuilt" } };

export type ResumeOptions = {
  /** The cursor of the last processed message. Default: from now on. */
  cursor?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Called with each processed position: first when a connection opens, then after each message. */
  onCursor?: (cursor: string) => void;
  /** Called before each wait for a new connection; `error` is undefined when the service ended the last one. */
  onRetry?: (failure: { attempt: number; delayMs: number; error: unknown }) => void;
  /** Between 0 and 1. Default `Math.random`. */
  random?: () => number;
  /** Default: a timer. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
};

/** A received position, with its message if there is one. */
export type StreamItem = { cursor: string | null; message?: DataMessage };

/** Opens one connection that continues after a cursor, and closes it when its reader stops. */
export type Connect = (cursor: string | undefined) => AsyncIterable<StreamItem>;

/** The maximum wait before the first new attempt; it doubles with each failure, up to `maxWaitMs`. */
const firstWaitMs = 2_000;
const maxWaitMs = 30_000;

/**
 * Reads a stream over consecutive connections, each continuing after the last received message. Waits between them are
 * random between zero and a bound that doubles ("full jitter"), so that the clients of a restarted server do not
 * reconnect simultaneously.
 *
 * @throws ApiError when the service answers an error that is not retryable, e.g. `unauthorized`.
 */
export async function* resumeStream(connect: Connect, options: ResumeOptions): AsyncGenerator<LiveMessage> {
  const { signal, onCursor = () => {}, onRetry, random = Math.random, sleep = pause } = options;
  let { cursor } = options;
  let attempt = 0;
  let hasMissed = false;
  const ended = () => signal?.aborted === true;

  while (!ended()) {
    let error: unknown;
    try {
      for await (const item of connect(cursor)) {
        attempt = 0;
        cursor = item.cursor ?? cursor;
        if (hasMissed && item.cursor !== null) {
          hasMissed = false;
          yield { type: "snapshot", cursor: item.cursor, data: { reason: "cursor_expired" } };
        }
        if (item.message !== undefined) yield item.message;
        if (item.cursor !== null) onCursor(item.cursor);
      }
    } catch (failure) {
      if (ended()) return;
      if (failure instanceof ApiError && failure.code === "cursor_expired" && cursor !== undefined) {
        // The missed messages are lost: continue from now on, and report it.
        cursor = undefined;
        hasMissed = true;
        continue;
      }
      if (failure instanceof ApiError && !failure.retryable) throw failure;
      error = failure;
    }
    if (ended()) return;
    attempt++;
    const delayMs = getRequestedMs(error) + random() * Math.min(maxWaitMs, firstWaitMs * 2 ** (attempt - 1));
    onRetry?.({ attempt, delayMs, error });
    await sleep(delayMs, signal);
  }
}

/** The wait that the service requested. */
function getRequestedMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}

/** Resolves after a time, or as soon as the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted === true) done();
  });
}

/** A connection is lost after this time without a message; the service sends one at least every 15 seconds. */
const silenceMs = 45_000;

/** Calls `onSilence` when `feed` was not called for `silenceMs`. */
export function createWatchdog(onSilence: () => void): { feed(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const feed = () => {
    stop();
    timer = setTimeout(onSilence, silenceMs);
  };
  feed();
  return { feed, stop };
}
