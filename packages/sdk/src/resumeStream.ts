import type { DataMessage } from "@slipway/protocol/liveMessages";
import { ApiError } from "./apiError.ts";

/** A message of a live stream. `snapshot` says that messages were left out: read what is shown over REST again. */
export type LiveMessage =
  | DataMessage
  | { type: "snapshot"; cursor: string; data: { reason: "cursor_expired" | "slow_reader" | "rebuilt" } };

export type ResumeOptions = {
  /** The cursor of the last message that was dealt with; left out: from now on. */
  cursor?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Told before each wait for a new connection; `error` undefined: the service ended the last one. */
  onRetry?: (about: { attempt: number; delayMs: number; error: unknown }) => void;
  /** Between 0 and 1. Default `Math.random`. */
  random?: () => number;
  /** Default: a timer. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
};

/** What a connection hears: how far it is, and a message if that is one. */
export type Heard = { cursor: string | null; message?: DataMessage };

/** Opens one connection that goes on after a cursor, and closes it when it is not read on. */
export type Connect = (cursor: string | undefined) => AsyncIterable<Heard>;

/** The longest wait before the first new attempt; it doubles with each that fails, up to `mostMs`. */
const firstMs = 2_000;
const mostMs = 30_000;

/**
 * Reads a stream over as many connections as it takes, each going on after what was heard last. Waits between them are
 * random between nothing and a bound that doubles ("full jitter"), so that the clients of a server that was restarted
 * come back spread out.
 *
 * @throws ApiError when the service refuses for good, e.g. `unauthorized`.
 */
export async function* resumeStream(connect: Connect, options: ResumeOptions): AsyncGenerator<LiveMessage> {
  const { signal, onRetry, random = Math.random, sleep = pause } = options;
  let { cursor } = options;
  let attempt = 0;
  let hasMissed = false;
  const ended = () => signal?.aborted === true;

  while (!ended()) {
    let error: unknown;
    try {
      for await (const heard of connect(cursor)) {
        attempt = 0;
        cursor = heard.cursor ?? cursor;
        if (hasMissed && heard.cursor !== null) {
          hasMissed = false;
          yield { type: "snapshot", cursor: heard.cursor, data: { reason: "cursor_expired" } };
        }
        if (heard.message !== undefined) yield heard.message;
      }
    } catch (failure) {
      if (ended()) return;
      if (failure instanceof ApiError && failure.code === "cursor_expired" && cursor !== undefined) {
        // What was missed is gone: from now on, and say so.
        cursor = undefined;
        hasMissed = true;
        continue;
      }
      if (failure instanceof ApiError && !failure.retryable) throw failure;
      error = failure;
    }
    if (ended()) return;
    attempt++;
    const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const delayMs = asked + random() * Math.min(mostMs, firstMs * 2 ** (attempt - 1));
    onRetry?.({ attempt, delayMs, error });
    await sleep(delayMs, signal);
  }
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

/** The service says something every 15 seconds; who is silent for so long is gone. */
const silenceMs = 45_000;

/** Calls `bite` when `feed` was not called for long. */
export function createWatchdog(bite: () => void): { feed(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const feed = () => {
    stop();
    timer = setTimeout(bite, silenceMs);
  };
  feed();
  return { feed, stop };
}
