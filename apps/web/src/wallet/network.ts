import { ask, getErrorCode, type Hex, type Provider, toAddresses, toQuantity, WalletError } from "./provider.ts";

/** The chain of this deployment, with the parameters for adding it to a wallet. */
export type Chain = {
  id: number;
  name: string;
  currency: { name: string; symbol: string; decimals: number };
  rpcUrls: readonly string[];
  explorerUrl: string | null;
  /** The contract whose code distinguishes this deployment from another network with the same id. */
  factory: Hex;
  /** The operator's paymaster for batches (ERC-7677); null without one. */
  paymasterUrl: string | null;
  /** The contracts of this deployment, by the names of `GET /config`. */
  contracts: Readonly<Record<string, string>>;
};

export type NetworkState = "right" | "wrong_chain" | "other_network";

/** Minimum hex characters of a contract's code; an EIP-7702 delegation has 48. */
const minCode = 100;

/** Reads the wallet's network. @throws WalletError if the wallet does not answer */
export async function readNetwork(provider: Provider, chain: Chain): Promise<NetworkState> {
  if (toQuantity(await ask(provider, "eth_chainId")) !== chain.id) return "wrong_chain";
  const code = await ask(provider, "eth_getCode", [chain.factory, "latest"]);
  return typeof code === "string" && code.length >= minCode ? "right" : "other_network";
}

/**
 * Switches the wallet to the chain, and adds the chain if necessary. Reads the chain again, because a wallet's response
 * (null, or an error after a switch) is not reliable.
 *
 * @throws WalletError `declined` or `busy`
 */
export async function switchNetwork(provider: Provider, chain: Chain): Promise<NetworkState> {
  const chainId = `0x${chain.id.toString(16)}`;
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  } catch (error) {
    // Wallets report an unknown chain in many ways (4902, -32603, localised texts).
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
    // Some wallets add the chain without switching to it.
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
 * Asserts before each send that the wallet is on this chain, with the account for which the transaction was prepared.
 *
 * @throws WalletError `wrong_chain`, `other_network`, `account_changed`
 */
export async function requireReady(provider: Provider, chain: Chain, address: Hex): Promise<void> {
  const [network, accounts] = await Promise.all([readNetwork(provider, chain), ask(provider, "eth_accounts")]);
  if (network !== "right") throw new WalletError(network);
  if (toAddresses(accounts)[0] !== address.toLowerCase()) throw new WalletError("account_changed");
}
