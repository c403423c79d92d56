import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { endOrphan } from "../process/childRecords.ts";
import { type Child, spawnChild, spawnListener } from "../process/spawnChild.ts";
import { StackError } from "../stack/stackError.ts";
import { getChainStatePaths, prepareChainState, startStateBackups } from "./chainState.ts";
import { rpcRequest } from "./rpcRequest.ts";
import { walletCount } from "./wallets.ts";

export type StartChainParameters = {
  /** The stack's folder: state in `chain.json`, log in `chain.log`. */
  dir: string;
  /** The port to listen on. Default: the first free port of `preferredPorts`, otherwise any free port. */
  port?: number;
  preferredPorts?: number[];
  /** Default 46630. */
  chainId?: number;
  /**
   * The maximum time without a block, in milliseconds, after which an empty block is mined. 0: only transactions are
   * mined.
   */
  heartbeatMs?: number;
  /** False stores nothing on disk. Default true. */
  durable?: boolean;
  /** A state file of another chain, from which a chain that is not durable starts. */
  initialState?: string;
  /**
   * The number of latest blocks whose state is kept, for calls and simulations that name a block. Each kept state costs
   * about 0.25 kB of memory for every block of the chain, so a chain that runs for days keeps fewer. Default 300.
   */
  retainedStates?: number;
};

export type Chain = {
  rpcUrl: string;
  wsUrl: string;
  port: number;
  chainId: number;
  /** The loaded state: `none` for a new chain; `previous` if the last save was damaged. */
  restored: "none" | "saved" | "previous";
  /** Whether an orphaned chain of the folder was ended first. */
  endedOrphan: boolean;
  child: Child;
  stop: () => Promise<void>;
};

/** The chain id of the local stack and of the testnet. */
export const localChainId = 46630;

const saveIntervalSeconds = 5;
/** The maximum time in which an orphaned chain saves its state. */
const orphanTimeoutMs = 60_000;

/**
 * Starts the local chain (anvil) on 127.0.0.1 with the state of the folder. A transaction is mined immediately; without
 * transactions, a block is mined every `heartbeatMs`, not more often, because each empty block enlarges the state file.
 * Ends an orphaned chain of the same folder. Stopping saves the state; a kill -9 loses the last seconds, and the chain
 * then mines those heights again with other hashes.
 *
 * @example
 * const chain = await startChain({ dir: ".slipway" });
 * createPublicClient({ transport: http(chain.rpcUrl) });
 * await chain.stop();
 *
 * @throws StackError when the state is damaged or the chain does not start
 */
export async function startChain(parameters: StartChainParameters): Promise<Chain> {
  const { heartbeatMs = 3_000, durable = true, chainId = localChainId, retainedStates = 300 } = parameters;
  const dir = resolve(parameters.dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const endedOrphan = await endOrphan(dir, "chain", orphanTimeoutMs);
  const restored = durable ? prepareChainState(dir) : "none";
  const { state } = getChainStatePaths(dir);
  const logPath = join(dir, "chain.log");
  const { child, port } = await spawnListener({
    title: "The local chain (anvil)",
    logPath,
    port: parameters.port,
    preferredPorts: parameters.preferredPorts,
    spawn: (port) => {
      const command = getAnvilPath();
      const args = [
        ...["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(chainId)],
        ...["--accounts", String(walletCount), "--hardfork", "prague", "--quiet"],
        // Keeps the states in memory only, none on disk.
        ...["--prune-history", String(retainedStates)],
        ...(durable ? ["--state", state, "--state-interval", String(saveIntervalSeconds)] : []),
        ...(parameters.initialState === undefined ? [] : ["--load-state", parameters.initialState]),
      ];
      return spawnChild({ dir, name: "chain", endSignal: "SIGINT", endOrder: 2, command, args, logPath });
    },
    isReady: (port) =>
      rpcRequest(`http://127.0.0.1:${port}`, "eth_chainId").then(
        () => true,
        () => false,
      ),
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const stopBackups = durable ? startStateBackups(dir) : () => undefined;
  const stopHeartbeat = heartbeatMs > 0 ? mineOnHeartbeat(rpcUrl, heartbeatMs) : () => undefined;
  const stopTimers = () => {
    stopBackups();
    stopHeartbeat();
  };
  void child.exited.then(stopTimers);
  return {
    rpcUrl,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    chainId,
    restored,
    endedOrphan,
    child,
    stop: async () => {
      stopTimers();
      await child.stop();
    },
  };
}

/** Mines an empty block if the head has not changed for a heartbeat. @returns a function that stops this */
function mineOnHeartbeat(rpcUrl: string, heartbeatMs: number): () => void {
  let head = "";
  const beat = async () => {
    try {
      const now = await rpcRequest<string>(rpcUrl, "eth_blockNumber");
      if (now === head) await rpcRequest(rpcUrl, "evm_mine");
      head = now;
    } catch {
      // The chain is stopping or busy; the next heartbeat tries again.
    }
  };
  const timer = setInterval(() => void beat(), heartbeatMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Returns the path of the anvil binary that npm installed for this platform. The package's launcher would add a process
 * between the supervisor and the chain.
 *
 * @throws StackError when there is no binary for this platform
 */
function getAnvilPath(): string {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"));
  try {
    const folder = dirname(require.resolve(`${name}/package.json`));
    return join(folder, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
  } catch (error) {
    throw new StackError(
      `There is no local chain (anvil) for ${process.platform} ${process.arch} (${name}).`,
      "Use a chain of your own: set DATABASE_URL, RPC_URL, MANIFEST_PATH and MANIFEST_SHA256.",
      { cause: error },
    );
  }
}
