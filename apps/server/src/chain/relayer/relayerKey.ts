import { type Hex, keccak256, serializeTransaction, type TransactionSerializableEIP1559 } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import type { Secret } from "../../secret.ts";

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
