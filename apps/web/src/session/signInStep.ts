import type { FlowDefinition, PreparedStep } from "../wallet/flowDefinition.ts";
import { WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";
import type { Session } from "./session.ts";

/** Whether an error means that the session has ended or is too old for the action. */
export function needsSignIn(error: unknown): boolean {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  return status === 401 || code === "reauthentication_required";
}

/** Creates the sign-in step. With `only`, rejects other accounts of the wallet, which are other accounts here too. */
export const createSignInStep = (
  session: Session,
  getSender: () => Sender | null,
  only?: Sender,
): Extract<PreparedStep, { kind: "signature" }> => ({
  kind: "signature",
  name: "sign_in",
  work: async () => {
    const sender = getSender();
    if (sender === null || (only !== undefined && sender.address !== only.address))
      throw new WalletError("account_changed");
    await session.signIn(sender);
  },
});

/**
 * Wraps a flow: its first step is the sign-in if this browser is not signed in, or if the service requests one; then
 * the refused request is repeated.
 */
export function signInFirst(
  definition: FlowDefinition,
  session: Session,
  getSender: () => Sender | null,
): FlowDefinition {
  const step = createSignInStep(session, getSender);
  return {
    ...definition,
    prepare: async (signal) => {
      if (session.getState().status === "unknown") await session.restore();
      if (session.getState().status === "signed_out") return step;
      try {
        return await definition.prepare(signal);
      } catch (error) {
        if (!needsSignIn(error)) throw error;
        session.lost();
        return step;
      }
    },
  };
}
