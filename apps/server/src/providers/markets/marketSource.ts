import type { Bar, BarInterval } from "../../markets/readBars.ts";

/**
 * Why a source did not answer. `unknown_market`: it does not have the one that was asked for. `closed`: we ended the request.
 * The rest are faults of the source.
 */
export type SourceFault =
  | "unreachable"
  | "timeout"
  | "rate_limited"
  | "malformed"
  | "refused"
  | "unknown_market"
  | "closed";

/** A source that did not answer, or not with bars. */
export class MarketSourceError extends Error {
  override readonly name = "MarketSourceError";

  readonly code: SourceFault;

  constructor(code: SourceFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Something that has bars of markets, by our pairs. What it returns is untrusted: see `screenBars`. */
export type MarketSource = {
  /** The exchange. */
  id: string;
  /**
   * The bars that open from `from` to `to` (Unix seconds, both included), ascending; at most `maxBars`, the first ones.
   * Those without a trade can be missing, and later ones can follow.
   *
   * @throws MarketSourceError
   */
  bars(pair: string, interval: BarInterval, from: number, to: number): Promise<Bar[]>;
  /**
   * Reports each minute of the pairs when it is over, if the source has a stream. Goes on after failures until the signal
   * aborts. A minute that was not seen from its beginning is left out.
   */
  watch?(pairs: readonly string[], onBar: (pair: string, bar: Bar) => void, signal: AbortSignal): Promise<void>;
  /** Ends requests that are in progress, and the stream. */
  close(): Promise<void>;
};

/** How many bars one request asks for. */
export const maxBars = 1_000;
