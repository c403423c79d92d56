import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Messages } from "../messages/messages.ts";
import { type Chain, type NetworkState, switchNetwork } from "../wallet/network.ts";
import { WalletError } from "../wallet/provider.ts";
import { useSender } from "./services.tsx";
import { useNetworkOptions } from "./useNetwork.ts";

export type NetworkSwitch = {
  isSwitching: boolean;
  /** Why the last switch failed. */
  fault: "declined" | "busy" | "failed" | null;
  switchTo(): void;
};

/**
 * Asks the connected wallet to change to the chain of this deployment. Separate from `useNetwork`, because the first page
 * loads no mutations.
 */
export function useSwitchNetwork(): NetworkSwitch {
  const sender = useSender();
  const client = useQueryClient();
  const { queryKey } = useNetworkOptions();
  const change = useMutation({
    mutationFn: async () => (sender === null ? null : await switchNetwork(sender.provider, sender.chain)),
    onSuccess: (network) => client.setQueryData(queryKey, network),
  });
  return {
    isSwitching: change.isPending,
    fault: toFault(change.error, change.data ?? null),
    switchTo: () => change.mutate(),
  };
}

/** Explains why the wallet has not changed to the chain. */
export function toSwitchText(
  text: Messages["wallet"],
  fault: NonNullable<NetworkSwitch["fault"]>,
  { name, id }: Chain,
): string {
  return { declined: text.declined, busy: text.busy, failed: text.cannotSwitch(name, id) }[fault];
}

function toFault(error: unknown, network: NetworkState | null): NetworkSwitch["fault"] {
  if (error === null) return network === "wrong_chain" ? "failed" : null;
  if (error instanceof WalletError && (error.fault === "declined" || error.fault === "busy")) return error.fault;
  return "failed";
}
