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
  /** Size of the table and its indexes. */
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
 * Deletes the candles of final days that follow from a few trades; see chain.thin_candles in migration 0043.
 *
 * @returns The number of deleted candles.
 */
export async function thinCandles(pool: Database["indexer"]): Promise<number> {
  return await withTransaction(pool, async (client) => {
    await client.query("set local statement_timeout = 0");
    const { rows } = await client.query<{ deleted: number }>("select chain.thin_candles()::float8 as deleted");
    return rows[0]!.deleted;
  });
}

/** Deletes the minutes of holders that no window contains any more; final ones. @returns The number of deleted rows. */
export async function pruneHolderMinutes(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from chain.holder_minutes where t < (
       select least(c.block_time - 8 * 86400, (select min(h.block_time) from chain.headers h) - 60) from chain.checkpoint c
     )`,
  );
  return rowCount ?? 0;
}

/** SQL that stores the candles that follow from trades of a partition. $1, $2: its first and last block time. */
const storeCandles = `
  insert into chain.candles (token_id, seconds, t, o, h, l, c, o_usd, h_usd, l_usd, c_usd, n, buys, vq, v)
  select d.* from chain.sparse_candles p
  cross join (select distinct token_id from chain.trades where block_time between $1 and $2) x
  cross join (values (60), (300), (3600), (86400)) lengths(seconds)
  cross join lateral chain.derive_candles(x.token_id, lengths.seconds, $1::bigint / 86400 * 86400,
    least(p.below_time, ($2::bigint / 86400 + 1) * 86400), null) d
  on conflict do nothing`;

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

/** The history engine lacks trades that would be detached. Nothing was detached. */
export class NotCopiedError extends Error {
  override name = "NotCopiedError";
  constructor(lastBlock: number) {
    super(
      `the history engine does not have all trades up to block ${lastBlock} yet; wait for the worker, or choose an ` +
        "earlier time. Nothing was detached",
    );
  }
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
 * @throws NotCopiedError
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
      const { lastBlock, lastTime } = partition;
      const { rows } = await client.query<{ recorded: boolean }>("select chain.record_detached($1, $2) as recorded", [
        lastBlock,
        lastTime ?? 0,
      ]);
      if (!rows[0]!.recorded) throw new NotCopiedError(lastBlock!);
      await client.query(storeCandles, [partition.firstTime, partition.lastTime]);
      await client.query(`alter table chain.trades detach partition ${table}`);
      await client.query(
        options.drop ? `drop table ${table}` : `alter table ${table} rename to ${nameDetached(partition)}`,
      );
      await client.query("delete from chain.trade_partitions where id = $1", [partition.id]);
    }
    return detached;
  });
}
