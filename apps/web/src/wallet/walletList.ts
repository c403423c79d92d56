import type { Provider } from "./provider.ts";

/** A wallet that the page can ask. `id` is its reverse domain name, which is remembered; `injected` for one that announced nothing. */
export type FoundWallet = { id: string; name: string; icon: string | null; provider: Provider };

type Announced = { info: { uuid: string; rdns: string; name: string; icon: string }; provider: unknown };

/** Announcements by EIP-6963; mipd's store is one. */
export type Announcements = {
  getProviders(): readonly Announced[];
  subscribe(listener: () => void): () => void;
};

/** The wallets of this browser as they become known, in the order of their announcements. */
export type WalletList = { get(): readonly FoundWallet[]; subscribe(listener: () => void): () => void };

export const injectedId = "injected";

/** The longest name of a wallet that is shown. */
const maxName = 40;

/**
 * Creates the list from announcements, which may come at any time; `window.ethereum` stands in while there is none. Of two
 * wallets with one reverse domain name the first is listed.
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
      // Of another URL the request would show the wallet's server the visit.
      icon: /^data:image\//.test(info.icon) ? info.icon : null,
      provider: provider as Provider,
    });
  }
  if (found.size > 0 || injected === undefined) return [...found.values()];
  return [{ id: injectedId, name: "Browser wallet", icon: null, provider: injected }];
}
