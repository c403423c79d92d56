import { isPaymasterUrl } from "@slipway/protocol/paymasterUrl";
import type { Settings } from "@slipway/protocol/settings";
import type { Chain } from "../wallet/network.ts";
import type { Hex } from "../wallet/provider.ts";

/**
 * Returns the chain from the service's settings; null if no deployment is pinned.
 *
 * @param known - The chain of an earlier response, which stays until the page is reloaded: a later response of the API
 *   cannot exchange the contracts that the page's checks compare with.
 */
export function toChain(
  { chain_id: id, chain, contracts, paymaster_url: paymaster }: Settings,
  known: Chain | null,
): Chain | null {
  if (known) return known;
  const factory = contracts.launch_factory;
  if (factory === undefined) return null;
  const { name, native_currency: currency, rpc_urls: rpcUrls, explorer_url: explorerUrl } = chain;
  const paymasterUrl = paymaster != null && isPaymasterUrl(paymaster) ? paymaster : null;
  return { id, name, currency, rpcUrls, explorerUrl, factory: factory as Hex, contracts, paymasterUrl };
}
