import { verifyDeployment } from "@slipway/deploy/verifyDeployment";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Logger } from "pino";
import { createPublicClient, custom } from "viem";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Metrics } from "../metrics.ts";
import type { Observer } from "../observer/createObserver.ts";
import type { Chain, RpcRequest } from "./chain.ts";
import { createSeenHeads, createSeenReads } from "./lastSeen.ts";
import { type ChainProof, type ManifestVerifier, startManifestVerifier } from "./manifestVerifier.ts";
import { readManifest } from "./readManifest.ts";
import { RpcError } from "./rpcError.ts";
import { type BatchOptions, createRpcPool, type Raw, type RpcPool } from "./rpcPool.ts";
import { createRpcTransport } from "./rpcTransport.ts";

/**
 * Maximum wait of a caller's request for the RPC budget, which it shares with the indexer. A longer wait is refused,
 * because the callers of one account can exceed the budget, and a queue would delay the indexer for all accounts.
 */
export const budgetTimeoutMs = 1_000;

/**
 * Opens the chain: the pool of RPC endpoints, the operator's manifest, and the verifier that compares the two. Also
 * starts if the endpoints do not answer or no manifest is pinned: transaction endpoints then answer 503, and the
 * verifier retries.
 */
export async function createChain(
  config: Config,
  log: Logger,
  clock: Clock,
  metrics: Metrics,
  observer?: Observer,
): Promise<Chain> {
  let verifier: ManifestVerifier | null = null;
  const pool = createRpcPool({
    endpoints: config.RPC_URL.length,
    hosts: config.RPC_URL.map((url) => new URL(url).host),
    transport: createRpcTransport(config.RPC_URL),
    // A verification through one endpoint does not cover another.
    onSwitch: () => verifier?.checkSoon(),
    timeoutMs: config.RPC_TIMEOUT_MS,
    requestsPerSecond: config.RPC_REQUESTS_PER_SECOND,
    clock,
    log,
    metrics,
    observer,
  });
  const request = batchRequests(pool, { budgetTimeoutMs });
  const requestWithoutTimeout = batchRequests(pool);
  verifier = await startManifestVerifier({
    file: await readManifest(config),
    prove: (manifest) => proveDeployment(requestWithoutTimeout, manifest),
    clock,
    log,
    metrics,
  });
  return {
    request,
    rpc: pool,
    // The pool itself retries.
    client: createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) }),
    manifestState: verifier.state,
    heads: createSeenHeads(clock),
    seenReads: createSeenReads(clock),
    splitterCreations: new Map(),
    simulationSupport: { calls: null, creations: null, failedOverrides: 0 },
    close: verifier.close,
  };
}

type Waiting = {
  call: { method: string; params: readonly unknown[] };
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/**
 * Creates a request function that sends all calls of one event loop iteration as one JSON-RPC batch, so that concurrent
 * calls of a handler take one round trip. Each call succeeds or fails independently.
 *
 * @param options.budgetTimeoutMs - Maximum wait of a batch for the budget; see `BatchOptions`.
 */
export function batchRequests(
  pool: Pick<RpcPool, "batchSettled">,
  options: Pick<BatchOptions, "budgetTimeoutMs"> = {},
): RpcRequest {
  let waiting: Waiting[] = [];

  const flush = async () => {
    const batch = waiting;
    waiting = [];
    let answers: (Raw<unknown> | RpcError)[];
    try {
      answers = await pool.batchSettled(
        batch.map(({ call }) => call),
        options,
      );
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = answers[index];
      if (answer instanceof RpcError) reject(answer);
      else resolve(answer);
    }
  };

  return ({ method, params }) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({ call: { method, params: params ?? [] }, resolve, reject });
    });
}

/**
 * Verifies the chain against the manifest.
 *
 * @throws If the chain does not answer. The result is then unknown.
 */
export async function proveDeployment(request: RpcRequest, manifest: Manifest): Promise<ChainProof> {
  const { checks, blockNumber, failedGasTokens } = await verifyDeployment({ request: request as never }, manifest);
  const failed = checks.filter(({ ok, scope }) => !ok && scope === "core");
  return {
    blockNumber,
    problems: failed.map(({ name, expected, actual }) => `${name} is ${actual}, not ${expected}`),
    disabledGasTokens: new Set(failedGasTokens.map((address) => address.toLowerCase())),
  };
}
