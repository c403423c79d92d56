import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { deployContracts, type PinnedManifest, readPinnedManifest } from "../chain/deployContracts.ts";
import { type Chain, startChain } from "../chain/startChain.ts";
import { type Postgres, startPostgres } from "../postgres/startPostgres.ts";
import { supervise } from "../process/supervise.ts";
import type { Progress } from "./progress.ts";
import type { StackError } from "./stackError.ts";
import type { inspectStackFolder, StackFolder } from "./stackFolder.ts";
import type { StackPorts } from "./stackPorts.ts";

export type StartInfrastructureParameters = {
  folder: StackFolder;
  durable: boolean;
  progress: Progress;
  found: ReturnType<typeof inspectStackFolder>;
  /** The configured ports: the site's port, which must stay free, and the ports to listen on. */
  ports: StackPorts;
};

/** The dependencies of the server: a database, and a chain with the contracts. */
export type Infrastructure = {
  postgres: () => Postgres;
  chain: () => Chain;
  pinned: PinnedManifest;
  apiDatabaseUrl: string;
  indexerDatabaseUrl: string;
  /** Whether this start deployed the contracts. */
  isNew: boolean;
  failed: Promise<StackError>;
  stop: () => Promise<void>;
};

type Stop = () => Promise<void>;
/** The ports of the last start. */
type LastPorts = { chain?: number; postgres?: number };

/** The preferred port of a new stack; wallets expect a local chain there. */
const usualChainPort = 8545;

/**
 * Starts the database and the chain concurrently, deploys the contracts on a new chain or verifies the contracts of an
 * earlier start, and restarts both processes at the same ports whenever they end.
 */
export async function startInfrastructure(parameters: StartInfrastructureParameters): Promise<Infrastructure> {
  const { folder, progress, found } = parameters;
  if (found === "unfinished") progress.note("the first start did not finish; it runs again");
  if (found === "without-database") {
    progress.note("the database is missing: the index is rebuilt from the chain; drafts and accounts are lost");
  }
  const started: Stop[] = [];
  const stop = async () => {
    for (const end of started.reverse()) await end();
  };
  const last = readLastPorts(folder);
  const [database, contracts] = await Promise.allSettled([
    startDatabase(parameters, last, started),
    startContracts(parameters, last, started),
  ]);
  if (database.status === "rejected" || contracts.status === "rejected") {
    await stop();
    throw database.status === "rejected" ? database.reason : (contracts as PromiseRejectedResult).reason;
  }
  const { postgres, ...urls } = database.value;
  const { chain, pinned, isNew } = contracts.value;
  const newPorts: LastPorts = { chain: chain().port, postgres: postgres().port };
  writeFileSync(folder.ports, JSON.stringify(newPorts));
  const failed = Promise.race([database.value.failed, contracts.value.failed]);
  return { ...urls, postgres, chain, pinned, isNew, failed, stop };
}

async function startDatabase(
  { folder: { dir }, durable, progress, ports }: StartInfrastructureParameters,
  last: LastPorts,
  started: Stop[],
) {
  const port = ports.database === undefined ? {} : { port: ports.database };
  let postgres = await progress.step(
    "PostgreSQL 18",
    () => startPostgres({ dir, ...port, preferredPorts: listUnnamed(ports, [last.postgres]), durable }),
    ({ port, created }) => `127.0.0.1:${port}${created ? ", new" : ""}`,
  );
  const { failed, stop } = supervise({
    name: "PostgreSQL",
    first: postgres.child,
    restart: async () => {
      postgres = await startPostgres({ dir, port: postgres.port, durable });
      return postgres.child;
    },
    report: progress.note,
    logPath: `${dir}/postgres.log`,
  });
  started.push(stop);
  return {
    postgres: () => postgres,
    apiDatabaseUrl: createRoleUrl(postgres, "slipway_api"),
    indexerDatabaseUrl: createRoleUrl(postgres, "slipway_indexer"),
    failed,
  };
}

async function startContracts(
  { folder, durable, progress, found, ports }: StartInfrastructureParameters,
  last: LastPorts,
  started: Stop[],
) {
  const port = ports.chain === undefined ? {} : { port: ports.chain };
  // A temporary stack leaves the default port to the developer's own stack.
  const preferredPorts = listUnnamed(ports, [last.chain, ...(durable ? [usualChainPort] : [])]);
  // A stack that runs for days saves memory; a test may reorganise many blocks.
  const retainedStates = durable ? 128 : 300;
  const { dir } = folder;
  let chain = await progress.step(
    "Local chain (anvil)",
    () => startChain({ dir, ...port, durable, retainedStates, preferredPorts }),
    ({ rpcUrl, restored }) => `${rpcUrl}${restored === "none" ? ", new" : ""}`,
  );
  if (chain.restored === "previous") {
    progress.note("the last save of the chain is damaged; it continues from an earlier save, some seconds behind");
  }
  const { failed, stop } = supervise({
    name: "the chain",
    first: chain.child,
    restart: async () => {
      chain = await startChain({ dir, durable, retainedStates, port: chain.port });
      return chain.child;
    },
    report: progress.note,
    logPath: `${dir}/chain.log`,
    // A new chain would be empty without saved state.
    isFatal: () => !durable,
  });
  started.push(stop);
  const isNew = found === "new" || found === "unfinished";
  const summarize = ({ sha256 }: PinnedManifest) => `manifest ${sha256.slice(0, 16)}…`;
  const pinned = isNew
    ? await progress.step("Contracts deployed", () => deployContracts(chain, folder), summarize)
    : await progress.step(
        "Contracts proven against the pinned manifest",
        () => readPinnedManifest(chain, folder),
        summarize,
      );
  return { chain: () => chain, pinned, isNew, failed };
}

/**
 * Returns the connection URL of a role of the running service: the API and its workers may write `app.*`, the indexer
 * `chain.*`. The server creates the roles with these passwords, which are derived from the owner's password and need no
 * storage.
 */
function createRoleUrl(postgres: Postgres, user: string): string {
  const password = createHmac("sha256", new URL(postgres.url).password).update(user).digest("hex");
  return postgres.urlFor({ user, password });
}

/**
 * Reads the ports of the last start: the next start uses the same ports if they are free, so that a wallet's network
 * stays valid.
 */
function readLastPorts(folder: StackFolder): LastPorts {
  try {
    return JSON.parse(readFileSync(folder.ports, "utf8")) as LastPorts;
  } catch {
    return {};
  }
}

/** Returns the candidates that no configured port uses. */
function listUnnamed({ site, chain, database }: StackPorts, candidates: (number | undefined)[]): number[] {
  return candidates.filter((port) => port !== undefined).filter((port) => ![site, chain, database].includes(port));
}
