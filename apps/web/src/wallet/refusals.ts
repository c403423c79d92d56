/** Requests that wallets refused, by a name of the wallet. Flows use an alternative from then on. */
type Refusals = { has(wallet: string): boolean; add(wallet: string): void; clear(): void };

/** Refused batches, by wallet id, in all visits. */
export const refusedBatchesKey = "slipway.without_batches";
/** Refused permits, by account, until the tab closes, because the wallet may sign permits at a later visit. */
export const refusedPermitsKey = "slipway.without_permits";

/** Creates the refusals over storage; without storage, they end with the page. */
export function createRefusals(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, key: string): Refusals {
  const refused = new Set<string>();
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    for (const id of Array.isArray(stored) ? stored : []) if (typeof id === "string") refused.add(id);
  } catch {
    // Unreadable: no refusals are known.
  }
  const quietly = (work: () => void) => {
    try {
      work();
    } catch {
      // Without storage, the refusal ends with the page.
    }
  };
  return {
    has: (wallet) => refused.has(wallet),
    add: (wallet) => {
      refused.add(wallet);
      quietly(() => storage.setItem(key, JSON.stringify([...refused].slice(-20))));
    },
    clear: () => {
      refused.clear();
      quietly(() => storage.removeItem(key));
    },
  };
}
