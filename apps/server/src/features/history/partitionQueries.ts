import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

/** A partition of chain.trades. The open partition has no end, and no figures. */
export type TradePartition = {
  id: number;
  fromBlock: number;
  /** The last block; null for the open partition. */
  lastBlock: number | null;
  trades: number | null;
  /** Block times of the first and the last trade, in Unix seconds; null without trades. */
  firstTime: number | null;
  lastTime: number | null;
  /** Of the table and its indexes. */
  bytes: number;
};

/** Lists the partitions of chain.trades, oldest first. */
export async function listPartitions(db: Queryable): Promise<TradePartition[]> {
  const { rows } = await db.query<TradePartition>(
    `select id, from_block::float8 as "fromBlock", (to_block - 1)::float8 as "lastBlock", trades::float8 as trades,
       first_time::float8 as "firstTime", last_time::float8 as "lastTime",
       pg_total_relation_size(format('chain.trades_%s', id)::regclass)::float8 as bytes
     from chain.trade_partitions order by from_block`,
  );
  return rows;
}

/** Sizes in trades. */
export type OrderLimits = {
  /** The open partition is ordered when it contains this number of final trades. */
  minTrades: number;
  /** Partitions are merged up to this size. */
  maxTrades: number;
};

/**
 * At 250 bytes a trade, the largest partition has 4 GB. The trades that are not yet in order fit into the memory of the
 * smallest server.
 */
export const orderLimits: OrderLimits = { minTrades: 250_000, maxTrades: 16_000_000 };

/**
 * Puts the final trades of the open partition in the order (token, block, log index); see chain.order_trades in
 * migration 0042. Final trades are older than the reorg window.
 *
 * @returns The number of ordered trades; 0 when too few are final, or another process orders trades.
 */
export async function orderTrades(pool: Database["indexer"], limits: OrderLimits = orderLimits): Promise<number> {
  return await withTransaction(pool, async (client) => {
    await client.query("set local statement_timeout = 0");
    const { rows } = await client.query<{ ordered: number }>(
      // Every target of an undo is in chain.headers.
      `select chain.order_trades(coalesce((select min(block_number) from chain.headers), 0), $1, $2)::float8 as ordered`,
      [limits.minTrades, limits.maxTrades],
    );
    return rows[0]!.ordered;
  });
}

/**
 * Finds the partitions whose trades are all older than a time. They can be detached: only the oldest partitions can,
 * so that no gap remains, and never the open one.
 */
export function findDetachable(partitions: readonly TradePartition[], before: number): TradePartition[] {
  const firstKept = partitions.findIndex(
    ({ lastBlock, lastTime }) => lastBlock === null || (lastTime !== null && lastTime >= before),
  );
  return partitions.slice(0, firstKept);
}

/** Returns the name of the table that a detached partition becomes. */
export function nameDetached({ fromBlock, lastBlock }: TradePartition): string {
  return `detached_trades_${fromBlock}_${lastBlock}`;
}

/**
 * Detaches the partitions whose trades are all older than a time, oldest first. Their trades leave all responses;
 * counters, volumes, candles, traders and balances are other tables and stay.
 *
 * @param pool - Of the owner of the tables.
 * @param options.drop - Deletes the trades. Otherwise each partition becomes a table of its own (`nameDetached`).
 * @returns The detached partitions.
 */
export async function detachTrades(
  pool: Database["indexer"],
  options: { before: number; drop: boolean },
): Promise<TradePartition[]> {
  return await withTransaction(pool, async (client) => {
    await client.query("set local statement_timeout = 0");
    await lockUntilCommit(client, "history");
    const detached = findDetachable(await listPartitions(client), options.before);
    if (detached.length === 0) return [];
    await client.query("select chain.lock_trades()");
    for (const partition of detached) {
      const table = `chain.trades_${partition.id}`;
      await client.query(`alter table chain.trades detach partition ${table}`);
      await client.query(
        options.drop ? `drop table ${table}` : `alter table ${table} rename to ${nameDetached(partition)}`,
      );
      await client.query("delete from chain.trade_partitions where id = $1", [partition.id]);
    }
    return detached;
  });
}
