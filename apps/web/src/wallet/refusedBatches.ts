/** Which wallets have refused a batch: they are asked for steps from then on. */
export type RefusedBatches = { has(walletId: string): boolean; add(walletId: string): void };

const storageKey = "slipway.without_batches";

/** Creates it over `localStorage`; without storage it is forgotten with the page. */
export function createRefusedBatches(storage: Pick<Storage, "getItem" | "setItem">): RefusedBatches {
  const refused = new Set<string>();
  try {
    const stored: unknown = JSON.parse(storage.getItem(storageKey) ?? "[]");
    for (const id of Array.isArray(stored) ? stored : []) if (typeof id === "string") refused.add(id);
  } catch {
    // Nothing is known of any wallet.
  }
  return {
    has: (walletId) => refused.has(walletId),
    add: (walletId) => {
      refused.add(walletId);
      try {
        storage.setItem(storageKey, JSON.stringify([...refused].slice(-20)));
      } catch {
        // Until the page is left.
      }
    },
  };
}
