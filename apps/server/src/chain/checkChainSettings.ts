import { type Config, ConfigError } from "../config.ts";
import type { Chain } from "./chain.ts";

/**
 * Checks the chain settings at the start: the manifest must be the pinned manifest, and CHAIN_ID, if set, must be the
 * chain of the manifest and of all endpoints that answer. No other problem prevents the start: an endpoint that is
 * down, or (without CHAIN_ID) serves another chain, can recover, and `/readyz` reports the problem meanwhile.
 *
 * @throws ConfigError with all problems.
 */
export async function checkChainSettings(
  config: Pick<Config, "CHAIN_ID" | "MANIFEST_PATH" | "MANIFEST_SHA256">,
  chain: Pick<Chain, "manifestState" | "rpc">,
): Promise<void> {
  const { CHAIN_ID: chainId } = config;
  const { manifest, reason } = chain.manifestState();
  const problems: string[] = [];
  const isConfigured = config.MANIFEST_PATH !== undefined || config.MANIFEST_SHA256 !== undefined;
  if (manifest === null && isConfigured) problems.push(String(reason));
  if (chainId !== undefined) {
    if (manifest !== null && manifest.chain_id !== chainId) {
      problems.push(
        `CHAIN_ID: is ${chainId}, but the manifest is for chain ${manifest.chain_id}; correct or remove the setting`,
      );
    }
    for (const [endpoint, served] of (await readChainIds(chain)).entries()) {
      if (served === null || served === chainId) continue;
      problems.push(
        `CHAIN_ID: is ${chainId}, but endpoint ${endpoint} of RPC_URL serves chain ${served}; correct one of the two`,
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Reads the chain id of each endpoint, in the order of RPC_URL; null for an endpoint that does not answer. */
async function readChainIds({ rpc }: Pick<Chain, "rpc">): Promise<(number | null)[]> {
  const ask = async (endpoint: number) => {
    const answer = await rpc.request({ method: "eth_chainId" }, { endpoint }).catch(() => null);
    return typeof answer === "string" && /^0x[0-9a-f]+$/i.test(answer) ? Number(answer) : null;
  };
  return await Promise.all(Array.from({ length: rpc.endpoints }, (_, endpoint) => ask(endpoint)));
}
