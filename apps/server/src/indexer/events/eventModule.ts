import type { RawLog } from "@slipway/protocol/rawLog";
import type { Client, Queryable } from "../../db/database.ts";
import type { Emitter, EmitterRole, IndexState } from "../indexState.ts";
import type { Batch } from "../reduce/batch.ts";
import type { EventTable } from "./eventTable.ts";

/** One contract event: how to recognize its logs, apply them to the index, and undo them. */
export type EventModule = {
  /** keccak256 of the event's signature. */
  topic: string;
  /** The role that the log's address must have. */
  role: EmitterRole;
  /** Decodes the log at `batch.at` and applies it. Ignores a log that does not have the event's shape. */
  apply(log: RawLog, batch: Batch, emitter: Emitter): void;
  /**
   * The tables to which `apply` appends rows; events can share a table. Empty for an event that only changes token
   * state, which the undo log restores.
   */
  tables: readonly EventTable[];
  /** Additional undo. Runs before the rows of `tables` above the block are deleted, in the same transaction. */
  undo?(client: Client, aboveBlock: number): Promise<void>;
  /** Loads the event's part of the index state, except tokens, from the committed database. */
  load?(db: Queryable, state: IndexState): Promise<void>;
};

/** The indexed events, and lookups for the stages of indexing. */
export type EventCatalog = {
  modules: readonly EventModule[];
  byTopic: ReadonlyMap<string, readonly EventModule[]>;
  topics: readonly string[];
  /** The tables of all events, without duplicates. */
  tables: readonly EventTable[];
};

/** Creates the catalog of a list of events; see events/allEvents.ts. */
export function createEventCatalog(modules: readonly EventModule[]): EventCatalog {
  const byTopic = Map.groupBy(modules, (event) => event.topic);
  return {
    modules,
    byTopic,
    topics: [...byTopic.keys()],
    tables: [...new Set(modules.flatMap((event) => event.tables))],
  };
}
