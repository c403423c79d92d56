import type { CandleInterval } from "@slipway/protocol/indexed";
import type { LiveMessage, StreamOptions } from "@slipway/sdk/leanStreamEvents";

/** The content of a stream: one token or all, and a candle interval. */
export type Selection = { token?: string; interval?: CandleInterval };

export type OpenStream = (options: StreamOptions) => AsyncIterable<LiveMessage>;

type Events = {
  onOpen(): void;
  onMessage(message: LiveMessage): void;
  /** Called when a connection is lost and another one is tried. */
  onLost(error: unknown): void;
  /** Called when the service refuses the stream permanently. */
  onRefused(): void;
};

/** Opens one stream at a time. Each stream continues where the last one ended. */
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
      // Set here and not only in `onCursor`: a stream that replaces this one now would repeat the message.
      cursor = message.cursor;
    }
  };

  return {
    close,
    /** Whether a stream with exactly this selection is open or opening. */
    is: (selection: Selection) => current?.selection === JSON.stringify(selection),
    /** Opens a stream in place of the current one. */
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
