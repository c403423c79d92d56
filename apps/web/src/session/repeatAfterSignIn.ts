import type { Sender } from "../wallet/send.ts";
import type { Session } from "./session.ts";
import { needsSignIn } from "./signInStep.ts";

/** The connected wallet belongs to another account than the shown one. Pages show it like an error of the service. */
export class OtherWallet extends Error {
  override name = "OtherWallet";
  readonly code = "other_wallet";
  readonly requestId = null;
}

type SignInParts = {
  session: Pick<Session, "getState" | "readWallets">;
  getSender(): Sender | null;
  openConnect(): void;
  /** Signs in as this account. @returns whether the sign-in succeeded */
  signInAs(sender: Sender): Promise<boolean>;
  otherWallet(wallets: readonly string[]): Error;
};

/**
 * Runs an action. If the service refuses it because the session is too old or has ended, signs in and repeats the
 * action once. Signs in only with a wallet of the same account, because otherwise the action would run in another
 * account.
 *
 * @throws the first refusal without a sign-in, `OtherWallet`, and the action's errors
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
    // Another browser may have unlinked the wallet, so that the wallet signed in to a new account.
    if (session.getState().accountId !== accountId) throw refusal;
  }
  return await action();
}
