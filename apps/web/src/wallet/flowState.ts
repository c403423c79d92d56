import type { Delay } from "./awaitOutcome.ts";
import type { Revert } from "./explainRevert.ts";
import type { Hex, WalletFault } from "./provider.ts";

/** The wallet request of a step; `service`: no request, the service does the step. */
export type StepKind = "transaction" | "batch" | "signature" | "service";

/**
 * `asking`: the wallet shows the request. `silent`: no response for a minute. `abandoned`: the user asked again or gave
 * up; the wallet may still send it. `left`: sent, but no longer tracked. `replaced`: sped up or cancelled in the
 * wallet.
 */
export type StepStatus =
  | "asking"
  | "silent"
  | "abandoned"
  | "sent"
  | "confirmed"
  | "failed"
  | "declined"
  | "replaced"
  | "left";

export type FlowStep = {
  id: number;
  /** The step's name: an action of the service, `sign_in`, `permit`. */
  name: string;
  kind: StepKind;
  status: StepStatus;
  /** Null before sending and for signatures; for a batch, null until it is mined. */
  hash: Hex | null;
  delay: Delay | null;
};

/** Why a flow stopped. `error` is an error of the service or of the connection to it. */
export type Stop =
  | { kind: "wallet"; fault: WalletFault; detail: string | null }
  | { kind: "service"; error: unknown }
  | { kind: "reverted"; revert: Revert }
  | { kind: "batch_failed"; status: number }
  | { kind: "replaced" }
  | { kind: "left" }
  | { kind: "cancelled" };

export type FlowState = {
  phase: "idle" | "preparing" | "asking" | "watching" | "stopped" | "done";
  steps: readonly FlowStep[];
  stop: Stop | null;
};

export type FlowEvent =
  | { type: "began" }
  | { type: "asked"; id: number; name: string; kind: StepKind }
  | { type: "silent"; id: number }
  | { type: "abandoned"; id: number }
  | { type: "sent"; id: number; hash: Hex | null }
  /** A step of an earlier visit, from the journal. */
  | { type: "restored"; id: number; name: string; kind: StepKind; hash: Hex | null }
  | { type: "delayed"; id: number; delay: Delay | null }
  | { type: "confirmed"; id: number; hash: Hex | null }
  | { type: "ended"; id: number; status: "failed" | "declined" | "replaced" | "left"; stop: Stop }
  | { type: "stopped"; stop: Stop }
  | { type: "done" };

export const idleFlow: FlowState = { phase: "idle", steps: [], stop: null };

const isAsking = ({ status }: FlowStep) => status === "asking" || status === "silent";
/** Whether a late hash can still belong to this step. */
const canBeSent = ({ status }: FlowStep) => status === "asking" || status === "silent" || status === "abandoned";

/** Returns the state after an event; the same object if nothing changes. Confirmed and failed steps are final. */
export function reduceFlow(state: FlowState, event: FlowEvent): FlowState {
  switch (event.type) {
    case "began":
      return canBegin(state) ? { ...state, phase: "preparing", stop: null } : state;
    case "asked": {
      if (state.phase !== "preparing" || state.steps.some(({ id }) => id === event.id)) return state;
      const { id, name, kind } = event;
      return {
        ...state,
        phase: "asking",
        steps: [...state.steps, { id, name, kind, status: "asking", hash: null, delay: null }],
      };
    }
    case "restored": {
      if (state.phase !== "idle" || state.steps.some(({ id }) => id === event.id)) return state;
      const { id, name, kind, hash } = event;
      return {
        phase: "watching",
        stop: null,
        steps: [...state.steps, { id, name, kind, status: "sent", hash, delay: null }],
      };
    }
    case "silent":
      return change(state, event.id, ({ status }) => status === "asking", { status: "silent" });
    case "abandoned": {
      const next = change(state, event.id, isAsking, { status: "abandoned" });
      return next === state ? state : { ...next, phase: "preparing" };
    }
    case "sent": {
      const next = change(state, event.id, canBeSent, { status: "sent", hash: event.hash });
      if (next === state) return state;
      // A step with a late hash replaces the current wallet request.
      const steps = next.steps.map((step) => (isAsking(step) ? { ...step, status: "abandoned" as const } : step));
      return { steps, phase: "watching", stop: null };
    }
    case "delayed":
      return change(state, event.id, ({ status }) => status === "sent", { delay: event.delay });
    case "confirmed": {
      const isOpen = (step: FlowStep) =>
        step.status === "sent" || (isAsking(step) && (step.kind === "signature" || step.kind === "service"));
      const step = state.steps.find(({ id }) => id === event.id);
      const next = change(state, event.id, isOpen, {
        status: "confirmed",
        hash: event.hash ?? step?.hash ?? null,
        delay: null,
      });
      return next === state ? state : { ...next, phase: "preparing" };
    }
    case "ended": {
      const next = change(state, event.id, (step) => isAsking(step) || step.status === "sent", {
        status: event.status,
      });
      return next === state ? state : { ...next, phase: "stopped", stop: event.stop };
    }
    case "stopped": {
      if (state.phase === "done" || state.phase === "watching" || state.phase === "idle") return state;
      const steps = state.steps.map((step) => (isAsking(step) ? { ...step, status: "abandoned" as const } : step));
      return { phase: "stopped", steps, stop: event.stop };
    }
    case "done":
      return state.phase === "preparing" ? { ...state, phase: "done", stop: null } : state;
  }
}

const canBegin = ({ phase }: FlowState) => phase === "idle" || phase === "stopped";

function change(state: FlowState, id: number, applies: (step: FlowStep) => boolean, to: Partial<FlowStep>): FlowState {
  const step = state.steps.find((one) => one.id === id);
  if (step === undefined || !applies(step)) return state;
  return { ...state, steps: state.steps.map((one) => (one === step ? { ...one, ...to } : one)) };
}
