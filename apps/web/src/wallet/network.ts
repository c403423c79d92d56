import { ask, getErrorCode, type Hex, type Provider, toAddresses, toQuantity, WalletError } from "./provider.ts";

/** The chain of this deployment, as a wallet adds it. */
export type Chain = {
  id: number;
  name: string;
  currency: { name: string; symbol: string; decimals: number };
  rpcUrls: readonly string[];
  explorerUrl: string | null;
  /** The contract whose code distinguishes this deployment from another network with the same id. */
  factory: Hex;
};

export type NetworkState = "right" | "wrong_chain" | "other_network";

/** A contract has more code than this many characters of hex; an EIP-7702 delegation has 48. */
const minCode = 100;

/** Reads from the wallet which chain it is on. @throws WalletError when the wallet does not say */
export async function readNetwork(provider: Provider, chain: Chain): Promise<NetworkState> {
  if (toQuantity(await ask(provider, "eth_chainId")) !== chain.id) return "wrong_chain";
  const code = await ask(provider, "eth_getCode", [chain.factory, "latest"]);
  return typeof code === "string" && code.length >= minCode ? "right" : "other_network";
}

/**
 * Has the wallet change to the chain, which it may have to add first. What the wallet answers is not believed (null, or an
 * error after a switch): its chain is read again.
 *
 * @throws WalletError `declined` or `busy`
 */
export async function switchNetwork(provider: Provider, chain: Chain): Promise<NetworkState> {
  const chainId = `0x${chain.id.toString(16)}`;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    // Wallets say "unknown chain" in many ways (4902, -32603, localised texts).
    throwIfRefused(error);
    await addChain(provider, chain, chainId);
  }
  return await readNetwork(provider, chain);
}

async function addChain(provider: Provider, chain: Chain, chainId: string): Promise<void> {
  const { name: chainName, currency: nativeCurrency, rpcUrls, explorerUrl } = chain;
  const params = [
    { chainId, chainName, nativeCurrency, rpcUrls, ...(explorerUrl ? { blockExplorerUrls: [explorerUrl] } : {}) },
  ];
  try {
    await provider.request({ method: "wallet_addEthereumChain", params });
    // Some wallets add without changing to it.
    if (toQuantity(await ask(provider, "eth_chainId")) !== chain.id)
      await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    throwIfRefused(error);
  }
}

function throwIfRefused(error: unknown): void {
  const code = getErrorCode(error);
  if (code === 4001) throw new WalletError("declined", { code, cause: error });
  if (code === -32002) throw new WalletError("busy", { code, cause: error });
}

/**
 * Checks before each send that the wallet is what the person sees: on this chain, with the account for which the
 * transaction was prepared.
 *
 * @throws WalletError `wrong_chain`, `other_network`, `account_changed`
 */
export async function requireReady(provider: Provider, chain: Chain, address: Hex): Promise<void> {
  const [network, accounts] = await Promise.all([readNetwork(provider, chain), ask(provider, "eth_accounts")]);
  if (network !== "right") throw new WalletError(network);
  if (toAddresses(accounts)[0] !== address.toLowerCase()) throw new WalletError("account_changed");
}
