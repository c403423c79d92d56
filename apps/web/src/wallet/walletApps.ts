/** A wallet app of phones that shows web pages in its own browser. */
export type WalletApp = {
  name: string;
  /** Returns the address that opens a page in the app, or the app's page in the store. */
  toLink: (page: URL) => string;
};

/**
 * The apps that document such a link.
 * Sources: docs.metamask.io "Use deeplinks", docs.cdp.coinbase.com "Mobile dapp integration",
 * developer.trustwallet.com "Deep linking".
 */
export const walletApps: readonly WalletApp[] = [
  // The page follows without its scheme and is not encoded: the app does not decode it.
  {
    name: "MetaMask",
    toLink: ({ host, pathname, search }) => `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  },
  { name: "Base app", toLink: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}` },
  {
    name: "Trust Wallet",
    // 60 is Ethereum's coin type (SLIP-44), which the app also uses for other EVM chains.
    toLink: ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
  },
];
