import type { Logger } from "pino";
import { createPublicClient, custom } from "viem";
import type { Config } from "../config.ts";
import type { Clock } from "../deps.ts";
import type { Metrics } from "../metrics.ts";
import type { Chain } from "./chain.ts";
import { joinRequests } from "./joinRequests.ts";
import { type ManifestWatch, startManifestWatch } from "./manifestWatch.ts";
import { proveDeployment } from "./proveDeployment.ts";
import { readManifest } from "./readManifest.ts";
import { createRpcPool } from "./rpcPool.ts";
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
  let watch: ManifestWatch | null = null;
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
  const request = joinRequests(pool, { patienceMs });
  const patient = joinRequests(pool);
  watch = await startManifestWatch({
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
