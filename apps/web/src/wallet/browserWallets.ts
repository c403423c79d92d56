import { createStore } from "mipd";
import type { Provider } from "./provider.ts";
import { createWalletList, type WalletList } from "./walletList.ts";

/** Returns the wallets of this browser. */
export function findBrowserWallets(): WalletList {
  const getInjected = () => (window as { ethereum?: Provider }).ethereum;
  return createWalletList(createStore(), getInjected);
}
