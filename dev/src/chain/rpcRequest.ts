import { setTimeout as sleep } from "node:timers/promises";
import type { UnsignedTransaction } from "@slipway/protocol/transaction";
import { sendable } from "@slipway/sdk/sendable";
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hash,
  http,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import type { Wallet } from "./wallets.ts";

let lastId = 0;

/**
 * Sends one JSON-RPC call to the local chain.
 *
 * @throws Error with the node's message when the node returns an error, or when it does not respond within `timeoutMs`
 */
export async function rpcRequest<T = unknown>(
  url: string,
  method: string,
  params: unknown[] = [],
  timeoutMs = 10_000,
): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
}

const receiptPollMs = 15;

/**
 * Waits for a transaction's receipt by polling. A chain that mines only on transactions responds before it has mined,
 * and shows the block before its receipts. A client that polls once a block, such as viem's
 * `waitForTransactionReceipt`, would then wait for a block that never comes.
 *
 * @throws viem's `TransactionReceiptNotFoundError` when the transaction is not mined in time
 */
export async function waitForReceipt(rpcUrl: string, hash: Hash, timeoutMs = 120_000): Promise<TransactionReceipt> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || Date.now() > deadline) throw error;
      await sleep(receiptPollMs);
    }
  }
}

export type SignAndSend = (wallet: Wallet, transaction: UnsignedTransaction) => Promise<TransactionReceipt>;

/**
 * Creates the function with which the stack's own wallets (demo creators, traders) sign a prepared transaction, send it
 * to the local chain and wait for the receipt.
 *
 * The function throws when the transaction is for another chain or signer, is rejected, or reverts.
 */
export function createSignAndSend(rpcUrl: string, chainId: number): SignAndSend {
  const chain = defineChain({
    id: chainId,
    name: "Slipway local",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return async (wallet, transaction) => {
    const { to, data, value, gas, ...prepared } = sendable({ transaction })!;
    if (prepared.chainId !== chainId) throw new Error(`a transaction for chain ${prepared.chainId}`);
    const isOwn = prepared.from.toLowerCase() === wallet.address.toLowerCase();
    if (!isOwn) throw new Error("a transaction of another wallet");
    const signer = createWalletClient({ account: wallet.account, chain, transport: http(rpcUrl) });
    const hash = await signer.sendTransaction({ to, data, value, gas });
    const receipt = await waitForReceipt(rpcUrl, hash, 120_000);
    if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
    return receipt;
  };
}
