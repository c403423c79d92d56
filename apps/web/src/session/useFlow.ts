import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createFlow, type Flow } from "../wallet/flow.ts";
import type { FlowDefinition } from "../wallet/flowDefinition.ts";
import { type FlowState, idleFlow } from "../wallet/flowState.ts";
import type { JournalEntry } from "../wallet/journal.ts";
import { type Services, useSender, useServices } from "./services.tsx";
import { signInFirst } from "./signInStep.ts";
import { balancesKey } from "./useBalances.ts";

export type RunningFlow = {
  state: FlowState;
  flow: Flow | null;
  /** Starts a new flow in place of the shown one. */
  start(definition: FlowDefinition): Promise<void>;
  /** Continues the flow of an earlier visit. */
  restore(definition: FlowDefinition, entry: JournalEntry): Promise<void>;
  /** Hides the flow. This does not cancel sent transactions. */
  clear(): void;
};

const nothing = () => () => {};
const idle = () => idleFlow;

/**
 * Creates a flow of the connected account that signs in first if necessary. It is here and not in the services, so that
 * pages without transactions do not load it.
 */
function createSignedInFlow(
  { session, getSender, journal, timing, subscribe }: Services,
  definition: FlowDefinition,
): Flow {
  return createFlow(signInFirst(definition, session, getSender), {
    ...{ getSender, journal, timing },
    subscribeSender: subscribe,
    getTime: () => Date.now(),
  });
}

/** Returns a component's flow. After the component unmounts, the flow sends no further wallet requests. */
export function useFlow(): RunningFlow {
  const services = useServices();
  const [flow, setFlow] = useState<Flow | null>(null);
  useEffect(() => () => flow?.detach(), [flow]);
  const state = useSyncExternalStore(flow?.subscribe ?? nothing, flow?.getState ?? idle, flow?.getState ?? idle);
  const client = useQueryClient();
  const confirmed = state.steps.filter(({ status }) => status === "confirmed").length;
  useEffect(() => {
    if (confirmed > 0) void client.invalidateQueries({ queryKey: balancesKey });
  }, [confirmed, client]);
  const start = useCallback(
    async (definition: FlowDefinition) => {
      const next = createSignedInFlow(services, definition);
      setFlow(next);
      await next.run();
    },
    [services],
  );
  const restore = useCallback(
    async (definition: FlowDefinition, entry: JournalEntry) => {
      const next = createSignedInFlow(services, definition);
      setFlow(next);
      await next.restore(entry);
    },
    [services],
  );
  return { state, flow, start, restore, clear: useCallback(() => setFlow(null), []) };
}

/** Continues, once, a flow that an earlier visit of this account started. */
export function useRestoredFlow(
  name: string,
  getDefinition: (entry: JournalEntry) => FlowDefinition,
  running: RunningFlow,
): void {
  const { journal } = useServices();
  const sender = useSender();
  const restored = useRef<string | null>(null);
  const latest = useRef({ getDefinition, running });
  latest.current = { getDefinition, running };
  useEffect(() => {
    if (sender === null || restored.current === `${name}:${sender.address}`) return;
    restored.current = `${name}:${sender.address}`;
    const entry = journal.list(name).findLast((one) => one.from === sender.address && one.chainId === sender.chain.id);
    if (entry === undefined || latest.current.running.flow !== null) return;
    void latest.current.running.restore(latest.current.getDefinition(entry), entry);
  }, [name, sender, journal]);
}
