import type { UnsignedTransaction } from "@slipway/protocol/transaction";
import { createWalletClient, defineChain, type Hash, http, type TransactionReceipt } from "viem";
import { untilMined } from "./untilMined.ts";
import type { Wallet } from "./wallets.ts";

export type SignAndSend = (wallet: Wallet, transaction: UnsignedTransaction) => Promise<TransactionReceipt>;

/**
 * Makes the function with which the stack's own wallets (demo creators, traders) sign what the service prepared, send
 * it to the local chain and wait for the receipt.
 *
 * It throws when the transaction is for another chain or signer, is refused, or reverts.
 */
export function signAndSend(rpcUrl: string, chainId: number): SignAndSend {
  const chain = defineChain({
    id: chainId,
    name: "Slipway local",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return async (wallet, transaction) => {
    if (Number(transaction.chainId) !== chainId) throw new Error(`a transaction for chain ${transaction.chainId}`);
    if (transaction.from.toLowerCase() !== wallet.address.toLowerCase())
      throw new Error("a transaction of another wallet");
    const signer = createWalletClient({ account: wallet.account, chain, transport: http(rpcUrl) });
    const hash: Hash = await signer.sendTransaction({
      to: transaction.to as `0x${string}` | undefined,
      data: transaction.data as `0x${string}`,
      value: BigInt(transaction.value),
      gas: BigInt(transaction.gas),
    });
    const receipt = await untilMined(rpcUrl, hash, 30_000);
    if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
    return receipt;
  };
}
