/** How this process's indexer is. */
export type IndexerStatus = {
  state: "starting" | "backfilling" | "live" | "standby" | "halted";
  indexedBlock: number | null;
  headBlock: number | null;
  /** Block time between the index and the head. */
  lagSeconds: number | null;
  /** Why it is halted or cannot go on. */
  reason: string | null;
};

/** The chain is not the one that was indexed, or went back further than the reorg window: nothing may be written. */
export class HaltError extends Error {
  override name = "HaltError";
}
