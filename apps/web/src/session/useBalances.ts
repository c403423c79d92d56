import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Provider } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";
import { useSender } from "./services.tsx";

/** The connected account's balances in base units; null while unknown. */
export type Balances = { native: bigint | null; tokens: ReadonlyMap<string, bigint> };

const noBalances: Balances = { native: null, tokens: new Map() };

/** The key of all balances of all accounts: invalidate it after a confirmed transaction. */
export const balancesKey = ["balances"] as const;

/** Query options for balances, read through the connected wallet. */
export function balancesOptions(sender: Sender | null, tokens: readonly string[]) {
  const addresses = tokens.filter(Boolean).map((token) => token.toLowerCase());
  return queryOptions({
    queryKey: [...balancesKey, sender?.chain.id, sender?.address, addresses] as const,
    queryFn: async (): Promise<Balances> => {
      if (sender === null) return noBalances;
      const { provider, address } = sender;
      const data = `0x70a08231${address.slice(2).padStart(64, "0")}`;
      const [native, ...amounts] = await Promise.all([
        readQuantity(provider, "eth_getBalance", [address, "latest"]),
        ...addresses.map((to) => readQuantity(provider, "eth_call", [{ to, data }, "latest"])),
      ]);
      const known = addresses.flatMap((token, index) => {
        const amount = amounts[index] ?? null;
        return amount === null ? [] : [[token, amount] as const];
      });
      return { native: native ?? null, tokens: new Map(known) };
    },
    enabled: sender !== null,
    // Not cached: a user who returns to an account sees its current balances.
    gcTime: 0,
    staleTime: 0,
  });
}

/** Returns the balances of the connected account. @param tokens - Addresses of ERC-20 tokens. */
export function useBalances(tokens: readonly string[]): Balances {
  const sender = useSender();
  return useQuery(balancesOptions(sender, tokens)).data ?? noBalances;
}

/** Returns a function that reads all shown balances again. */
export function useRefreshBalances(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: balancesKey });
}

async function readQuantity(provider: Provider, method: string, params: readonly unknown[]): Promise<bigint | null> {
  const answer = await provider.request({ method, params }).catch(() => null);
  return typeof answer === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(answer) ? BigInt(answer) : null;
}
