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
  /** Signs in once more as this account, though the browser is signed in: the session is too old for what is wanted. */
  again?: Sender;
  /** Instead of `onClose`, when it is done. */
  onDone?: () => void;
};

/** Only the step that signs in; `signInFirst` puts it before what is done here, which is nothing. */
const signInAlone = {
  flow: "sign_in",
  request: null,
  lastSteps: ["sign_in"],
  prepare: async () => ({ kind: "done" }) as const,
};

/** Signs in as a step of its own. It closes by itself when that is done. */
export function SignInDialog({ onClose, again, onDone = onClose }: SignInDialogProps) {
  const { wallet: text } = useMessages();
  const { session, getSender } = useServices();
  const { state, flow, start } = useFlow();
  const isBegun = useRef(false);
  useEffect(() => {
    // In development React runs effects twice; the wallet is asked once.
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
