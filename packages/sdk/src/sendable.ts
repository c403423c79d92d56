import type { UnsignedResult } from "@slipway/protocol/transaction";

/** A prepared transaction in the form that signers accept: viem and wallets read `gas`, ethers reads `gasLimit`. */
export type Sendable = {
  chainId: number;
  from: `0x${string}`;
  /** Omitted for a contract creation. */
  to?: `0x${string}`;
  data: `0x${string}`;
  value: bigint;
  gas: bigint;
  gasLimit: bigint;
};

/**
 * Converts the transaction of a prepared step for signing; null when there is nothing to do.
 *
 * @example
 * const step = await client.prepareTrade(request);
 * const transaction = sendable(step);
 * if (transaction) await wallet.sendTransaction(transaction);
 */
export function sendable(result: Pick<UnsignedResult, "transaction">): Sendable | null {
  const { transaction } = result;
  if (transaction === null) return null;
  return {
    chainId: Number(transaction.chainId),
    from: transaction.from as `0x${string}`,
    ...(transaction.to === undefined ? {} : { to: transaction.to as `0x${string}` }),
    data: transaction.data as `0x${string}`,
    value: BigInt(transaction.value),
    gas: BigInt(transaction.gas),
    gasLimit: BigInt(transaction.gas),
  };
}
