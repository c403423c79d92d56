import type { RawLog } from "@slipway/protocol/rawLog";
import type { Batch } from "../reduce/batch.ts";
import type { Emitter, EmitterRole } from "../indexState.ts";

/** One contract event: where it may come from, and what it does to the index. */
export type EventModule = {
  /** keccak256 of the event's signature. */
  topic: string;
  /** Only logs of an address that has this role count. */
  role: EmitterRole;
  /** Decodes the log at `batch.at` and adds what it says; a log that has not the event's shape does nothing. */
  apply(log: RawLog, batch: Batch, emitter: Emitter): void;
};
