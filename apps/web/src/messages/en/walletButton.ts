/** Texts of the header's button: all that is needed of a wallet before one is used. */
export const walletButton = {
  connect: "Connect wallet",
  account: "Account",
  myWallet: "My wallet",
  drafts: "Drafts",
  fees: "Fees",
  forecast: "Forecast",
  alerts: "Alerts",
  copyAddress: "Copy address",
  disconnect: "Disconnect",
  signOut: "Sign out",
  signOutFailed: "You are still signed in",
  switchTo: (chain: string) => `Switch to ${chain}`,
};
