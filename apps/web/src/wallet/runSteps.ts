import { awaitOutcome, type Receipt } from "./awaitOutcome.ts";
import { awaitBatch, BatchRefused, sendBatch } from "./batch.ts";
import { explainRevert } from "./explainRevert.ts";
import type { FlowDefinition, FlowParts, PreparedStep } from "./flowDefinition.ts";
import type { FlowEvent, FlowState, Stop } from "./flowState.ts";
import type { JournalEntry } from "./journal.ts";
import type { Hex } from "./provider.ts";
import { type Sender, type Sent, send, type TransactionToSend } from "./send.ts";

/** A step whose transaction was handed to the wallet. */
export type Handled = { id: number; name: string; transaction: TransactionToSend | null };

/** Why a wait ended before the wallet answered; `late`: an earlier request was answered meanwhile. */
export type Interruption = "again" | "left" | "changed" | { late: Sent; of: Handled };

/** What the steps of one flow share. */
export type FlowRun = {
  definition: FlowDefinition;
  parts: FlowParts;
  getState(): FlowState;
  dispatch(event: FlowEvent): void;
  nextId(): number;
  /** @throws WalletError when the account is not the one for which the flow was begun */
  getSender(): Sender;
  /** Ends the present wait. */
  interrupt(why: Interruption): void;
  awaitInterruption(): Promise<Interruption>;
  /** Aborted when the person does not wait for a sent transaction any longer. */
  watching: AbortController;
  /** Its page was left: nothing more is asked of the wallet. */
  isDetached: boolean;
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

/** Asks the wallet for one step. @returns what was sent and of which step; null when another step is to be prepared or none */
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

/** A hash that the wallet answers after the person stopped waiting is of a transaction that was sent all the same. */
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

/** Follows a sent transaction to its end. @returns whether the flow goes on */
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
  // A used nonce: the chain decides, by what the service says was done.
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

/** Whether a step was done by another transaction than the sent one: what the service found, or that it has another step next. */
async function findDone(f: FlowRun, name: string, sent: Sent): Promise<{ hash: Hex | null } | null> {
  const { findReplacement, lastSteps, prepare } = f.definition;
  const hash = await findReplacement?.(sent, name).catch(() => null);
  if (hash) return { hash };
  if (lastSteps.includes(name)) return null;
  const next = await prepare(f.watching.signal).catch(() => null);
  return next !== null && (next.kind === "done" || next.name !== name) ? { hash: null } : null;
}

/** The index shows a transaction within a second of its block. */
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

async function runBatch(f: FlowRun, step: Extract<PreparedStep, { kind: "batch" }>, sender: Sender): Promise<boolean> {
  const handled: Handled = { id: f.nextId(), name: step.name, transaction: null };
  f.dispatch({ type: "asked", id: handled.id, name: step.name, kind: "batch" });
  try {
    const batch = await sendBatch(sender, step.batch);
    record(f, handled, { hash: null, batch, from: sender.address, nonce: null, block: 0 }, sender.chain.id);
    return await watchBatch(f, sender, handled, batch);
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    f.definition.batchRefused?.();
    f.dispatch({ type: "abandoned", id: handled.id });
    return true;
  }
}

/** Follows a sent batch to its end. @returns whether the flow goes on */
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
  // Null after a stop, or to be asked again.
  return asked === null ? f.getState().phase === "preparing" : await watch(f, sender, asked.sent, asked.handled);
}
