import { type Hex, hexToBigInt } from "viem";
import { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import { type Head, readHead } from "../chain/readChain.ts";
import { toChainUnavailable, awaitChain, RpcError, findRpcError } from "../chain/rpcError.ts";
import { withTransaction } from "../db/withTransaction.ts";
import type { Runtime } from "../runtime.ts";
import { bumpFees, getFeesPerGas, type RelayerKey, signAttempt } from "./relayerKey.ts";
import {
  finishTransaction,
  insertAttempt,
  lockUnmined,
  maxNonceGap,
  recordBroadcast,
  type RelayerTransaction,
  reopenTransaction,
  type Sender,
  listUnmined,
  listWatchedTransactions,
} from "./relayerTransactions.ts";

type RelayerDeps = Pick<Runtime, "chain" | "config" | "db" | "log" | "metrics">;

/** Signed bytes are sent again after this long: a node forgets what it could not mine, or was restarted. */
const resendMs = 5_000;
/** Gas of a transfer to oneself, with room for a parent chain's part. */
const cancelGas = 100_000n;
/** A nonce that the chain has used without any of our hashes for this long was used by somebody else. */
const foreignNonceMs = 60_000;

/**
 * Brings the relayer's transactions one step further: notes what was mined or undone, sends again what the chain does
 * not have, replaces what is stuck. May run in several processes at once and be killed anywhere: everything signed is
 * stored before it is sent, and a replacement is made by whoever holds the transaction's row.
 *
 * @param options.mined - Also looks at what was mined of late and could be undone, and at what stands before a gap: a
 *   receipt for each costs the endpoint more than all else here.
 * @throws SlipwayError `chain_unavailable`, or the database's error; the next turn goes on.
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
  // After the count: what it counts is then either found here, or not ours. What comes after the next nonce waits.
  const asked = watched.filter(({ state, nonce }) => state !== "sent" || nonce <= usedNonces);
  const receipts = await readReceipts(deps.chain, asked);
  const mined = new Map(asked.map(({ id }, index) => [id, receipts[index] ?? null]));
  for (const transaction of watched) {
    const found = mined.get(transaction.id) ?? null;
    if (found !== null) await recordMined(deps, transaction, found);
    else await processUnmined(deps, key, chainId, transaction, { head, usedNonces });
  }
}

/**
 * Uses up nonces before all of ours that nobody has used: an endpoint named one too high when ours was taken, or a
 * reorganisation undid what took them, and nothing of ours could be mined ever. What fills them moves nothing, so it is
 * not stored: sent twice, it is mined once.
 */
async function fillNonceGap(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  watched: readonly RelayerTransaction[],
  { head, usedNonces }: { head: Head; usedNonces: number },
): Promise<void> {
  const [next] = watched.filter(({ nonce }) => nonce >= usedNonces).sort((a, b) => a.nonce - b.nonce);
  // One that was mined and a reorganisation undid is sent again by itself.
  if (next === undefined || next.state !== "sent") return;
  const isStuck = next.attempts.at(-1)!.ageMs >= deps.config.RELAYER_STUCK_MS;
  const missing = next.nonce - usedNonces;
  if (!isStuck || missing === 0 || missing > maxNonceGap) return;
  deps.log.warn({ from: usedNonces, missing }, "nonces that nobody has used stand before a top-up; they are filled");
  for (let nonce = usedNonces; nonce < next.nonce; nonce++) {
    const terms = { chainId, nonce, to: key.address, data: "0x" as const, gasLimit: cancelGas, cancels: true };
    await broadcast(deps.chain, (await signAttempt(key, terms, getFeesPerGas(head))).raw);
  }
}

/** Notes those of a wallet's top-ups that were mined since the last turn, so that it need not wait for the next one. */
export async function processWalletTransactions(deps: RelayerDeps, sender: Sender, wallet: string): Promise<void> {
  const unmined = await listUnmined(deps.db.api, sender, wallet);
  if (unmined.length === 0) return;
  const mined = await readReceipts(deps.chain, unmined);
  for (const [index, found] of mined.entries()) if (found !== null) await recordMined(deps, unmined[index]!, found);
}

/** A top-up that was cancelled or reverted has failed, and has cost gas. */
export function toOutcome({ hash, succeeded, cancels, blockNumber, spent }: MinedAttempt) {
  const state = succeeded && !cancels ? ("confirmed" as const) : ("failed" as const);
  return { state, minedHash: hash, blockNumber, spent };
}

async function recordMined(deps: RelayerDeps, transaction: RelayerTransaction, found: MinedAttempt): Promise<void> {
  const outcome = toOutcome(found);
  if (!(await finishTransaction(deps.db.api, transaction.id, outcome))) return;
  deps.metrics.gasTopUps.inc({ outcome: outcome.state });
  const about = { hash: found.hash, nonce: transaction.nonce, block: found.blockNumber.toString() };
  if (outcome.state === "failed") deps.log.warn(about, "a top-up reverted on the chain");
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
    deps.log.warn({ nonce: transaction.nonce }, "a top-up is no longer part of the chain; it is sent again");
    await reopenTransaction(deps.db.api, transaction.id);
    await send(deps, latest);
    return;
  }
  if (transaction.nonce < now.usedNonces) {
    if (latest.ageMs < foreignNonceMs) return;
    deps.log.error({ nonce: transaction.nonce }, "the relayer's key was used elsewhere: a top-up lost its nonce");
    await finishTransaction(deps.db.api, transaction.id, {
      state: "failed",
      minedHash: null,
      blockNumber: null,
      spent: 0n,
    });
    return;
  }
  if (latest.quietMs === null && (await send(deps, latest))) return;
  // Only the lowest nonce can be stuck; the others wait for it.
  const isStuck = transaction.nonce === now.usedNonces && latest.ageMs >= deps.config.RELAYER_STUCK_MS;
  if (isStuck && (await replaceStuck(deps, key, chainId, transaction.id, now.head))) return;
  if (latest.quietMs !== null && latest.quietMs >= resendMs) await send(deps, latest);
}

/** Stores and sends another attempt with higher fees; past the deadline one that only takes the nonce. */
async function replaceStuck(
  deps: RelayerDeps,
  key: RelayerKey,
  chainId: number,
  id: string,
  head: Head,
): Promise<boolean> {
  const attempt = await withTransaction(deps.db.api, async (client) => {
    const transaction = await lockUnmined(client, id);
    const latest = transaction?.attempts.at(-1);
    if (!transaction || !latest || latest.ageMs < deps.config.RELAYER_STUCK_MS) return null;
    if (transaction.attempts.length > deps.config.RELAYER_MAX_REPLACEMENTS) return null;
    const cancels = latest.cancels || head.timestamp > transaction.deadline;
    const { nonce, station, data, gasLimit } = transaction;
    const terms = cancels
      ? { chainId, nonce, to: key.address, data: "0x" as const, gasLimit: cancelGas, cancels }
      : { chainId, nonce, to: station, data, gasLimit, cancels };
    const signed = await signAttempt(key, terms, bumpFees(latest, getFeesPerGas(head)));
    await insertAttempt(client, id, transaction.attempts.length, signed);
    return { ...signed, nonce };
  });
  if (attempt === null) return false;
  deps.metrics.gasTopUps.inc({ outcome: "replaced" });
  deps.log.warn(
    { nonce: attempt.nonce, cancels: attempt.cancels },
    "a top-up is stuck; it is replaced with higher fees",
  );
  await send(deps, attempt);
  return true;
}

/** Sends stored bytes and notes it. @returns false when the node refuses them; it is asked again at a later turn. */
export async function send(
  deps: Pick<Runtime, "chain" | "db" | "log">,
  attempt: Pick<RelayerTransaction["attempts"][number], "hash" | "raw">,
): Promise<boolean> {
  const refusal = await broadcast(deps.chain, attempt.raw);
  if (refusal === null) await recordBroadcast(deps.db.api, attempt.hash);
  else deps.log.warn({ hash: attempt.hash, reason: refusal }, "the chain's endpoint did not take a top-up");
  return refusal === null;
}

/** How nodes say that they have a transaction already, or one with its nonce that is mined (Geth, Nitro, anvil, Erigon). */
const alreadyKnown =
  /already known|already imported|known transaction|nonce too low|replacement transaction underpriced/i;

/**
 * Sends signed bytes to the chain; sending them again does no harm.
 *
 * @returns why the node did not take them, or null when it has them.
 */
export async function broadcast(chain: Pick<Chain, "request">, raw: Hex): Promise<string | null> {
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
      throw toChainUnavailable(error);
    });
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof RpcError) throw toChainUnavailable(answer);
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
