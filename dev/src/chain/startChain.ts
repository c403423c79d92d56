import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { anvilProgram } from "./anvilProgram.ts";
import { chainStatePaths, endSurvivingChain, keepPreviousState, prepareChainState } from "./chainState.ts";
import { freePort } from "../process/freePort.ts";
import { rpcRequest } from "./rpcRequest.ts";
import { type Child, logTail, spawnChild } from "../process/spawnChild.ts";
import { StackError } from "../stack/stackError.ts";
import { walletCount } from "./wallets.ts";

export type StartChainParameters = {
  /** The stack's folder: state in `chain.json`, log in `chain.log`. */
  dir: string;
  /** Ports to try first; otherwise any free one. */
  preferredPorts?: number[];
  /** Default 46630. */
  chainId?: number;
  /** Longest time without a block, in milliseconds: an empty one is mined then. 0: only transactions mine. */
  heartbeatMs?: number;
  /** False keeps nothing on disk. Default true. */
  durable?: boolean;
  /**
   * How many of the latest blocks keep their state, for calls and simulations that name a block. Each costs about
   * 0.25 kB of memory for every block there is, so a chain that runs for days keeps fewer. Default 300.
   */
  keptStates?: number;
};

export type Chain = {
  rpcUrl: string;
  wsUrl: string;
  port: number;
  chainId: number;
  /** What the chain came up with: `none` means it is new; `previous` that the last save was damaged. */
  restored: "none" | "saved" | "previous";
  /** True when a chain that survived a crash had to be ended first. */
  endedSurvivor: boolean;
  child: Child;
  stop: () => Promise<void>;
};

/** The chain id of the local stack and of the testnet. */
export const localChainId = 46630;

const startTimeoutMs = 60_000;
const saveIntervalSeconds = 5;

/**
 * Starts the local chain (anvil) on 127.0.0.1 with the state of the folder. A transaction is mined at once; without
 * any, a block comes every `heartbeatMs`, since each empty block makes the state file grow. Ends a chain of the same
 * folder that survived a crash. Stopping saves the state; a kill -9 loses the last seconds, and the chain then mines
 * those heights anew with other hashes.
 *
 * @example
 * const chain = await startChain({ dir: ".slipway" });
 * createPublicClient({ transport: http(chain.rpcUrl) });
 * await chain.stop();
 *
 * @throws StackError when the state is damaged or the chain does not come up
 */
export async function startChain(parameters: StartChainParameters): Promise<Chain> {
  const { preferredPorts = [], heartbeatMs = 3_000, durable = true, chainId = localChainId } = parameters;
  const dir = resolve(parameters.dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const endedSurvivor = await endSurvivingChain(dir);
  const restored = durable ? prepareChainState(dir) : "none";
  const { child, port } = await startAnvil(dir, { ...parameters, chainId, preferredPorts, durable });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const endCopies = durable ? keepPreviousState(dir) : () => undefined;
  const endHeartbeat = heartbeatMs > 0 ? keepMining(rpcUrl, heartbeatMs) : () => undefined;
  const endTimers = () => {
    endCopies();
    endHeartbeat();
  };
  void child.exited.then(endTimers);
  return {
    rpcUrl,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    chainId,
    restored,
    endedSurvivor,
    child,
    stop: async () => {
      endTimers();
      await child.stop();
    },
  };
}

async function startAnvil(
  dir: string,
  { chainId = localChainId, preferredPorts = [], durable = true, keptStates = 300 }: StartChainParameters,
): Promise<{ child: Child; port: number }> {
  const logPath = join(dir, "chain.log");
  const { state, pid } = chainStatePaths(dir);
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(attempt === 1 ? preferredPorts : []);
    const child = await spawnChild({
      dir,
      name: "chain",
      endSignal: "SIGINT",
      endOrder: 2,
      command: anvilProgram(),
      args: [
        ...["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(chainId)],
        ...["--accounts", String(walletCount), "--hardfork", "prague", "--quiet"],
        // In memory, and none of them on disk.
        ...["--prune-history", String(keptStates)],
        ...(durable ? ["--state", state, "--state-interval", String(saveIntervalSeconds)] : []),
      ],
      logPath,
    });
    if (durable) writeFileSync(pid, String(child.pid));
    if (await answers(child, `http://127.0.0.1:${port}`)) return { child, port };
    await child.stop();
    const tail = logTail(logPath);
    // Somebody else took the port between the choice and the bind.
    if (attempt < 5 && tail.includes("Address already in use")) continue;
    throw new StackError(`The local chain (anvil) did not start:\n${tail}`, `Its whole log is ${logPath}.`);
  }
}

async function answers(child: Child, rpcUrl: string): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (child.exit() === null && Date.now() < deadline) {
    try {
      await rpcRequest(rpcUrl, "eth_chainId");
      // Another program may hold the port and answer in anvil's place: ours must still live a moment later.
      await new Promise((resolve) => setTimeout(resolve, 30));
      return child.exit() === null;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
}

/** Mines an empty block whenever the head has not moved for a whole heartbeat. @returns a function that ends it */
function keepMining(rpcUrl: string, heartbeatMs: number): () => void {
  let head = "";
  const beat = async () => {
    try {
      const now = await rpcRequest<string>(rpcUrl, "eth_blockNumber");
      if (now === head) await rpcRequest(rpcUrl, "evm_mine");
      head = now;
    } catch {
      // The chain is stopping or busy; the next beat tries again.
    }
  };
  const timer = setInterval(() => void beat(), heartbeatMs);
  timer.unref();
  return () => clearInterval(timer);
}
