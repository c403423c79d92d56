import { queryOptions, useQuery } from "@tanstack/react-query";
import { type NetworkState, readNetwork } from "../wallet/network.ts";
import type { Sender } from "../wallet/send.ts";
import { useConnection, useSender } from "./services.tsx";

/**
 * Query options for the network of the connected wallet.
 *
 * @param chainId - The chain that the wallet announced; a change reads the network again.
 */
export function networkOptions(sender: Sender | null, walletId: string | null, chainId: number | null) {
  return queryOptions({
    queryKey: ["network", walletId, sender?.address, sender?.chain, chainId] as const,
    queryFn: (): Promise<NetworkState> | null => (sender === null ? null : readNetwork(sender.provider, sender.chain)),
    enabled: sender !== null,
    // Not cached: a wallet that returns to a chain may use another RPC.
    gcTime: 0,
    staleTime: 0,
  });
}

/** Returns the query options for the network of the connected wallet. */
export function useNetworkOptions() {
  const sender = useSender();
  const { walletId, chainId } = useConnection();
  return networkOptions(sender, walletId, chainId);
}

/**
 * Returns the network of the connected wallet, which is read again at each change. `none` without a connected account;
 * `unknown` until the wallet has answered.
 */
export function useNetwork(): NetworkState | "none" | "unknown" {
  const query = useQuery(useNetworkOptions());
  if (useSender() === null) return "none";
  return (query.isError ? null : query.data) ?? "unknown";
}
