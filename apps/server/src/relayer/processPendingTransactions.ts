import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import { type Head, readHead } from "../chain/readChain.ts";
import { awaitChain, findRpcError, RpcError, toChainUnavailable } from "../chain/rpcError.ts";
import { withTransaction } from "../db/withTransaction.ts";
import type { Runtime } from "../runtime.ts";
import { readFeesPerGas } from "./readFeesPerGas.ts";
import { bumpFees, limitFees, type RelayerKey, signAttempt } from "./relayerKey.ts";
import {
  finishTransaction,
  insertAttempt,
  listUnmined,
  listWatchedTransactions,
  lockUnmined,
  maxNonceGap,
  type RelayerTransaction,
  recordBroadcast,
  reopenTransaction,
  type Sender,
} from "./relayerTransactions.ts";

type RelayerDeps = Pick<Runtime, "chain" | "config" | "db" | "log" | "metrics">;

/** Interval after which signed bytes are sent again, because a node may have dropped them or restarted. */
const resendMs = 5_000;
/** Gas of a self-transfer, with a margin for the parent chain. */
const cancelGas = 100_000n;
/** The time without a receipt after which a used nonce counts as used by another signer of the key. */
const foreignNonceMs = 60_000;

/**
 * Advances the relayer's transactions: records mined and reorganised transactions, sends missing ones again, replaces
 * stuck ones. Safe in several processes and at any crash: signed bytes are stored before they are sent, and a
 * replacement needs the lock of the transaction's row.
 *
 * @param options.mined - Also checks recently mined transactions for a reorganisation, and nonce gaps. This costs one
 *   receipt for each transaction.
 * @throws SlipwayError `chain_unavailable`, or the database's error; the next run continues.
 */
export async function processPendingTransactions(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  options: { mined: boolean },
): Promise<void> {
  const sender: Sender = { chainId, sender: key.address.toLowerCase() };
  const watched = await listWatchedTransactions(deps.db.api, sender, options);
  if (watched.length === 0) return;
  const [head, usedNonces] = await Promise.all([
    readHead(deps.chain, chainId),
    awaitChain(deps.chain.client.getTransactionCount({ address: key.address })),
  ]);
  if (options.mined) await fillNonceGap(deps, key, chainId, watched, { head, usedNonces });
  // Read after the nonce: a used nonce then has a receipt here, or belongs to another signer. Later nonces cannot be
  // mined.
  const candidates = watched.filter(({ state, nonce }) => state !== "sent" || nonce <= usedNonces);
  const receipts = await readReceipts(deps.chain, candidates);
  const mined = new Map(candidates.map(({ id }, index) => [id, receipts[index] ?? null]));
  for (const transaction of watched) {
    const found = mined.get(transaction.id) ?? null;
    if (found !== null) await recordMined(deps, transaction, found);
    else await processUnmined(deps, key, chainId, transaction, { head, usedNonces });
  }
}

/**
 * Fills unused nonces before the relayer's first pending one. A gap exists if an endpoint returned a nonce that was too
 * high, or if a reorganisation removed the transactions that used the nonces; no pending transaction can be mined
 * before the gap is filled. The fillers are self-transfers of zero and are not stored: a filler that is sent twice is
 * mined once.
 */
async function fillNonceGap(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  watched: readonly RelayerTransaction[],
  { head, usedNonces }: { head: Head; usedNonces: number },
): Promise<void> {
  const [next] = watched.filter(({ nonce }) => nonce >= usedNonces).sort((a, b) => a.nonce - b.nonce);
  // A reorganised transaction is sent again by processUnmined.
  if (next === undefined || next.state !== "sent") return;
  const isStuck = next.attempts.at(-1)!.ageMs >= deps.config.RELAYER_STUCK_MS;
  const missing = next.nonce - usedNonces;
  if (!isStuck || missing === 0 || missing > maxNonceGap) return;
  deps.log.warn({ from: usedNonces, missing }, "relayer nonce gap filled");
  const fees = limitFees(await readFeesPerGas(deps.chain, chainId, head), next.maxFee);
  for (let nonce = usedNonces; nonce < next.nonce; nonce++) {
    const terms = { chainId, nonce, to: key.address, data: "0x" as const, gasLimit: cancelGas, cancels: true };
    await broadcast(deps.chain, (await signAttempt(key, terms, fees)).raw);
  }
}

/** Records a wallet's mined top-ups now, so that the wallet's next request need not wait for the next run. */
export async function processWalletTransactions(deps: RelayerDeps, sender: Sender, wallet: string): Promise<void> {
  const unmined = await listUnmined(deps.db.api, sender, wallet);
  if (unmined.length === 0) return;
  const mined = await readReceipts(deps.chain, unmined);
  for (const [index, found] of mined.entries()) if (found !== null) await recordMined(deps, unmined[index]!, found);
}

/** Converts a mined attempt to the outcome of its transaction: a cancelled or reverted one has failed. */
export function toOutcome({ hash, succeeded, cancels, blockNumber, spent }: MinedAttempt) {
  const state = succeeded && !cancels ? ("confirmed" as const) : ("failed" as const);
  return { state, minedHash: hash, blockNumber, spent };
}

/** Counts an event of a top-up. Payments are counted when they end: see `features/payments`. */
function count({ metrics }: RelayerDeps, { purpose }: RelayerTransaction, outcome: string): void {
  if (purpose === "top-up") metrics.gasTopUps.inc({ outcome });
}

async function recordMined(deps: RelayerDeps, transaction: RelayerTransaction, found: MinedAttempt): Promise<void> {
  const outcome = toOutcome(found);
  if (!(await finishTransaction(deps.db.api, transaction.id, outcome))) return;
  count(deps, transaction, outcome.state);
  const fields = { hash: found.hash, nonce: transaction.nonce, block: found.blockNumber.toString() };
  // A wallet that spends its stablecoin in between causes the failure of its own transaction; budgets bound the cost.
  if (outcome.state === "failed") deps.log.info(fields, `${transaction.purpose} failed`);
}

async function processUnmined(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  transaction: RelayerTransaction,
  now: { head: Head; usedNonces: number },
): Promise<void> {
  const latest = transaction.attempts.at(-1)!;
  if (transaction.state !== "sent") {
    if (transaction.minedHash === null) return;
    deps.log.info({ nonce: transaction.nonce }, `${transaction.purpose} reorganised`);
    await reopenTransaction(deps.db.api, transaction.id);
    await sendAttempt(deps, latest);
    return;
  }
  if (transaction.nonce < now.usedNonces) {
    if (latest.ageMs < foreignNonceMs) return;
    deps.log.error({ nonce: transaction.nonce }, "relayer nonce used by another signer");
    await finishTransaction(deps.db.api, transaction.id, {
      state: "failed",
      minedHash: null,
      blockNumber: null,
      spent: 0n,
    });
    return;
  }
  if (latest.quietMs === null && (await sendAttempt(deps, latest))) return;
  // Only the lowest nonce can be stuck; later ones depend on it.
  const isStuck = transaction.nonce === now.usedNonces && latest.ageMs >= deps.config.RELAYER_STUCK_MS;
  if (isStuck && (await replaceStuck(deps, key, chainId, transaction, now.head))) return;
  if (latest.quietMs !== null && latest.quietMs >= resendMs) await sendAttempt(deps, latest);
}

/** Stores and sends an attempt with higher fees; after the deadline, a self-transfer that only uses the nonce. */
async function replaceStuck(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  stuck: RelayerTransaction,
  head: Head,
): Promise<boolean> {
  const fees = await readFeesPerGas(deps.chain, chainId, head);
  const attempt = await withTransaction(deps.db.api, async (client) => {
    const transaction = await lockUnmined(client, stuck.id);
    const latest = transaction?.attempts.at(-1);
    if (!transaction || !latest || latest.ageMs < deps.config.RELAYER_STUCK_MS) return null;
    if (transaction.attempts.length > deps.config.RELAYER_MAX_REPLACEMENTS) return null;
    const cancels = latest.cancels || head.timestamp > transaction.deadline;
    const { nonce, station, data, gasLimit } = transaction;
    const terms = cancels
      ? { chainId, nonce, to: key.address, data: "0x" as const, gasLimit: cancelGas, cancels }
      : { chainId, nonce, to: station, data, gasLimit, cancels };
    const bumped = bumpFees(latest, fees);
    // Above its highest fee, a transaction waits for a lower price.
    if (transaction.maxFee !== null && bumped.maxFee > transaction.maxFee) return null;
    const signed = await signAttempt(key, terms, bumped);
    await insertAttempt(client, stuck.id, transaction.attempts.length, signed);
    return { ...signed, nonce };
  });
  if (attempt === null) return false;
  count(deps, stuck, "replaced");
  deps.log.warn({ nonce: attempt.nonce, cancels: attempt.cancels }, `${stuck.purpose} replaced`);
  await sendAttempt(deps, attempt);
  return true;
}

/** Sends stored bytes and records the broadcast. @returns false when the node rejects them; a later run retries. */
export async function sendAttempt(
  deps: Pick<Runtime, "chain" | "db" | "log">,
  attempt: Pick<RelayerTransaction["attempts"][number], "hash" | "raw">,
): Promise<boolean> {
  const refusal = await broadcast(deps.chain, attempt.raw);
  if (refusal === null) await recordBroadcast(deps.db.api, attempt.hash);
  else deps.log.warn({ hash: attempt.hash, reason: refusal }, "relayer transaction rejected by node");
  return refusal === null;
}

/** Node messages for a transaction that the node already has, or whose nonce is mined (Geth, Nitro, anvil, Erigon). */
const alreadyKnown =
  /already known|already imported|known transaction|nonce too low|replacement transaction underpriced/i;

/**
 * Sends signed bytes to the chain; idempotent.
 *
 * @returns the reason of a rejection, or null when the node has the transaction.
 */
async function broadcast(chain: Pick<Chain, "request">, raw: Hex): Promise<string | null> {
  try {
    await chain.request({ method: "eth_sendRawTransaction", params: [raw] });
    return null;
  } catch (error) {
    const rpc = findRpcError(error);
    if (rpc === null) throw error;
    return alreadyKnown.test(rpc.message) ? null : rpc.message;
  }
}

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value));
const receiptParts = z.object({ blockNumber: hex, status: hex, gasUsed: hex, effectiveGasPrice: hex }).nullable();

/** A mined attempt. `spent`: gas used x price, in wei. */
export type MinedAttempt = { hash: Hex; blockNumber: bigint; succeeded: boolean; spent: bigint; cancels: boolean };

/**
 * Reads the mined attempt of each transaction; null for a transaction without one. A nonce is used once, so that at
 * most one attempt is mined.
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
  const responses = await chain.rpc
    .batchSettled(attempts.map(({ hash }) => ({ method: "eth_getTransactionReceipt", params: [hash] })))
    .catch((error: unknown) => {
      throw toChainUnavailable(error);
    });
  for (const [position, response] of responses.entries()) {
    if (response instanceof RpcError) throw toChainUnavailable(response);
    const receipt = receiptParts.parse(response);
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
