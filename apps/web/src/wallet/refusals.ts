/** What wallets have refused, by a name of the wallet: they are asked for something else from then on. */
type Refusals = { has(wallet: string): boolean; add(wallet: string): void; clear(): void };

/** Wallets that send no batches are named by their id; they do not learn it from one visit to the next. */
export const refusedBatchesKey = "slipway.without_batches";
/** An account that does not sign permits, for as long as the tab is open: another day its wallet may. */
export const refusedPermitsKey = "slipway.without_permits";

/** Creates it over storage; without storage it is forgotten with the page. */
export function createRefusals(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, key: string): Refusals {
  const refused = new Set<string>();
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    for (const id of Array.isArray(stored) ? stored : []) if (typeof id === "string") refused.add(id);
  } catch {
    // Nothing is known of any wallet.
  }
  const quietly = (work: () => void) => {
    try {
      work();
    } catch {
      // Until the page is left.
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
