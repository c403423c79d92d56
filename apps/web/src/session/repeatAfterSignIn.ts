import type { Sender } from "../wallet/send.ts";
import type { Session } from "./session.ts";
import { needsSignIn } from "./signInStep.ts";

/** The connected wallet signs in to another account than the one that is shown. Pages show it as an error of the service. */
export class OtherWallet extends Error {
  override name = "OtherWallet";
  readonly code = "other_wallet";
  readonly requestId = null;
}

type SignInParts = {
  session: Pick<Session, "getState" | "readWallets">;
  getSender(): Sender | null;
  openConnect(): void;
  /** Signs in as this account. @returns whether it did. */
  signInAs(sender: Sender): Promise<boolean>;
  otherWallet(wallets: readonly string[]): Error;
};

/**
 * Runs an action; if it is refused because the session is too old or has ended, signs in and runs it once more. Only a
 * wallet of the same account signs in: with another one the action would be repeated in another account.
 *
 * @throws the first refusal where the person does not sign in, `OtherWallet`, and what the action throws
 */
export async function repeatAfterSignIn<T>(
  action: () => Promise<T>,
  { session, getSender, openConnect, signInAs, otherWallet }: SignInParts,
): Promise<T> {
  try {
    return await action();
  } catch (refusal) {
    if (!needsSignIn(refusal)) throw refusal;
    const sender = getSender();
    if (sender === null) {
      openConnect();
      throw refusal;
    }
    if (session.getState().wallets === null) await session.readWallets();
    const { wallets, accountId } = session.getState();
    if (wallets === null) throw refusal;
    if (!wallets.includes(sender.address)) throw otherWallet(wallets);
    if (!(await signInAs(sender))) throw refusal;
    // Another browser may have unlinked the wallet, which then has signed in to an account of its own.
    if (session.getState().accountId !== accountId) throw refusal;
  }
  return await action();
}
