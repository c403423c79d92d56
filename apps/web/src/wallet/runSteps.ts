import { type SendableCalls, withPaymaster } from "@slipway/sdk/sendable";
import { awaitOutcome, type Receipt } from "./awaitOutcome.ts";
import { awaitBatch, BatchRefused, readsSponsored, sendBatch } from "./batch.ts";
import { explainRevert } from "./explainRevert.ts";
import type { FlowDefinition, FlowParts, PreparedStep } from "./flowDefinition.ts";
import type { FlowEvent, FlowState, Stop } from "./flowState.ts";
import type { JournalEntry } from "./journal.ts";
import { type Hex, WalletError } from "./provider.ts";
import { type Sender, type Sent, send, type TransactionToSend } from "./send.ts";

/** A step whose transaction the wallet received. */
export type Handled = { id: number; name: string; transaction: TransactionToSend | null };

/** Why a wait ended before the wallet's response; `late`: the wallet answered an earlier request. */
export type Interruption = "again" | "left" | "changed" | { late: Sent; of: Handled };

/** The shared state of a flow's steps. */
export type FlowRun = {
  definition: FlowDefinition;
  parts: FlowParts;
  getState(): FlowState;
  dispatch(event: FlowEvent): void;
  nextId(): number;
  /** @throws WalletError if the account is not the one that started the flow */
  getSender(): Sender;
  /** Ends the current wait. */
  interrupt(why: Interruption): void;
  awaitInterruption(): Promise<Interruption>;
  /** Aborted when the user stops waiting for a sent transaction. */
  watching: AbortController;
  /** The user left the page: no more wallet requests. */
  isDetached: boolean;
  /** A batch with the deployment's paymaster failed: further batches are without it. */
  isPaymasterRefused: boolean;
  proceed(): Promise<void>;
  fail(error: unknown): void;
};

type Asked = { sent: Sent; handled: Handled };

const silenceMs = 60_000;
const accountChanged: Stop = { kind: "wallet", fault: "account_changed", detail: null };

type Recorded = Pick<JournalEntry, "hash" | "batch" | "from" | "nonce" | "expectedNonce" | "block">;

function record(f: FlowRun, handled: Handled, sent: Recorded, chainId: number): void {
  const { flow, request } = f.definition;
  const entry = { ...sent, flow, step: handled.name, chainId, request, transaction: handled.transaction };
  f.parts.journal.put({ ...entry, sentAt: f.parts.getTime() });
}

/** Requests one transaction from the wallet. @returns the sent transaction and its step; null if none was sent */
async function askTransaction(
  f: FlowRun,
  step: Extract<PreparedStep, { kind: "transaction" }>,
  sender: Sender,
): Promise<Asked | null> {
  const handled: Handled = { id: f.nextId(), name: step.name, transaction: step.transaction };
  f.dispatch({ type: "asked", id: handled.id, name: step.name, kind: "transaction" });
  const silence = new AbortController();
  void f.parts.timing.wait(silenceMs, silence.signal).then(() => {
    if (!silence.signal.aborted) f.dispatch({ type: "silent", id: handled.id });
  });
  const request = send(sender, step.transaction);
  const interrupted = f.awaitInterruption();
  try {
    const first = await Promise.race([request.then((sent) => ({ sent })), interrupted.then((why) => ({ why }))]);
    if ("sent" in first) {
      record(f, handled, first.sent, sender.chain.id);
      return { sent: first.sent, handled };
    }
    adoptLater(f, request, handled, sender);
    if (typeof first.why === "object") return { sent: first.why.late, handled: first.why.of };
    if (first.why === "again") f.dispatch({ type: "abandoned", id: handled.id });
    else f.dispatch({ type: "stopped", stop: first.why === "changed" ? accountChanged : { kind: "cancelled" } });
    return null;
  } finally {
    silence.abort();
  }
}

/** Adopts a hash that the wallet returns after the wait ended, because the transaction was sent anyway. */
function adoptLater(f: FlowRun, request: Promise<Sent>, handled: Handled, sender: Sender): void {
  request.then(
    (sent) => {
      record(f, handled, sent, sender.chain.id);
      if (f.getState().phase === "asking") return f.interrupt({ late: sent, of: handled });
      const wasStopped = f.getState().phase === "stopped";
      f.dispatch({ type: "sent", id: handled.id, hash: sent.hash });
      if (wasStopped) void watch(f, sender, sent, handled).then((goesOn) => (goesOn ? f.proceed() : undefined), f.fail);
    },
    () => undefined,
  );
}

/** Tracks a sent transaction to its end. @returns whether the flow continues */
export async function watch(f: FlowRun, sender: Sender, sent: Sent, handled: Handled): Promise<boolean> {
  const { id, name, transaction } = handled;
  f.dispatch({ type: "sent", id, hash: sent.hash });
  f.watching = new AbortController();
  let { nonce } = sent;
  const outcome = await awaitOutcome(sender.provider, sent, {
    timing: f.parts.timing,
    signal: f.watching.signal,
    onDelay: (delay) => f.dispatch({ type: "delayed", id, delay }),
    onNonce: (found) => {
      nonce = found;
      record(f, handled, { ...sent, nonce }, sender.chain.id);
    },
    findDone: () => findDone(f, name, { ...sent, nonce }),
  });
  // After a used nonce, the service says whether the step is done.
  const done = outcome.kind === "nonce_used" ? await awaitDone(f, name, { ...sent, nonce }) : outcome;
  f.parts.journal.remove(sent.hash);
  if (done === null || done.kind === "left") {
    const status = done === null ? "replaced" : "left";
    f.dispatch({ type: "ended", id, status, stop: { kind: status } });
    return false;
  }
  if (done.kind === "mined") return await finish(f, sender, id, name, done.receipt, transaction);
  f.dispatch({ type: "confirmed", id, hash: done.hash });
  return true;
}

/**
 * Finds out whether another transaction completed the step: by its hash, or because the service returns another step.
 */
async function findDone(f: FlowRun, name: string, sent: Sent): Promise<{ hash: Hex | null } | null> {
  const { findReplacement, lastSteps, prepare } = f.definition;
  const hash = await findReplacement?.(sent, name).catch(() => null);
  if (hash) return { hash };
  if (lastSteps.includes(name)) return null;
  const next = await prepare(f.watching.signal).catch(() => null);
  return next !== null && (next.kind === "done" || next.name !== name) ? { hash: null } : null;
}

/** The index usually shows a transaction within a second of its block. */
const [indexReads, indexedMs] = [5, 1_000];

async function awaitDone(f: FlowRun, name: string, sent: Sent) {
  for (let read = 0; read < indexReads; read++) {
    const done = await findDone(f, name, sent);
    if (done !== null) return { kind: "done_elsewhere", ...done } as const;
    await f.parts.timing.wait(indexedMs);
  }
  return null;
}

async function finish(
  f: FlowRun,
  sender: Sender,
  id: number,
  name: string,
  receipt: Receipt,
  transaction: TransactionToSend | null,
): Promise<boolean> {
  if (receipt.status === "reverted") {
    const revert =
      transaction === null
        ? { reason: "unknown" as const, detail: null }
        : await explainRevert(sender.provider, transaction, receipt.block);
    f.dispatch({ type: "ended", id, status: "failed", stop: { kind: "reverted", revert } });
    return false;
  }
  f.dispatch({ type: "confirmed", id, hash: receipt.hash });
  await f.definition.confirmed?.(name, receipt);
  return true;
}

/**
 * Sends a batch, with the deployment's paymaster if the wallet supports it. If the wallet refuses the paymaster, sends the same
 * batch without it; after another failure, only the next attempt of the user is without it, because the wallet may have sent
 * the batch.
 */
async function sendWithPaymaster(f: FlowRun, sender: Sender, batch: SendableCalls, isSponsored: boolean) {
  const { paymasterUrl } = sender.chain;
  if (!isSponsored || !paymasterUrl) return await sendBatch(sender, batch);
  try {
    return await sendBatch(sender, withPaymaster(batch, paymasterUrl));
  } catch (error) {
    const isRefused = error instanceof BatchRefused;
    if (isRefused || (error instanceof WalletError && error.fault === "failed")) f.isPaymasterRefused = true;
    if (!isRefused || f.isDetached) throw error;
    return await sendBatch(sender, batch);
  }
}

async function runBatch(f: FlowRun, step: Extract<PreparedStep, { kind: "batch" }>, sender: Sender): Promise<boolean> {
  const isSponsored = !f.isPaymasterRefused && (await readsSponsored(sender, f.parts.timing));
  if (f.getState().phase !== "preparing" || f.isDetached) return false;
  const handled: Handled = { id: f.nextId(), name: step.name, transaction: null };
  f.dispatch({ type: "asked", id: handled.id, name: step.name, kind: "batch" });
  try {
    const batch = await sendWithPaymaster(f, sender, step.batch, isSponsored);
    record(f, handled, { hash: null, batch, from: sender.address, nonce: null, block: 0 }, sender.chain.id);
    return await watchBatch(f, sender, handled, batch);
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    f.definition.batchRefused?.();
    f.dispatch({ type: "abandoned", id: handled.id });
    return true;
  }
}

/** Tracks a sent batch to its end. @returns whether the flow continues */
export async function watchBatch(f: FlowRun, sender: Sender, { id, name }: Handled, batch: string): Promise<boolean> {
  f.dispatch({ type: "sent", id, hash: null });
  f.watching = new AbortController();
  const outcome = await awaitBatch(sender.provider, batch, {
    timing: f.parts.timing,
    signal: f.watching.signal,
    onSlow: () => f.dispatch({ type: "delayed", id, delay: "slow" }),
  });
  f.parts.journal.remove(batch);
  if (outcome.kind === "mined") return await finish(f, sender, id, name, outcome.receipt, null);
  if (outcome.kind === "failed") {
    // The paymaster may be the reason, so that the next attempt is without it.
    f.isPaymasterRefused = true;
    f.dispatch({ type: "ended", id, status: "failed", stop: { kind: "batch_failed", status: outcome.status } });
  } else f.dispatch({ type: "ended", id, status: "left", stop: { kind: "left" } });
  return false;
}

async function runWork(f: FlowRun, step: Extract<PreparedStep, { work: unknown }>): Promise<boolean> {
  const id = f.nextId();
  f.dispatch({ type: "asked", id, name: step.name, kind: step.kind });
  const interrupted = f.awaitInterruption();
  const why = await Promise.race([step.work().then(() => null), interrupted]);
  if (why === null) f.dispatch({ type: "confirmed", id, hash: null });
  else if (why === "again") f.dispatch({ type: "abandoned", id });
  else f.dispatch({ type: "stopped", stop: why === "changed" ? accountChanged : { kind: "cancelled" } });
  return why === null || why === "again";
}

export async function runStep(f: FlowRun, step: Exclude<PreparedStep, { kind: "done" }>): Promise<boolean> {
  if (step.kind === "signature" || step.kind === "service") return await runWork(f, step);
  const sender = f.getSender();
  if (step.kind === "batch") return await runBatch(f, step, sender);
  const asked = await askTransaction(f, step, sender);
  // Null after a stop, or before a repeated request.
  return asked === null ? f.getState().phase === "preparing" : await watch(f, sender, asked.sent, asked.handled);
}
