import { useEffect, useRef } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Sheet } from "../ui/sheet.tsx";
import type { Sender } from "../wallet/send.ts";
import { FlowSteps } from "./flowSteps.tsx";
import { useServices } from "./services.tsx";
import { createSignInStep } from "./signInStep.ts";
import { useFlow } from "./useFlow.ts";

type SignInDialogProps = {
  onClose: () => void;
  /** Signs in again as this account, because the session is too old for the action. */
  again?: Sender;
  /** Called instead of `onClose` after the sign-in. */
  onDone?: () => void;
};

/** A flow without steps of its own: `signInFirst` puts the sign-in before them. */
const signInAlone = {
  flow: "sign_in",
  request: null,
  lastSteps: ["sign_in"],
  prepare: async () => ({ kind: "done" }) as const,
};

/** Signs in as a separate step, and closes afterwards. */
export function SignInDialog({ onClose, again, onDone = onClose }: SignInDialogProps) {
  const { wallet: text } = useMessages();
  const { session, getSender } = useServices();
  const { state, flow, start } = useFlow();
  const isBegun = useRef(false);
  useEffect(() => {
    // React runs effects twice in development; the flow must start once.
    if (isBegun.current) return;
    isBegun.current = true;
    if (again === undefined) void start(signInAlone);
    else void start({ ...signInAlone, prepare: async () => createSignInStep(session, getSender, again) });
  }, [start, again, session, getSender]);
  useEffect(() => {
    if (state.phase === "done") onDone();
  }, [state.phase, onDone]);
  const close = () => {
    flow?.leave();
    onClose();
  };
  return (
    <Sheet open onClose={close} title={text.signInTitle} description={text.signInHint}>
      <FlowSteps state={state} flow={flow} />
    </Sheet>
  );
}
