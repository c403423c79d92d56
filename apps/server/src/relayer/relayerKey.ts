import { type Hex, keccak256, serializeTransaction, type TransactionSerializableEIP1559 } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import type { Secret } from "../secret.ts";
import type { FeesPerGas } from "./feesPerGas.ts";
import type { Attempt } from "./relayerTransactions.ts";

/** The relayer's key, which signs transactions and says nothing else. */
export type RelayerKey = {
  address: Hex;
  /** Signed bytes and their hash. */
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<{ raw: Hex; hash: Hex }>;
};

/** A key whose text exists only while it signs. */
export function createRelayerKey(secret: Secret): RelayerKey {
  return {
    address: privateKeyToAddress(secret.reveal()),
    signTransaction: async (transaction) => {
      const digest = keccak256(serializeTransaction(transaction));
      const signature = await sign({ hash: digest, privateKey: secret.reveal() });
      const raw = serializeTransaction(transaction, signature);
      return { raw, hash: keccak256(raw) };
    },
  };
}

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
