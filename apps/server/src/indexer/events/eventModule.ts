import type { RawLog } from "@slipway/protocol/rawLog";
import type { Client, Queryable } from "../../db/database.ts";
import type { Emitter, EmitterRole, IndexState } from "../indexState.ts";
import type { Batch } from "../reduce/batch.ts";
import type { EventTable } from "./eventTable.ts";

/** One contract event: which logs are of it, what it does to the index, and how that is undone. */
export type EventModule = {
  /** keccak256 of the event's signature. */
  topic: string;
  /** Only logs of an address that has this role count. */
  role: EmitterRole;
  /** Decodes the log at `batch.at` and applies it. A log that does not have the event's shape changes nothing. */
  apply(log: RawLog, batch: Batch, emitter: Emitter): void;
  /**
   * The tables to which `apply` appends rows; events can share one. Empty for an event that only changes state of tokens:
   * the undo log restores that.
   */
  tables: readonly EventTable[];
  /** Undoes what is not undone by deleting the tables' rows above a block. Runs before that, in the same transaction. */
  undo?(client: Client, aboveBlock: number): Promise<void>;
  /** Restores what the event keeps in memory beside tokens, from the database as committed. */
  load?(db: Queryable, state: IndexState): Promise<void>;
};

/** The events that are indexed, arranged for the stages. */
export type EventCatalog = {
  modules: readonly EventModule[];
  byTopic: ReadonlyMap<string, readonly EventModule[]>;
  topics: readonly string[];
  /** Each table once. */
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
