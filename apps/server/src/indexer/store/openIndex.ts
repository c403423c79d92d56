import type pg from "pg";
import type { Logger } from "pino";
import { RpcError } from "../../chain/rpcError.ts";
import type { RpcPool } from "../../chain/rpcPool.ts";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { ethUsdTable } from "../events/ethUsd.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { tradesTable } from "../events/poolSwap.ts";
import { fetchFirstEthUsd } from "../fetch/fetchFirstEthUsd.ts";
import { fetchHeader } from "../fetch/headers.ts";
import type { Sources } from "../sources.ts";
import { HaltError } from "../statusPublisher.ts";
import { insertRows } from "./copyRows.ts";
import { mutableTables } from "./undoLog.ts";
import { writeBatchEvent } from "./writeOutbox.ts";

/**
 * Prepares the database to index these sources: creates the checkpoint below their first block, and empties an index
 * that was built from other sources or missed blocks of a deployment.
 *
 * @throws HaltError when the database contains the index of another chain.
 */
export async function openIndex(
  pool: pg.Pool,
  rpc: RpcPool,
  sources: Sources,
  events: EventCatalog,
  log: Logger,
): Promise<void> {
  const { rows } = await pool.query<{ chain_id: number; sources: string; block_number: number }>(
    "select chain_id, sources, block_number from chain.checkpoint",
  );
  const stored = rows[0];
  if (stored && stored.chain_id !== sources.chainId) {
    throw new HaltError(
      `the database contains the index of chain ${stored.chain_id}, the manifest is for chain ${sources.chainId}`,
    );
  }
  if (
    stored &&
    stored.sources === sources.fingerprint &&
    !(await missedDeployment(pool, sources, stored.block_number))
  ) {
    await withTransaction(pool, (client) => writeDeployments(client, sources));
    return;
  }
  const first = Math.max(1, sources.fromBlock);
  const base = await fetchHeader(rpc, first - 1);
  if (!base) throw new RpcError("transient", `RPC: block ${first - 1} is missing`);
  const ethUsd = sources.ethUsd === null ? null : await fetchFirstEthUsd(rpc, sources.ethUsd, base);
  const hadMissingLogs = stored?.sources === missingLogs;
  const reason = hadMissingLogs ? "logs of final blocks were missing" : "its sources or rules changed";
  if (stored) log.warn({ fromBlock: first, reason }, "index rebuild started");
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
    await client.query("update chain.sparse_candles set below_time = 0");
    await client.query(`truncate ${[...tables, "deployments"].map((table) => `chain.${table}`).join(", ")}`);
    await writeDeployments(client, sources);
    await client.query(
      `insert into chain.checkpoint as checkpoint (chain_id, sources, from_block, block_number, block_hash, block_time)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (only_row) do update set sources = excluded.sources, from_block = excluded.from_block,
         block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
         batch_id = 0, rebuilt_at = case when $7 then now() else checkpoint.rebuilt_at end`,
      [sources.chainId, sources.fingerprint, first, base.number, base.hash, base.time, hadMissingLogs],
    );
    await insertRows(client, "headers", [
      { block_number: base.number, block_hash: base.hash, block_time: base.time, batch_id: 0, is_batch_end: true },
    ]);
    if (ethUsd) await ethUsdTable.write(client, [ethUsd], new Map());
    await writeBatchEvent(client, { from: first, to: base.number });
  });
}

/** Value of `sources` for an index with missing logs. Equals no fingerprint. */
const missingLogs = "missing logs";

/**
 * Requests that the next `openIndex` empties the index, because logs of final blocks are missing and final blocks
 * cannot be undone. At most once a day, so that an endpoint that omits logs repeatedly does not keep the index empty.
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
