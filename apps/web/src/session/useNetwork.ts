import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type NetworkState, readNetwork, switchNetwork } from "../wallet/network.ts";
import { WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";
import { useConnection, useSender } from "./services.tsx";

export type Network = {
  /** `none` without a connected account; `unknown` until the wallet has answered. */
  state: NetworkState | "none" | "unknown";
  isSwitching: boolean;
  /** Why the last switch failed. */
  fault: "declined" | "busy" | "failed" | null;
  switchTo(): void;
};

/**
 * Query options for the network of the connected wallet.
 *
 * @param chainId - The chain that the wallet has announced: a change of it reads the network again.
 */
export function networkOptions(sender: Sender | null, walletId: string | null, chainId: number | null) {
  return queryOptions({
    queryKey: ["network", walletId, sender?.address, sender?.chain, chainId] as const,
    queryFn: (): Promise<NetworkState> | null => (sender === null ? null : readNetwork(sender.provider, sender.chain)),
    enabled: sender !== null,
    // A wallet that returns to a chain may have another RPC for it.
    gcTime: 0,
    staleTime: 0,
    networkMode: "always",
  });
}

/** The network of the connected wallet, read from the wallet at each change. */
export function useNetwork(): Network {
  const sender = useSender();
  const client = useQueryClient();
  const { walletId, chainId } = useConnection();
  const options = networkOptions(sender, walletId, chainId);
  const query = useQuery(options);
  const change = useMutation({
    mutationFn: async () => (sender === null ? null : await switchNetwork(sender.provider, sender.chain)),
    onSuccess: (network) => client.setQueryData(options.queryKey, network),
    networkMode: "always",
  });
  const known = query.isError ? null : (query.data ?? null);
  return {
    state: sender === null ? "none" : (known ?? "unknown"),
    isSwitching: change.isPending,
    fault: toFault(change.error, change.data ?? null),
    switchTo: () => change.mutate(),
  };
}

function toFault(error: unknown, network: NetworkState | null): Network["fault"] {
  if (error === null) return network === "wrong_chain" ? "failed" : null;
  if (error instanceof WalletError && (error.fault === "declined" || error.fault === "busy")) return error.fault;
  return "failed";
}
