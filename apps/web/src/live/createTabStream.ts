import type { CandleInterval } from "@slipway/protocol/indexed";
import type { LiveMessage, StreamOptions } from "@slipway/sdk/leanStreamEvents";

/** What a stream sends: one token, or all; candles of an interval. */
export type Selection = { token?: string; interval?: CandleInterval };

export type OpenStream = (options: StreamOptions) => AsyncIterable<LiveMessage>;

type Events = {
  onOpen(): void;
  onMessage(message: LiveMessage): void;
  /** A connection was lost, and another one is tried. */
  onLost(error: unknown): void;
  /** The service refuses the stream for good. */
  onRefused(): void;
};

/** One stream after the other, each from where the last one ended. */
export function createTabStream(baseUrl: string, open: OpenStream, events: Events) {
  let current: { selection: string; end: AbortController } | null = null;
  let cursor: string | undefined;

  const close = () => {
    current?.end.abort();
    current = null;
  };
  const read = async (selection: Selection, { signal }: AbortController) => {
    const messages = open({
      ...{ baseUrl, signal, ...selection, ...(cursor === undefined ? {} : { cursor }) },
      onRetry: ({ error }) => events.onLost(error),
      onCursor: (reached) => {
        if (signal.aborted) return;
        cursor = reached;
        events.onOpen();
      },
    });
    for await (const message of messages) {
      if (signal.aborted) return;
      events.onMessage(message);
      // Already here: a stream that is replaced now would bring the message a second time.
      cursor = message.cursor;
    }
  };

  return {
    close,
    /** Whether a stream of just this selection is open or being opened. */
    is: (selection: Selection) => current?.selection === JSON.stringify(selection),
    /** Opens a stream instead of the current one. */
    open(selection: Selection): void {
      close();
      const opened = { selection: JSON.stringify(selection), end: new AbortController() };
      current = opened;
      read(selection, opened.end).catch(() => {
        if (current !== opened) return;
        current = null;
        events.onRefused();
      });
    },
  };
}
