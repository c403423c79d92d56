import type { Head } from "../chain/readChain.ts";

/** What a transaction offers for a unit of gas, in wei. */
export type FeesPerGas = { maxFee: bigint; priorityFee: bigint };

/**
 * What wallets offer at a block: the tip, and room for the base fee to double before the transaction is mined. A wallet
 * must hold this much for each unit of its gas limit.
 */
export function feesPerGas(head: Pick<Head, "gasPriceInWei" | "baseFeeInWei">): FeesPerGas {
  const baseFee = head.baseFeeInWei ?? head.gasPriceInWei;
  const priorityFee = head.gasPriceInWei > baseFee ? head.gasPriceInWei - baseFee : 0n;
  return { maxFee: 2n * baseFee + priorityFee, priorityFee };
}

/** At least an eighth more than before, which is what nodes ask of a replacement, and what the head asks if that is more. */
export function bumpedFees(before: FeesPerGas, now: FeesPerGas): FeesPerGas {
  const raised = (fee: bigint) => fee + fee / 8n + 1n;
  const larger = (a: bigint, b: bigint) => (a > b ? a : b);
  const priorityFee = larger(raised(before.priorityFee), now.priorityFee);
  return { maxFee: larger(larger(raised(before.maxFee), now.maxFee), priorityFee), priorityFee };
}
