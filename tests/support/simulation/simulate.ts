import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { RpcError } from "@slipway/server/chain/rpcError";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import type { Clock } from "@slipway/server/clock";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { orderTrades, thinCandles } from "@slipway/server/features/history/partitionQueries";
import { type Indexer, startIndexer } from "@slipway/server/indexer/startIndexer";
import { createMetrics } from "@slipway/server/metrics";
import type pg from "pg";
import { pino } from "pino";
import { type ClientCounts, createClients } from "./clients.ts";
import { dumpIndex } from "./dumpIndex.ts";
import { type Calls, countPending, createFaultyPool, type DatabaseFaults } from "./faultyPool.ts";
import type { IndexerPools } from "./openSimulationIndex.ts";
import { createRandom, type Random } from "./random.ts";
import { referenceIndex } from "./reference.ts";
import { createSimulatedChain, type SimulatedBlock, type SimulatedChain } from "./simulatedChain.ts";
import { simulatedManifest } from "./simulatedManifest.ts";
import { createSimulatedNodes, type NodeFaults, noFaults } from "./simulatedNode.ts";
import { differences, type Tables } from "./tables.ts";

/** The parameters that a seed determines; printed with a failure. */
export type Parameters = {
  seed: number;
  blocks: number;
  /** The number of blocks before the indexer starts: the backfill. */
  before: number;
  windowSeconds: number;
  nodes: NodeFaults;
  endpoints: number;
  reorg: number;
  deepestReorg: number;
  database: DatabaseFaults;
  kill: number;
  endsDeep: boolean;
};

export type Outcome = {
  parameters: Parameters;
  problems: string[];
  blocks: number;
  trades: number;
  reorgs: number;
  kills: number;
  clients: ClientCounts;
  /** The number of random draws until the faults end: equal for two runs of one seed. */
  draws: number;
};

export function deriveParameters(seed: number): Parameters {
  const random = createRandom(seed * 7919 + 1);
  return {
    seed,
    blocks: random.integer(30, 90),
    before: random.pick([0, 0, 10, 60, 260]),
    windowSeconds: random.pick([100, 300, 1000]),
    nodes: {
      error: random.pick([0, 0.02, 0.1, 0.2]),
      wrongReceipts: random.pick([0, 0.05, 0.2]),
      lag: random.pick([0, 0, 3, 20]),
      staleFork: random.pick([0, 0, 0.05]),
      holes: random.pick([0, 0.1, 0.5]),
      rangeLimit: random.pick([10 ** 9, 500, 40, 7]),
    },
    endpoints: random.integer(1, 3),
    reorg: random.pick([0, 0.03, 0.1]),
    deepestReorg: random.integer(1, 8),
    database: {
      statement: random.pick([0, 0.005, 0.02, 0.05]),
      commit: random.pick([0, 0.02, 0.1]),
      kill: random.pick([0, 0, 0.001, 0.005]),
    },
    kill: random.pick([0, 0, 0.02, 0.05]),
    endsDeep: random.chance(0.1),
  };
}

const metrics = createMetrics();

/** The real time after which a run counts as hung. */
const runTimeoutMs = 100_000;

/**
 * Runs one seed against an empty index: first blocks with faults, then blocks without, then a comparison of every table
 * and client with the reference.
 *
 * @param indexerDatabase - The pools of the simulated indexer; everything else uses `database`.
 * @param isSerial - Whether time passes only while the indexer has no call in progress. Otherwise the checks of ranges run
 *   beside the chain and the clients, in an order that also depends on the speed of the machine.
 */
export async function simulate(
  indexerDatabase: IndexerPools,
  database: pg.Pool,
  seed: number,
  isSerial = false,
): Promise<Outcome> {
  const parameters = deriveParameters(seed);
  const random = createRandom(seed);
  const chain = createSimulatedChain(createRandom(seed ^ 0x5bd1e995));
  const clients = createClients(database, seed);
  const counts = { blocks: 0, trades: 0, reorgs: 0, kills: 0, draws: 0 };
  const outcome: Outcome = { parameters, problems: [], ...counts, clients: clients.counts };
  let stale: SimulatedBlock[] = [];
  let isQuiet = false;
  let wantsKill = false;
  for (let i = 0; i < Math.max(8, parameters.before); i++) chain.mine(random.integer(0, 12));

  const orderRandom = createRandom(seed ^ 0x0bde2);

  const calls: Calls = { pending: 0 };
  /** Random events of chain, clients, worker and process while the indexer waits. */
  const tick = async () => {
    if (isQuiet) return;
    if (isSerial) await untilIdle(calls);
    await clients.step();
    if (orderRandom.chance(0.08)) {
      await orderTrades(database, { minTrades: 1, maxTrades: orderRandom.pick([10, 100, 1_000]) });
      await thinCandles(database);
    }
    if (chain.blocks.length >= parameters.blocks + Math.max(8, parameters.before)) {
      isQuiet = true;
      outcome.draws = random.draws() + clients.draws();
      return;
    }
    if (random.chance(parameters.reorg) && chain.blocks.length > 20) {
      const depth = random.integer(1, parameters.deepestReorg);
      stale = [...chain.blocks];
      // The new branch has the same height, is temporarily shorter, or is longer.
      chain.reorg(depth, Math.max(1, depth + random.integer(-1, 2)));
      outcome.reorgs++;
    } else {
      const burst = random.pick([0, 1, 1, 1, 2, 4]);
      for (let i = 0; i < burst; i++)
        chain.mine(random.chance(0.03) ? random.integer(1000, 50_000) : random.integer(0, 15));
    }
    if (random.chance(parameters.kill)) {
      deps.kill();
      onKilled();
    }
  };

  /**
   * From now on the process neither reaches the database nor draws random numbers; the loop below starts another
   * process.
   */
  const onKilled = () => {
    outcome.kills++;
    wantsKill = true;
  };

  let deps: ReturnType<typeof createDeps>;
  deps = createDeps(
    indexerDatabase,
    parameters,
    random,
    chain,
    () => isQuiet,
    () => stale,
    tick,
    onKilled,
    calls,
  );
  let indexer = startIndexer(deps.deps, simulatedManifest);
  const deadline = Date.now() + runTimeoutMs;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (wantsKill) {
      wantsKill = false;
      await indexer.stop();
      await locksAreFree(database);
      deps = createDeps(
        indexerDatabase,
        parameters,
        random,
        chain,
        () => isQuiet,
        () => stale,
        tick,
        onKilled,
        calls,
      );
      indexer = startIndexer(deps.deps, simulatedManifest);
    }
    if (isQuiet && (await isSettled(database, chain, indexer))) break;
    if (Date.now() > deadline) {
      outcome.problems.push(`never settled: ${JSON.stringify(indexer.status())}, head ${chain.head().number}`);
      break;
    }
  }
  if (outcome.problems.length === 0) {
    const expected = await check(database, chain.blocks, outcome);
    outcome.problems.push(...(await clients.errors(expected)).slice(0, 20));
  }
  await clients.close();
  if (outcome.problems.length === 0 && parameters.endsDeep) await checkDeepReorg(database, chain, indexer, outcome);
  await indexer.stop();
  return outcome;
}

/** Waits until no call is in progress, also none that follows immediately from the answer to another one. */
async function untilIdle(calls: Calls): Promise<void> {
  for (let idle = 0; idle < 3; idle = calls.pending > 0 ? 0 : idle + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

/** The server notices a broken connection slightly later; the next process must not depend on the order. */
async function locksAreFree(database: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      "select count(*)::int as held from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
    );
    if (rows[0].held === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function isSettled(database: pg.Pool, chain: SimulatedChain, indexer: Indexer): Promise<boolean> {
  if (indexer.status().indexedBlock !== chain.head().number) return false;
  const { rows } = await database.query("select block_hash from chain.checkpoint");
  return rows[0]?.block_hash === chain.head().hash;
}

async function check(database: pg.Pool, blocks: readonly SimulatedBlock[], outcome: Outcome): Promise<Tables> {
  const expected = referenceIndex(simulatedManifest, blocks, sqrtPriceX96AtTick);
  outcome.blocks = blocks.length;
  outcome.trades = expected.trades.size;
  outcome.problems.push(...differences(expected, await dumpIndex(database)).slice(0, 20));
  return expected;
}

/**
 * Makes a reorganisation deeper than the window: the index must halt unchanged, or follow if its window is deep enough.
 */
async function checkDeepReorg(
  database: pg.Pool,
  chain: SimulatedChain,
  indexer: Indexer,
  outcome: Outcome,
): Promise<void> {
  const before = [...chain.blocks];
  chain.reorg(chain.blocks.length - 9, chain.blocks.length);
  const deadline = Date.now() + runTimeoutMs;
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const isHalted = indexer.status().state === "halted";
    if (isHalted || (await isSettled(database, chain, indexer))) {
      await check(database, isHalted ? before : chain.blocks, outcome);
      return;
    }
  }
  outcome.problems.push(`neither halted nor followed a deep reorganisation: ${JSON.stringify(indexer.status())}`);
}

function createDeps(
  database: IndexerPools,
  parameters: Parameters,
  random: Random,
  chain: SimulatedChain,
  isQuiet: () => boolean,
  stale: () => readonly SimulatedBlock[],
  tick: () => Promise<void>,
  onDeath: () => void,
  calls: Calls,
): { deps: Deps; kill(): void } {
  let isKilled = false;
  let now = 1_790_000_000_000;
  const clock: Clock = {
    now: () => now,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      // The clock is set back or forward from time to time.
      if (!isKilled) {
        now += random.chance(0.01) ? random.pick([-5_000, -300_000, 300_000]) : milliseconds;
        await tick();
      }
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };
  const faults = () => (isQuiet() ? noFaults : parameters.nodes);
  const log = pino({ level: process.env.TEST_LOG ?? "silent" });
  const nodes = createSimulatedNodes(chain, parameters.endpoints, random, faults, stale);
  const rpc = createRpcPool({
    endpoints: parameters.endpoints,
    transport: async (endpoint, body, signal) => {
      if (isKilled) throw new RpcError("transient", "the process was killed");
      return await countPending(calls, () => nodes(endpoint, body, signal));
    },
    timeoutMs: 60_000,
    requestsPerSecond: 1_000_000,
    clock,
    log,
    metrics,
  });
  const quiet = { statement: 0, commit: 0 };
  const databaseFaults = () => (isQuiet() ? quiet : parameters.database);
  const kill = () => {
    isKilled = true;
    for (const pool of [indexer, pipelined]) pool.kill();
    onDeath();
  };
  const indexer = createFaultyPool(database.indexer, random, databaseFaults, kill, calls);
  const pipelined = createFaultyPool(database.pipelined, random, databaseFaults, kill, calls);
  const config = parseConfig({
    DATABASE_URL: "postgres://simulated",
    RPC_URL: "http://simulated",
    REORG_WINDOW_SECONDS: String(parameters.windowSeconds),
  });
  const db = {
    indexer: indexer.pool,
    pipelined: pipelined.pool,
    api: indexer.pool,
    read: indexer.pool,
    close: async () => undefined,
  };
  const ids = {
    uuid: () => random.hex(16),
    bytes: (length: number) => Buffer.from(random.hex(length).slice(2), "hex"),
  };
  const deps = {
    config,
    log,
    clock,
    ids,
    db,
    chain: { rpc, heads: createSeenHeads(clock) },
    metrics,
  } as unknown as Deps;
  return {
    deps,
    kill: () => {
      isKilled = true;
      for (const pool of [indexer, pipelined]) pool.kill();
    },
  };
}
