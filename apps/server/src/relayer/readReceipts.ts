import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";
import type { RelayerTransaction } from "./relayerTransactions.ts";
import { chainUnavailable, RpcError } from "../chain/rpcError.ts";
import type { Chain } from "../chain/chain.ts";

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value));
const receiptParts = z.object({ blockNumber: hex, status: hex, gasUsed: hex, effectiveGasPrice: hex }).nullable();

/** How an attempt was mined. `spent`: gas used x price, in wei. */
export type MinedAttempt = { hash: Hex; blockNumber: bigint; succeeded: boolean; spent: bigint; cancels: boolean };

/**
 * The mined attempt of each transaction, null where none is; a nonce is used once, so there is one at the most.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readReceipts(
  chain: Pick<Chain, "rpc">,
  transactions: readonly Pick<RelayerTransaction, "attempts">[],
): Promise<(MinedAttempt | null)[]> {
  const attempts = transactions.flatMap((transaction, index) =>
    transaction.attempts.map(({ hash, cancels }) => ({ index, hash, cancels })),
  );
  const mined: (MinedAttempt | null)[] = transactions.map(() => null);
  const answers = await chain.rpc
    .batchSettled(attempts.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] })))
    .catch((error: unknown) => {
      throw chainUnavailable(error);
    });
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof RpcError) throw chainUnavailable(answer);
    const receipt = receiptParts.parse(answer);
    if (receipt === null) continue;
    const { index, hash, cancels } = attempts[position]!;
    mined[index] = {
      hash,
      cancels,
      blockNumber: hexToBigInt(receipt.blockNumber),
      succeeded: hexToBigInt(receipt.status) === 1n,
      spent: hexToBigInt(receipt.gasUsed) * hexToBigInt(receipt.effectiveGasPrice),
    };
  }
  return mined;
}
