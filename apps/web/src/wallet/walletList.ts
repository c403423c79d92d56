import type { Provider } from "./provider.ts";

/** A wallet of this browser. `id` is its reverse domain name, which is stored; `injected` for `window.ethereum`. */
export type FoundWallet = { id: string; name: string; icon: string | null; provider: Provider };

type Announced = { info: { uuid: string; rdns: string; name: string; icon: string }; provider: unknown };

/** Announcements of EIP-6963, e.g. mipd's store. */
export type Announcements = {
  getProviders(): readonly Announced[];
  subscribe(listener: () => void): () => void;
};

/** The wallets of this browser, in the order of their announcements. */
export type WalletList = { get(): readonly FoundWallet[]; subscribe(listener: () => void): () => void };

export const injectedId = "injected";

/** The maximum length of a shown wallet name. */
const maxName = 40;

/**
 * Creates the list from announcements, which can arrive at any time. Without announcements, it contains
 * `window.ethereum`. Of several wallets with one reverse domain name, it contains the first.
 */
export function createWalletList(announcements: Announcements, getInjected: () => Provider | undefined): WalletList {
  let seen: readonly Announced[] | null = null;
  let injected: Provider | undefined;
  let list: readonly FoundWallet[] = [];
  return {
    get: () => {
      const announced = announcements.getProviders();
      const now = getInjected();
      if (announced !== seen || now !== injected) {
        [seen, injected] = [announced, now];
        list = toWallets(announced, now);
      }
      return list;
    },
    subscribe: (listener) => announcements.subscribe(listener),
  };
}

function toWallets(announced: readonly Announced[], injected: Provider | undefined): readonly FoundWallet[] {
  const found = new Map<string, FoundWallet>();
  for (const { info, provider } of announced) {
    const id = info.rdns || info.uuid;
    if (found.has(id) || typeof (provider as Provider | null)?.request !== "function") continue;
    found.set(id, {
      id,
      name: String(info.name).slice(0, maxName) || id,
      // Only data URLs: a request for another URL would reveal the visit to the wallet's server.
      icon: /^data:image\//.test(info.icon) ? info.icon : null,
      provider: provider as Provider,
    });
  }
  if (found.size > 0 || injected === undefined) return [...found.values()];
  return [{ id: injectedId, name: "Browser wallet", icon: null, provider: injected }];
}
