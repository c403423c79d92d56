import type { FlowDefinition, FlowParts } from "./flowDefinition.ts";
import { type FlowEvent, type FlowState, idleFlow, reduceFlow, type Stop } from "./flowState.ts";
import type { JournalEntry } from "./journal.ts";
import { toWalletError, WalletError } from "./provider.ts";
import { type FlowRun, type Interruption, runStep, watch, watchBatch } from "./runSteps.ts";

/** One flow of steps. `subscribe` and `getState` are for `useSyncExternalStore`. */
export type Flow = {
  getState(): FlowState;
  subscribe(listener: () => void): () => void;
  /** Starts the flow, or continues it after a stop. Never rejects. */
  run(): Promise<void>;
  /** Tracks a transaction of an earlier visit, then continues. Never rejects. */
  restore(entry: JournalEntry): Promise<void>;
  /** Repeats the request to a silent wallet; the first request may still be answered. */
  askAgain(): void;
  /** Stops waiting for the wallet or for a sent transaction. */
  leave(): void;
  /** Handles that the user left the page: tracks a sent transaction to its end, and sends no more wallet requests. */
  detach(): void;
};

/** Creates a flow. Checks each step against the connected wallet before the request. */
export function createFlow(definition: FlowDefinition, parts: FlowParts): Flow {
  const listeners = new Set<() => void>();
  let state = idleFlow;
  let lastId = 0;
  let interrupt: (why: Interruption) => void = () => {};
  /** The account that started the flow. A flow never continues with another account. */
  let begunFor: string | null = null;

  const dispatch = (event: FlowEvent) => {
    const next = reduceFlow(state, event);
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  parts.subscribeSender(() => {
    if (state.phase === "asking" && parts.getSender()?.address !== begunFor) interrupt("changed");
  });

  const run: FlowRun = {
    definition,
    parts,
    getState: () => state,
    dispatch,
    nextId: () => {
      lastId += 1;
      return lastId;
    },
    getSender: () => {
      const sender = parts.getSender();
      if (sender === null || (begunFor ?? sender.address) !== sender.address) throw new WalletError("account_changed");
      begunFor = sender.address;
      return sender;
    },
    interrupt: (why) => interrupt(why),
    awaitInterruption: () =>
      new Promise((resolve) => {
        interrupt = resolve;
      }),
    watching: new AbortController(),
    isDetached: false,
    isPaymasterRefused: false,
    proceed: () => proceed(run),
    fail: (error) => fail(run, error),
  };

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    run: async () => {
      // A second press must not start the flow twice.
      if (state.phase !== "idle" && state.phase !== "stopped") return;
      dispatch({ type: "began" });
      await proceed(run);
    },
    restore: async (entry) => {
      const handled = { id: run.nextId(), name: entry.step, transaction: entry.transaction };
      const { hash, batch } = entry;
      const kind = batch === undefined ? "transaction" : "batch";
      dispatch({ type: "restored", id: handled.id, name: entry.step, kind, hash });
      try {
        const sender = run.getSender();
        const goesOn =
          hash === null
            ? await watchBatch(run, sender, handled, batch ?? "")
            : await watch(run, sender, { ...entry, hash }, handled);
        if (goesOn) await proceed(run);
      } catch (error) {
        fail(run, toWalletError(error));
      }
    },
    askAgain: () => interrupt("again"),
    leave: () => {
      interrupt("left");
      run.watching.abort();
    },
    detach: () => {
      run.isDetached = true;
    },
  };
}

function isFinished({ getState, definition }: FlowRun): boolean {
  const last = getState().steps.findLast(({ status }) => status === "confirmed");
  return last !== undefined && definition.lastSteps.includes(last.name);
}

/** Prepares and runs steps until the flow is done or stops. */
async function proceed(run: FlowRun): Promise<void> {
  if (run.watching.signal.aborted) run.watching = new AbortController();
  try {
    while (run.getState().phase === "preparing" && !run.isDetached) {
      if (isFinished(run)) return run.dispatch({ type: "done" });
      run.getSender();
      const step = await run.definition.prepare(run.watching.signal);
      if (run.getState().phase !== "preparing" || run.isDetached) return;
      if (step.kind === "done") return run.dispatch({ type: "done" });
      if (!(await runStep(run, step))) return;
    }
  } catch (error) {
    fail(run, error);
  }
}

function fail({ getState, dispatch }: FlowRun, error: unknown): void {
  const open = getState().steps.find(({ status }) => status === "asking" || status === "silent");
  const stop: Stop =
    error instanceof WalletError
      ? { kind: "wallet", fault: error.fault, detail: error.detail }
      : { kind: "service", error };
  if (open === undefined) {
    dispatch({ type: "stopped", stop });
    return;
  }
  const isDeclined = stop.kind === "wallet" && stop.fault === "declined";
  dispatch({ type: "ended", id: open.id, status: isDeclined ? "declined" : "failed", stop });
}
