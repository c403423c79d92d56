import { type Hex, type Provider, toQuantity } from "./provider.ts";
import type { Sent } from "./send.ts";
import type { Timing } from "./timing.ts";

/** A mined transaction; quantities as the wallet's node answers them. */
export type Receipt = {
  hash: Hex;
  status: "success" | "reverted";
  block: number;
  /** What a creation has created. */
  contractAddress: Hex | null;
  logs: readonly { address: string; topics: readonly string[]; data: string }[];
};

export type Outcome =
  | { kind: "mined"; receipt: Receipt }
  /** Another transaction has the nonce: the wallet sped this one up, or cancelled it. */
  | { kind: "nonce_used" }
  /** The person does not wait any longer. */
  | { kind: "left" };

/** `unknown`: no node knows the hash: a contract wallet that executes later. `slow`: nothing for two minutes. */
export type Delay = "unknown" | "slow";

const fastMs = 500;
const fastForMs = 10_000;
const slowMs = 2_000;
/** So many reads in a row must find the nonce used and no receipt. */
const usedReads = 3;
const unknownAfterMs = 20_000;
const slowAfterMs = 120_000;

export type WaitOptions = {
  timing: Timing;
  signal: AbortSignal;
  /** Reported once each. */
  onDelay(delay: Delay): void;
  /** Reported when the nonce becomes known. */
  onNonce(nonce: number): void;
};

/**
 * Waits for what becomes of a transaction, by the wallet's own provider. Failed requests are repeated: a node that does not
 * answer says nothing about the transaction.
 */
export async function awaitOutcome(provider: Provider, sent: Sent, options: WaitOptions): Promise<Outcome> {
  const { timing, signal, onDelay, onNonce } = options;
  const start = timing.now();
  const reported = new Set<Delay>();
  const report = (delay: Delay) => {
    if (!reported.has(delay)) onDelay(delay);
    reported.add(delay);
  };
  let { nonce } = sent;
  let isKnown = nonce !== null;
  let timesUsed = 0;
  while (!signal.aborted) {
    const receipt = await readReceipt(provider, sent.hash);
    if (receipt !== null) return { kind: "mined", receipt };
    if (!isKnown) {
      const found = await readNonce(provider, sent.hash);
      if (found !== null) {
        [nonce, isKnown] = [found, true];
        onNonce(found);
      }
    }
    // A wallet that replaced the transaction at once may never have shown it to a node.
    const watched = nonce ?? sent.expectedNonce ?? null;
    timesUsed = watched !== null && (await isNonceUsed(provider, sent.from, watched)) ? timesUsed + 1 : 0;
    // Mined between the two reads, perhaps; and nodes show a block some time before its receipts.
    if (timesUsed >= usedReads) {
      const late = await readReceipt(provider, sent.hash);
      return late === null ? { kind: "nonce_used" } : { kind: "mined", receipt: late };
    }
    const waited = timing.now() - start;
    if (!isKnown && waited >= unknownAfterMs) report("unknown");
    if (waited >= slowAfterMs) report("slow");
    await timing.wait(waited < fastForMs ? fastMs : slowMs, signal);
  }
  return { kind: "left" };
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

async function readNonce(provider: Provider, hash: Hex): Promise<number | null> {
  const answer = (await quietly(provider, "eth_getTransactionByHash", [hash])) as { nonce?: unknown } | null;
  return toQuantity(answer?.nonce);
}

async function isNonceUsed(provider: Provider, from: Hex, nonce: number): Promise<boolean> {
  const count = toQuantity(await quietly(provider, "eth_getTransactionCount", [from, "latest"]));
  return count !== null && count > nonce;
}
