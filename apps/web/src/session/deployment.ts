import type { Settings } from "@slipway/protocol/settings";
import type { Chain } from "../wallet/network.ts";
import type { Hex } from "../wallet/provider.ts";

/** Returns the chain from the service's settings; null if no deployment is pinned. */
export function toChain({ chain_id: id, chain, contracts }: Settings): Chain | null {
  const factory = contracts.launch_factory;
  if (factory === undefined) return null;
  const { name, native_currency: currency, rpc_urls: rpcUrls, explorer_url: explorerUrl } = chain;
  return { id, name, currency, rpcUrls, explorerUrl, factory: factory as Hex };
}
