import { type Chain, startChain } from "../chain/startChain.ts";
import { deployContracts, type PinnedManifest, pinnedManifest } from "../chain/deployContracts.ts";
import { keepAlive } from "../process/keepAlive.ts";
import { type Postgres, startPostgres } from "../postgres/startPostgres.ts";
import type { Progress } from "./progress.ts";
import { serviceDatabaseUrls } from "../postgres/serviceDatabaseUrls.ts";
import type { Child } from "../process/spawnChild.ts";
import { rememberedPorts } from "./rememberedPorts.ts";
import type { examineStackFolder, StackFolder } from "./stackFolder.ts";
import { StackError } from "./stackError.ts";

export type StartGroundParameters = {
  folder: StackFolder;
  durable: boolean;
  progress: Progress;
  found: ReturnType<typeof examineStackFolder>;
};

/** What the server stands on: a database, a chain, and contracts on it. */
export type Ground = {
  postgres: () => Postgres;
  chain: () => Chain;
  pinned: PinnedManifest;
  apiDatabaseUrl: string;
  indexerDatabaseUrl: string;
  /** True when the contracts were deployed by this start. */
  isNew: boolean;
  failed: Promise<StackError>;
  stop: () => Promise<void>;
};

/** Tried first for a new stack; what wallets expect of a local chain. */
const usualChainPort = 8545;

/**
 * Starts the database and the chain side by side, deploys the contracts on a new chain or proves those of an earlier
 * start, and keeps both processes running, at the same ports.
 */
export async function startGround(parameters: StartGroundParameters): Promise<Ground> {
  const { progress, found } = parameters;
  if (found === "unfinished") progress.note("the first start did not finish last time: beginning anew");
  if (found === "without-database") {
    progress.note("the database is missing: the index is rebuilt from the chain; drafts and accounts are gone");
  }
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of started.reverse()) await end();
  };
  const [database, contracts] = await Promise.allSettled([
    startDatabase(parameters, started),
    startContracts(parameters, started),
  ]);
  if (database.status === "rejected" || contracts.status === "rejected") {
    await stop();
    throw database.status === "rejected" ? database.reason : (contracts as PromiseRejectedResult).reason;
  }
  return {
    ...database.value.ground,
    ...contracts.value.ground,
    failed: Promise.race([database.value.failed, contracts.value.failed]),
    stop,
  };
}

async function startDatabase({ folder, durable, progress }: StartGroundParameters, started: (() => Promise<void>)[]) {
  let postgres = await progress.step(
    "PostgreSQL 18",
    () => startPostgres({ dir: folder.dir, preferredPorts: rememberedPorts(folder).postgres, durable }),
    ({ port, created }) => `127.0.0.1:${port}${created ? ", new" : ""}`,
  );
  const kept = keepAlive({
    name: "PostgreSQL",
    first: postgres.child,
    restart: async () => {
      const again = await startPostgres({ dir: folder.dir, preferredPorts: [postgres.port], durable });
      return samePort(postgres, again, (value) => (postgres = value));
    },
    report: progress.note,
    logPath: `${folder.dir}/postgres.log`,
  });
  started.push(kept.stop);
  const { apiUrl, indexerUrl } = serviceDatabaseUrls(postgres);
  const ground = { postgres: () => postgres, apiDatabaseUrl: apiUrl, indexerDatabaseUrl: indexerUrl };
  return { failed: kept.failed, ground };
}

async function startContracts(
  { folder, durable, progress, found }: StartGroundParameters,
  started: (() => Promise<void>)[],
) {
  const ports = rememberedPorts(folder).chain;
  // A throw-away stack keeps off the usual port, which belongs to the developer's own.
  const preferredPorts = durable ? [...ports, usualChainPort] : ports;
  // A stack that runs for days spares memory; a test may want to reorganise deep.
  const keptStates = durable ? 128 : 300;
  let chain = await progress.step(
    "Local chain (anvil)",
    () => startChain({ dir: folder.dir, durable, keptStates, preferredPorts }),
    ({ rpcUrl, restored }) => `${rpcUrl}${restored === "none" ? ", new" : ""}`,
  );
  if (chain.restored === "previous") {
    progress.note("the last save of the chain was cut off: it continues from the one before, some seconds behind");
  }
  const kept = keepAlive({
    name: "the chain",
    first: chain.child,
    restart: async () => {
      const again = await startChain({ dir: folder.dir, durable, keptStates, preferredPorts: [chain.port] });
      return samePort(chain, again, (value) => (chain = value));
    },
    report: progress.note,
    logPath: `${folder.dir}/chain.log`,
    // Without saved state a new chain would be an empty one.
    isHopeless: () => !durable,
  });
  started.push(kept.stop);
  const isNew = found === "new" || found === "unfinished";
  const pinned = isNew
    ? await progress.step("Contracts deployed", () => deployContracts(chain, folder), summary)
    : await progress.step("Contracts proven against the pinned manifest", () => pinnedManifest(chain, folder), summary);
  return { failed: kept.failed, ground: { chain: () => chain, pinned, isNew } };
}

/** Others hold the address of what was restarted: elsewhere it would be of no use to them. */
async function samePort<T extends { port: number; child: Child; stop: () => Promise<void> }>(
  before: T,
  again: T,
  accept: (value: T) => void,
): Promise<Child> {
  if (again.port !== before.port) {
    await again.stop();
    throw new StackError(`port ${before.port} was taken by another program meanwhile.`, "Start the stack again.");
  }
  accept(again);
  return again.child;
}

function summary({ sha256 }: PinnedManifest): string {
  return `manifest ${sha256.slice(0, 16)}…`;
}
