import { type Hex, type Provider, toQuantity } from "./provider.ts";
import type { Sent } from "./send.ts";
import type { Timing } from "./timing.ts";

/** A mined transaction, as the wallet's node returns it. */
export type Receipt = {
  hash: Hex;
  status: "success" | "reverted";
  block: number;
  /** The address of a created contract. */
  contractAddress: Hex | null;
  logs: readonly { address: string; topics: readonly string[]; data: string }[];
};

export type Outcome =
  | { kind: "mined"; receipt: Receipt }
  /** Another transaction used the nonce: the wallet sped this one up or cancelled it. */
  | { kind: "nonce_used" }
  /** Another transaction had the intended effect; `hash` is null if the service does not know it. */
  | { kind: "done_elsewhere"; hash: Hex | null }
  /** The user stopped waiting. */
  | { kind: "left" };

/**
 * `unknown`: no node has ever known the hash, e.g. because a contract wallet executes later. `dropped`: no node knows
 * the hash any longer, because of a reorg or a low fee. `slow`: no receipt for two minutes.
 */
export type Delay = "unknown" | "dropped" | "slow";

const fastMs = 500;
const fastForMs = 10_000;
const slowMs = 2_000;
/** Consecutive reads that must find the nonce used and no receipt. */
const usedReads = 3;
const unknownAfterMs = 20_000;
const slowAfterMs = 120_000;
/** Milliseconds between queries of the service for a hash that no node knows. */
const elsewhereMs = 4_000;

export type WaitOptions = {
  timing: Timing;
  signal: AbortSignal;
  /** Called when the delay changes; null when the delay ends. */
  onDelay(delay: Delay | null): void;
  /** Called when the nonce becomes known. */
  onNonce(nonce: number): void;
  /** Asks the service whether another transaction had the effect, e.g. the execution by a contract wallet. */
  findDone(): Promise<{ hash: Hex | null } | null>;
};

/**
 * Waits for the outcome of a transaction, with the wallet's provider. Repeats failed requests, because a node that does
 * not respond says nothing about the transaction.
 */
export async function awaitOutcome(provider: Provider, sent: Sent, options: WaitOptions): Promise<Outcome> {
  const { timing, signal, onDelay, onNonce, findDone } = options;
  const start = timing.now();
  let { nonce } = sent;
  let delay: Delay | null = null;
  let knownAt = start;
  let askedAt = start;
  // An owner or a relayer sends a contract wallet's transaction, so its nonce is not the wallet's.
  let isForeign = false;
  let timesUsed = 0;
  while (!signal.aborted) {
    const receipt = await readReceipt(provider, sent.hash);
    if (receipt !== null) return { kind: "mined", receipt };
    const found = await readTransaction(provider, sent);
    if (found !== null) {
      knownAt = timing.now();
      isForeign = found.isForeign;
      if (nonce === null && !isForeign) onNonce(found.nonce);
      nonce ??= found.nonce;
    }
    // If the wallet replaced the transaction at once, no node may know it: watch the expected nonce.
    const watched = isForeign ? null : (nonce ?? sent.expectedNonce ?? null);
    timesUsed = watched !== null && (await isNonceUsed(provider, sent.from, watched)) ? timesUsed + 1 : 0;
    // The transaction may have been mined between the two reads, and nodes return receipts some time after the block.
    if (timesUsed >= usedReads) {
      const late = await readReceipt(provider, sent.hash);
      return late === null ? { kind: "nonce_used" } : { kind: "mined", receipt: late };
    }
    const now = timing.now();
    const waited = now - start;
    const next = toDelay(waited, now - knownAt, nonce !== null);
    if (next !== delay) onDelay(next);
    delay = next;
    if (isMissing(delay) && now - askedAt >= elsewhereMs) {
      const done = await findDone();
      if (done !== null) return { kind: "done_elsewhere", hash: done.hash };
      askedAt = timing.now();
    }
    await timing.wait(waited < fastForMs ? fastMs : slowMs, signal);
  }
  return { kind: "left" };
}

const isMissing = (delay: Delay | null) => delay === "unknown" || delay === "dropped";

function toDelay(waitedMs: number, unknownMs: number, wasKnown: boolean): Delay | null {
  if (unknownMs >= unknownAfterMs) return wasKnown ? "dropped" : "unknown";
  return waitedMs >= slowAfterMs ? "slow" : null;
}

const quietly = (provider: Provider, method: string, params: readonly unknown[]) =>
  provider.request({ method, params }).catch(() => null);

async function readReceipt(provider: Provider, hash: Hex): Promise<Receipt | null> {
  const answer = (await quietly(provider, "eth_getTransactionReceipt", [hash])) as Record<string, unknown> | null;
  const block = toQuantity(answer?.blockNumber);
  const status = toQuantity(answer?.status);
  if (answer === null || block === null || status === null) return null;
  return {
    hash,
    status: status === 1 ? "success" : "reverted",
    block,
    contractAddress: typeof answer.contractAddress === "string" ? (answer.contractAddress as Hex) : null,
    logs: Array.isArray(answer.logs) ? answer.logs : [],
  };
}

async function readTransaction(provider: Provider, { hash, from }: Sent) {
  const answer = await quietly(provider, "eth_getTransactionByHash", [hash]);
  const found = (answer ?? {}) as { nonce?: unknown; from?: unknown };
  const nonce = toQuantity(found.nonce);
  const isForeign = typeof found.from === "string" && found.from.toLowerCase() !== from.toLowerCase();
  return nonce === null ? null : { nonce, isForeign };
}

async function isNonceUsed(provider: Provider, from: Hex, nonce: number): Promise<boolean> {
  const count = toQuantity(await quietly(provider, "eth_getTransactionCount", [from, "latest"]));
  return count !== null && count > nonce;
}
