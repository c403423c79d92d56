import { verifyDeployment } from "@slipway/deploy/verifyDeployment";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Logger } from "pino";
import { createPublicClient, custom } from "viem";
import type { Config } from "../config.ts";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../metrics.ts";
import type { Chain, RpcRequest } from "./chain.ts";
import { type ChainProof, type ManifestVerifier, startManifestVerifier } from "./manifestVerifier.ts";
import { readManifest } from "./readManifest.ts";
import { RpcError } from "./rpcError.ts";
import { type BatchOptions, createRpcPool, type Raw, type RpcPool } from "./rpcPool.ts";
import { createRpcTransport } from "./rpcTransport.ts";

/**
 * How long a request waits for the budget that it shares with the indexer. Who comes when more wait is refused: callers
 * of one account may ask more than the budget gives, and an index that waits with them would be stale for everybody.
 */
const patienceMs = 1_000;

/**
 * Opens the chain: the pool of endpoints, the operator's manifest, and the watch that proves one against the other.
 * Comes up also when the endpoints do not answer or no manifest is pinned: then transaction endpoints answer 503 and
 * the watch goes on trying.
 */
export async function createChain(config: Config, log: Logger, clock: Clock, metrics: Metrics): Promise<Chain> {
  const transport = createRpcTransport(config.RPC_URL);
  let watch: ManifestVerifier | null = null;
  let answering = 0;
  const pool = createRpcPool({
    endpoints: config.RPC_URL.length,
    transport: async (endpoint, body, signal) => {
      const answer = await transport(endpoint, body, signal);
      // What was proven through one endpoint is not proven through another.
      if (endpoint !== answering) {
        answering = endpoint;
        watch?.checkSoon();
      }
      return answer;
    },
    timeoutMs: config.RPC_TIMEOUT_MS,
    requestsPerSecond: config.RPC_REQUESTS_PER_SECOND,
    clock,
    log,
    metrics,
  });
  const request = batchRequests(pool, { patienceMs });
  const patient = batchRequests(pool);
  watch = await startManifestVerifier({
    file: await readManifest(config.MANIFEST_PATH, config.MANIFEST_SHA256),
    prove: (manifest) => proveDeployment(patient, manifest),
    clock,
    log,
    metrics,
  });
  return {
    request,
    rpc: pool,
    // The pool tries again by itself, elsewhere first.
    client: createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) }),
    manifestState: watch.state,
    close: watch.close,
  };
}

type Waiting = {
  call: { method: string; params: readonly unknown[] };
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
};

/**
 * A request function that sends everything asked within one turn of the event loop as one JSON-RPC batch, so that what
 * a handler asks together costs one round trip. Each call still succeeds or fails alone.
 *
 * @param options.patienceMs - How long a batch may wait for the budget; see `BatchOptions`.
 */
export function batchRequests(
  pool: Pick<RpcPool, "batchSettled">,
  options: Pick<BatchOptions, "patienceMs"> = {},
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
 * Proves the chain against the manifest.
 *
 * @throws when the chain does not answer: then nothing is proven either way.
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
