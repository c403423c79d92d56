const storageKey = "slipway.slippage";
/** 1% in basis points. */
const defaultBps = 100;
/** The service's maximum. */
export const maxSlippageBps = 500;

/** Loads the slippage tolerance that this browser used last, in basis points. */
export function loadSlippage(storage: Pick<Storage, "getItem">): number {
  try {
    const kept = Number(storage.getItem(storageKey) ?? defaultBps);
    return Number.isInteger(kept) && kept >= 1 && kept <= maxSlippageBps ? kept : defaultBps;
  } catch {
    return defaultBps;
  }
}

/** Keeps a slippage tolerance; without storage, it ends with the page. */
export function saveSlippage(storage: Pick<Storage, "setItem">, bps: number): void {
  try {
    storage.setItem(storageKey, String(bps));
  } catch {
    // Without storage, the next page starts with the default.
  }
}
