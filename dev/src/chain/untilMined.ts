import { createPublicClient, type Hash, http, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";

const pollMs = 15;

/**
 * Waits for a transaction's receipt, by asking for it again and again. A chain that mines only what it is sent answers
 * before it has mined, and shows the block before its receipts: whoever asks once a block, as viem's
 * `waitForTransactionReceipt` does, then waits for a block that never comes.
 *
 * @throws viem's `TransactionReceiptNotFoundError` when it is not mined in time.
 */
export async function untilMined(rpcUrl: string, hash: Hash, timeoutMs = 60_000): Promise<TransactionReceipt> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}
