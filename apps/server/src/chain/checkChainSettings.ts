import { type Config, ConfigError } from "../config.ts";
import type { Chain } from "./chain.ts";

/**
 * Checks at the start what the settings of the chain refer to: the manifest is the pinned one, and CHAIN_ID, where it is
 * set, is the chain of the manifest and of every endpoint that answers. Nothing else prevents a start: an endpoint that is
 * down, or without CHAIN_ID one of another chain, can be right again, and `/readyz` says so meanwhile.
 *
 * @throws ConfigError with every problem.
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
        `CHAIN_ID: is ${chainId}, but the manifest is of chain ${manifest.chain_id}; correct it, or leave it out`,
      );
    }
    for (const [endpoint, served] of (await readChainIds(chain)).entries()) {
      if (served === null || served === chainId) continue;
      problems.push(
        `CHAIN_ID: is ${chainId}, but endpoint ${endpoint} of RPC_URL serves chain ${served}; correct the one or the other`,
      );
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/** The chain id of each endpoint, in the order of RPC_URL; null where none is answered. */
async function readChainIds({ rpc }: Pick<Chain, "rpc">): Promise<(number | null)[]> {
  const ask = async (endpoint: number) => {
    const answer = await rpc.request({ method: "eth_chainId" }, { endpoint }).catch(() => null);
    return typeof answer === "string" && /^0x[0-9a-f]+$/i.test(answer) ? Number(answer) : null;
  };
  return await Promise.all(Array.from({ length: rpc.endpoints }, (_, endpoint) => ask(endpoint)));
}
