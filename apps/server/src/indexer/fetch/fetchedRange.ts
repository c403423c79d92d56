import type { RawLog } from "@slipway/protocol/rawLog";
import type { PayeeRow, SplitterEventRow, SplitterRow } from "../reduce/rows.ts";
import type { PreLaunchState } from "./fetchPreLaunchStates.ts";
import type { Header } from "./headers.ts";

/** A splitter as its birth shows it, with what it did before the launch that named it. */
export type SplitterDeployment = { splitter: SplitterRow; payees: PayeeRow[]; events: SplitterEventRow[] };

/** Everything of a range of blocks that the reducer needs. Logs are checked, in chain order, without doubles. */
export type FetchedRange = {
  from: number;
  to: number;
  /** The last block. */
  end: { hash: string; time: number };
  /** Every header, within the reorg window; null in a backfill of final blocks. */
  headers: Header[] | null;
  logs: RawLog[];
  times: Map<number, number>;
  /** Senders of the transactions with trades, lower case. */
  senders: Map<string, string>;
  splitterDeployments: SplitterDeployment[];
  /** Of the range's launches, by pool: those whose pool is older. */
  preLaunchStates: ReadonlyMap<string, PreLaunchState>;
};
