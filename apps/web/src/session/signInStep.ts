import type { FlowDefinition, PreparedStep } from "../wallet/flowDefinition.ts";
import { WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";
import type { Session } from "./session.ts";

/** What the service answers where a session is needed: it has ended, or is too old for this. */
export function needsSignIn(error: unknown): boolean {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  return status === 401 || code === "reauthentication_required";
}

/** The step that signs in. With `only`, no other account of the wallet does: it would be another account of the service. */
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
 * A flow whose first step is to sign in, where this browser is not signed in or the service asks for it again; then the
 * refused request is repeated.
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
