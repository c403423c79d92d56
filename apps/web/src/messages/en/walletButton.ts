/** Texts of the wallet button in the header. The first load needs these and no other wallet texts. */
export const walletButton = {
  connect: "Connect wallet",
  account: "Account",
  myWallet: "My wallet",
  drafts: "Drafts",
  fees: "Fees",
  copyAddress: "Copy address",
  disconnect: "Disconnect",
  signOut: "Sign out",
  signOutFailed: "Couldn't sign out",
  switchTo: (chain: string) => `Switch to ${chain}`,
};
