import type { Hex } from "viem";
import type { Attempt } from "../../db/relayerTransactions.ts";
import type { FeesPerGas } from "./feesPerGas.ts";
import type { RelayerKey } from "./relayerKey.ts";

/** What is signed, but for the fees; `to` is the station, or the relayer itself for one that only takes the nonce. */
export type AttemptTerms = { chainId: number; nonce: number; to: Hex; data: Hex; gasLimit: bigint; cancels: boolean };

/** Signs a transaction of the relayer; it moves no native. */
export async function signAttempt(key: RelayerKey, terms: AttemptTerms, fees: FeesPerGas): Promise<Attempt> {
  const signed = await key.signTransaction({
    type: "eip1559",
    chainId: terms.chainId,
    nonce: terms.nonce,
    to: terms.to,
    data: terms.data,
    value: 0n,
    gas: terms.gasLimit,
    maxFeePerGas: fees.maxFee,
    maxPriorityFeePerGas: fees.priorityFee,
  });
  return { ...signed, maxFee: fees.maxFee, priorityFee: fees.priorityFee, cancels: terms.cancels };
}
