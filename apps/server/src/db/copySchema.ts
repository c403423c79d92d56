import pg from "pg";
import type { Config } from "../config.ts";
import { createIndexerPoolConfigs } from "./database.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/** The schema in which the next index is built, with the tables of schema `chain`. */
export const copySchema = "chain_next";
/** The schema of the replaced index, until its tables are dropped. */
export const oldSchema = "chain_old";

/** Types of schema `chain`. The copy has none of its own, so that functions and columns of both have the same types. */
export const sharedTypes = ["account_source", "candle", "pool_change", "trade"];

const chainNames = new RegExp(String.raw`\bchain\.(?!(?:${sharedTypes.join("|")})\b)`, "g");

/** Returns a statement with the names of the copy instead of those of schema `chain`. Values are parameters, not text. */
export function toCopySchema(sql: string): string {
  return sql.replaceAll(chainNames, `${copySchema}.`);
}

/** Connections to the copy, whose statements name schema `chain`. */
export type CopyPools = {
  pool: pg.Pool;
  pipelined: pg.Pool;
  /** The owner of both schemas; its statements are not changed. */
  owner: pg.Pool;
  close(): Promise<void>;
};

/** Opens the connections of the indexer to the copy. No connection is made before the first query. */
export function openCopyPools(config: Config, onError: (error: Error) => void): CopyPools {
  const configs = createIndexerPoolConfigs(config);
  const owner = new pg.Pool(configs.owner);
  const pool = new pg.Pool(configs.pool);
  const pipelined = new pg.Pool(configs.pipelined);
  for (const copy of [pool, pipelined]) copy.on("connect", useCopySchema);
  const pools = [pool, pipelined, owner];
  for (const each of pools) surviveLostConnections(each, onError);
  return {
    pool,
    pipelined,
    owner,
    close: async () => {
      await Promise.all(pools.map((each) => each.end()));
    },
  };
}

type AnyQuery = (...args: unknown[]) => unknown;
type Statement = { text: string; submit?: unknown };

/** Changes the schema's name in every statement of a connection, also in COPY. */
function useCopySchema(client: pg.ClientBase): void {
  const query = client.query.bind(client) as AnyQuery;
  client.query = ((first: string | Statement, ...others: unknown[]) => {
    if (typeof first === "string") return query(toCopySchema(first), ...others);
    const text = toCopySchema(first.text);
    // A stream is an object with state.
    return query(first.submit === undefined ? { ...first, text } : Object.assign(first, { text }), ...others);
  }) as pg.ClientBase["query"];
}
