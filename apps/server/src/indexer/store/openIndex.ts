import type pg from "pg";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { ethUsdTable } from "../events/ethUsd.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { tradesTable } from "../events/poolSwap.ts";
import { fetchFirstEthUsd } from "../fetch/fetchFirstEthUsd.ts";
import { fetchHeader } from "../fetch/headers.ts";
import { type Deployment, indexRules, type Sources } from "../sources.ts";
import { HaltError } from "../statusPublisher.ts";
import { insertRows } from "./copyRows.ts";
import { mutableTables } from "./undoLog.ts";
import { writeBatchEvent } from "./writeOutbox.ts";

/** The leader's action for the stored index. */
export type IndexPlan =
  /** No index is stored, or only its begin: it is built in schema `chain`. */
  | { kind: "create" }
  /** The stored index has these sources and rules. */
  | { kind: "keep" }
  /** Another index must replace the stored one, which is followed with its own deployments until then. */
  | { kind: "replace"; deployments: Deployment[]; reason: string };

/**
 * Compares the stored index with the sources.
 *
 * @throws HaltError when the database contains the index of another chain.
 */
export async function planIndex(pool: pg.Pool, sources: Sources): Promise<IndexPlan> {
  const stored = await readStoredIndex(pool, sources);
  if (stored === null) return { kind: "create" };
  if (await isCurrent(pool, stored, sources)) return { kind: "keep" };
  if (stored.block_number < stored.from_block) return { kind: "create" };
  const hadMissingLogs = stored.sources === missingLogs;
  return {
    kind: "replace",
    deployments: await readDeployments(pool),
    reason: hadMissingLogs ? "logs of final blocks were missing" : "its sources or rules changed",
  };
}

type StoredIndex = { chain_id: number; sources: string; from_block: number; block_number: number };

/** @throws HaltError when the database contains the index of another chain. */
async function readStoredIndex(pool: pg.Pool, sources: Sources): Promise<StoredIndex | null> {
  const { rows } = await pool.query<StoredIndex>(
    "select chain_id, sources, from_block, block_number from chain.checkpoint",
  );
  const stored = rows[0];
  if (stored && stored.chain_id !== sources.chainId) {
    throw new HaltError(
      `the database contains the index of chain ${stored.chain_id}, the manifest is for chain ${sources.chainId}`,
    );
  }
  return stored ?? null;
}

async function isCurrent(pool: pg.Pool, stored: StoredIndex, sources: Sources): Promise<boolean> {
  return stored.sources === sources.fingerprint && !(await missedDeployment(pool, sources, stored.block_number));
}

/**
 * Prepares schema `chain` to index these sources: creates the checkpoint below their first block, and empties an index
 * that was built from other sources or missed blocks of a deployment.
 *
 * @param publishes - Whether the outbox reports it; false for a copy of the schema.
 * @throws HaltError when the database contains the index of another chain.
 */
export async function openIndex(
  pool: pg.Pool,
  rpc: RpcPool,
  sources: Sources,
  events: EventCatalog,
  publishes = true,
): Promise<void> {
  const stored = await readStoredIndex(pool, sources);
  if (stored !== null && (await isCurrent(pool, stored, sources))) {
    await withTransaction(pool, (client) => writeDeployments(client, sources));
    return;
  }
  const first = Math.max(1, sources.fromBlock);
  const base = await fetchHeader(rpc, first - 1);
  if (!base) throw new RpcError("transient", `RPC: block ${first - 1} is missing`);
  const ethUsd = sources.ethUsd === null ? null : await fetchFirstEthUsd(rpc, sources.ethUsd, base);
  const tables = [
    "headers",
    "undo",
    "unconfirmed_ranges",
    "history",
    "history_ranges",
    ...Object.keys(mutableTables),
    ...events.tables.map(({ name }) => name).filter((name) => name !== tradesTable.name),
  ];
  await withTransaction(pool, async (client) => {
    // Acquires the lock before the truncation, whose trigger also acquires it. In the other order, the lock's holder
    // could wait for a truncated table while this transaction waits for the lock.
    await lockUntilCommit(client, "gallery");
    // Waits until no process exchanges partitions of trades.
    await lockUntilCommit(client, "history");
    await client.query("select chain.reset_trades()");
    await client.query(
      "insert into chain.sparse_candles (below_time) values (0) on conflict (only_row) do update set below_time = 0",
    );
    await client.query(`truncate ${[...tables, "deployments"].map((table) => `chain.${table}`).join(", ")}`);
    await writeDeployments(client, sources);
    await client.query(
      `insert into chain.checkpoint as checkpoint
         (chain_id, sources, from_block, block_number, block_hash, block_time, rules)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (only_row) do update set sources = excluded.sources, from_block = excluded.from_block,
         block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
         batch_id = 0, rules = excluded.rules`,
      [sources.chainId, sources.fingerprint, first, base.number, base.hash, base.time, indexRules],
    );
    await insertRows(client, "headers", [
      { block_number: base.number, block_hash: base.hash, block_time: base.time, batch_id: 0, is_batch_end: true },
    ]);
    if (ethUsd) await ethUsdTable.write(client, [ethUsd], new Map());
    if (publishes) await writeBatchEvent(client, { from: first, to: base.number });
  });
}

/** Value of `sources` for an index with missing logs. Equals no fingerprint. */
export const missingLogs = "missing logs";

/**
 * Requests that the next `planIndex` replaces the index, because logs of final blocks are missing and final blocks
 * cannot be undone. At most once a day, so that an endpoint that omits logs repeatedly causes few rebuilds.
 *
 * @returns Whether the index will be rebuilt.
 */
export async function requestRebuild(pool: pg.Pool, fencingToken: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update chain.checkpoint set sources = $2
     where fence = $1 and (rebuilt_at is null or rebuilt_at < now() - interval '24 hours')`,
    [fencingToken, missingLogs],
  );
  return rowCount === 1;
}

async function readDeployments(pool: pg.Pool): Promise<Deployment[]> {
  const { rows } = await pool.query<{
    id: number;
    launch_factory: string;
    fee_locker: string;
    deployment_block: number;
    legacy: boolean;
  }>("select id, launch_factory, fee_locker, deployment_block, legacy from chain.deployments order by id");
  return rows.map((row) => ({
    id: row.id,
    launchFactory: row.launch_factory,
    feeLocker: row.fee_locker,
    deploymentBlock: row.deployment_block,
    legacy: row.legacy,
  }));
}

/** Whether blocks of a deployment were indexed without the deployment, or the id of a deployment changed. */
async function missedDeployment(pool: pg.Pool, sources: Sources, blockNumber: number): Promise<boolean> {
  const { rows } = await pool.query<{ id: number; launch_factory: string }>(
    "select id, launch_factory from chain.deployments",
  );
  // Launches refer to their deployment by id. Removing a deployment changes the ids of later deployments.
  const factories = new Map(sources.deployments.map(({ id, launchFactory }) => [id, launchFactory]));
  if (rows.some((row) => factories.get(row.id) !== row.launch_factory)) return true;
  const indexed = new Set(rows.map((row) => row.launch_factory));
  return sources.deployments.some(
    (deployment) => !indexed.has(deployment.launchFactory) && deployment.deploymentBlock <= blockNumber,
  );
}

async function writeDeployments(client: pg.PoolClient, sources: Sources): Promise<void> {
  await insertRows(
    client,
    "deployments",
    sources.deployments.map((deployment) => ({
      id: deployment.id,
      launch_factory: deployment.launchFactory,
      fee_locker: deployment.feeLocker,
      deployment_block: deployment.deploymentBlock,
      legacy: deployment.legacy,
    })),
    `on conflict (id) do update set launch_factory = excluded.launch_factory, fee_locker = excluded.fee_locker,
       deployment_block = excluded.deployment_block, legacy = excluded.legacy`,
  );
}
