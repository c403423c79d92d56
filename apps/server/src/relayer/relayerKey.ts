import { larger, smaller } from "@slipway/protocol/bigints";
import { type Hex, keccak256, serializeTransaction, type TransactionSerializableEIP1559 } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import type { Head } from "../chain/readChain.ts";
import type { Secret } from "../secret.ts";
import type { Attempt } from "./relayerTransactions.ts";

/** The relayer's key; it only signs transactions. */
export type RelayerKey = {
  address: Hex;
  /** Returns the signed bytes and their hash. */
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<{ raw: Hex; hash: Hex }>;
};

/** Creates a key that reveals the secret only while it signs. */
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

/** A transaction without its fees; `to` is the station, or the relayer's own address for a cancellation. */
export type AttemptTerms = { chainId: number; nonce: number; to: Hex; data: Hex; gasLimit: bigint; cancels: boolean };

/** Signs a transaction of the relayer; its value is zero. */
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

/** EIP-1559 fees per gas in wei. */
export type FeesPerGas = { maxFee: bigint; priorityFee: bigint };

/**
 * Returns the fees that wallets offer at a block: the tip, and a maximum that covers twice the base fee. The sender's
 * balance must cover the maximum for each unit of the gas limit.
 */
export function getFeesPerGas(head: Pick<Head, "gasPriceInWei" | "baseFeeInWei">): FeesPerGas {
  const baseFee = head.baseFeeInWei ?? head.gasPriceInWei;
  const priorityFee = head.gasPriceInWei > baseFee ? head.gasPriceInWei - baseFee : 0n;
  return { maxFee: 2n * baseFee + priorityFee, priorityFee };
}

/** Raises fees for a replacement: by at least an eighth, as nodes require, and at least to the fees of the head. */
export function bumpFees(before: FeesPerGas, now: FeesPerGas): FeesPerGas {
  const raised = (fee: bigint) => fee + fee / 8n + 1n;
  const priorityFee = larger(raised(before.priorityFee), now.priorityFee);
  return { maxFee: larger(larger(raised(before.maxFee), now.maxFee), priorityFee), priorityFee };
}

/** Lowers fees to a highest fee per gas; null for no limit. */
export function limitFees({ maxFee, priorityFee }: FeesPerGas, highest: bigint | null): FeesPerGas {
  const limited = highest === null ? maxFee : smaller(maxFee, highest);
  return { maxFee: limited, priorityFee: smaller(priorityFee, limited) };
}
