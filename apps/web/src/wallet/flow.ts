import type { FlowDefinition, FlowParts } from "./flowDefinition.ts";
import { type FlowEvent, type FlowState, idleFlow, reduceFlow, type Stop } from "./flowState.ts";
import type { JournalEntry } from "./journal.ts";
import { toWalletError, WalletError } from "./provider.ts";
import { type FlowRun, type Interruption, runStep, watch, watchBatch } from "./runSteps.ts";

/** One flow of steps. `subscribe` and `getState` are for `useSyncExternalStore`. */
export type Flow = {
  getState(): FlowState;
  subscribe(listener: () => void): () => void;
  /** Starts, or goes on after a stop. Never rejects. */
  run(): Promise<void>;
  /** Follows what an earlier visit sent, then goes on. Never rejects. */
  restore(entry: JournalEntry): Promise<void>;
  /** Asks a silent wallet again; its first request may still be answered. */
  askAgain(): void;
  /** Stops waiting: for the wallet, or for what was sent. */
  leave(): void;
  /** Its page is left: what was sent is followed to its end, and nothing more is asked of the wallet. */
  detach(): void;
};

/** Creates a flow. Each step is checked against the connected wallet before it is asked for. */
export function createFlow(definition: FlowDefinition, parts: FlowParts): Flow {
  const listeners = new Set<() => void>();
  let state = idleFlow;
  let lastId = 0;
  let interrupt: (why: Interruption) => void = () => {};
  /** The account for which the flow was begun: a flow never goes on with another. */
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
      // A second press starts nothing beside the first.
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
