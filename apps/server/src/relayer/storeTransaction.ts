import type { Client } from "../db/database.ts";
import { type FeesPerGas, type RelayerKey, signAttempt } from "./relayerKey.ts";
import { type Attempt, insertAttempt, insertTransaction, type NewTransaction } from "./relayerTransactions.ts";

/**
 * Signs a new transaction of the relayer and stores it with its bytes, in the transaction that took its nonce. Send the
 * attempt after the commit; the relayer's job sends it again until the chain has it.
 */
export async function storeTransaction(
  client: Client,
  key: RelayerKey,
  transaction: NewTransaction,
  fees: FeesPerGas,
): Promise<Attempt> {
  const { id, chainId, nonce, station, data, gasLimit } = transaction;
  const terms = { chainId, nonce, to: station as `0x${string}`, data, gasLimit, cancels: false };
  const signed = await signAttempt(key, terms, fees);
  await insertTransaction(client, transaction);
  await insertAttempt(client, id, 0, signed);
  return signed;
}
