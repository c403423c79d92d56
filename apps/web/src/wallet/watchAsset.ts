import { ask, type Provider } from "./provider.ts";

/** A token for the asset list of a wallet. */
export type WatchedToken = { address: string; symbol: string; decimals: number; image: string | null };

/**
 * Asks the wallet to list a token among its assets (EIP-747). The wallet shows the token to the user first.
 *
 * @returns Whether the user added the token; true also for a wallet that answers nothing.
 * @throws WalletError
 */
export async function watchAsset(
  provider: Provider,
  { address, symbol, decimals, image }: WatchedToken,
): Promise<boolean> {
  const options = { address, symbol, decimals, ...(image === null ? {} : { image }) };
  return (await ask(provider, "wallet_watchAsset", { type: "ERC20", options })) !== false;
}
