import { useEffect, useState } from "react";
import type { Hex, Provider } from "../wallet/provider.ts";
import { useSender } from "./services.tsx";

/** What the connected account holds, in base units; null while unknown. */
export type Balances = { native: bigint | null; tokens: ReadonlyMap<string, bigint> };

const nothing: Balances = { native: null, tokens: new Map() };

/**
 * Reads balances through the connected wallet.
 *
 * @param tokens - Addresses of ERC-20 tokens.
 * @param round - Another number reads them again, e.g. after a trade.
 */
export function useBalances(tokens: readonly string[], round: unknown): Balances {
  const sender = useSender();
  const [balances, setBalances] = useState(nothing);
  const key = tokens.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is a reason to read again
  useEffect(() => {
    if (sender === null) return setBalances(nothing);
    let isCurrent = true;
    const { provider, address } = sender;
    const addresses = key.split(",").filter(Boolean);
    const native = readQuantity(provider, "eth_getBalance", [address, "latest"]);
    const data = `0x70a08231${address.slice(2).padStart(64, "0")}`;
    const held = addresses.map((to) => readQuantity(provider, "eth_call", [{ to, data }, "latest"]));
    void Promise.all([native, ...held]).then(([first, ...rest]) => {
      if (!isCurrent) return;
      const known = addresses.flatMap((token, index) => {
        const amount = rest[index] ?? null;
        return amount === null ? [] : [[token.toLowerCase(), amount] as const];
      });
      setBalances({ native: first ?? null, tokens: new Map(known) });
    });
    return () => {
      isCurrent = false;
    };
  }, [sender, key, round]);
  return balances;
}

async function readQuantity(provider: Provider, method: string, params: readonly unknown[]): Promise<bigint | null> {
  const answer = await provider.request({ method, params }).catch(() => null);
  return typeof answer === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(answer as Hex) ? BigInt(answer) : null;
}
