import type { Bar, BarInterval } from "../../markets/readBars.ts";

/**
 * Why a source returned no bars. `unknown_market`: the source does not have the requested market. `closed`: this
 * process cancelled the request. All others are faults of the source.
 */
export type SourceFault =
  | "unreachable"
  | "timeout"
  | "rate_limited"
  | "malformed"
  | "refused"
  | "unknown_market"
  | "closed";

/** A source that did not respond, or responded without bars. */
export class MarketSourceError extends Error {
  override readonly name = "MarketSourceError";

  readonly code: SourceFault;

  constructor(code: SourceFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** A source of bars of markets, by our pairs. Its results are untrusted: see `screenBars`. */
export type MarketSource = {
  /** The exchange. */
  id: string;
  /**
   * Returns the bars that open from `from` to `to` (Unix seconds, both included), ascending; at most `maxBars`, the
   * first ones. Bars without a trade can be missing, and later bars can follow.
   *
   * @throws MarketSourceError
   */
  bars(pair: string, interval: BarInterval, from: number, to: number): Promise<Bar[]>;
  /**
   * Reports each minute of the pairs when it has ended, if the source has a stream. Continues after failures until the
   * signal aborts. Omits a minute that was not received from its beginning.
   */
  watch?(pairs: readonly string[], onBar: (pair: string, bar: Bar) => void, signal: AbortSignal): Promise<void>;
  /** Cancels requests in progress, and ends the stream. */
  close(): Promise<void>;
};

/** Maximum bars of one request. */
export const maxBars = 1_000;
