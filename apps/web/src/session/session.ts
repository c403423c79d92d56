import type { Client } from "@slipway/sdk/createLazyClient";
import { WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";

/**
 * The session of this browser. `status` is `unknown` while the session of a browser that was signed in is read; an
 * action then waits instead of offering a sign-in. `wallets` are the account's wallets in lower case, null while
 * unknown; the connected wallet may belong to another account.
 */
export type SessionState = {
  status: "unknown" | "signed_out" | "signed_in";
  wallets: readonly string[] | null;
  /** Null while unknown. */
  accountId: string | null;
};

export type Session = {
  getState(): SessionState;
  subscribe(listener: () => void): () => void;
  /** Reads the session if this browser was signed in; otherwise sends no request. Never rejects. */
  restore(): Promise<void>;
  /**
   * Opens a session with the wallet's signature of an ERC-4361 message. @throws WalletError, ApiError, SignInRefused
   */
  signIn(sender: Sender): Promise<void>;
  /** Links the wallet to the session's account, with a signature of the same kind. @throws as `signIn` */
  linkWallet(sender: Sender): Promise<void>;
  /** Reads the account's wallets again, e.g. after one was unlinked. Never rejects. */
  readWallets(): Promise<void>;
  signOut(): Promise<void>;
  /** Handles a session that the service no longer knows. Keeps the input for the next sign-in. */
  lost(): void;
  /** Handles a sign-out or the account's deletion: removes all data of the account. */
  left(): void;
  /** Handles a sign-in or sign-out of another tab. @param kept the value that the tab stored under `sessionKey` */
  changedElsewhere(kept: string | null): void;
};

export type SessionParts = {
  api: Pick<Client, "signIn" | "linkWallet" | "signOut" | "getSession" | "getAccount">;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Requests the wallet's signature of the message that proves its address. */
  prove(sender: Sender, purpose: "sign_in" | "link"): Promise<{ message: string; signature: string }>;
  /**
   * Removes an account's data from this browser after its sign-out, or when another account signs in. Not called when a
   * session expires, so that the user can continue after the next sign-in.
   */
  forget(wallets: readonly string[]): void;
  /** Removes the account's data of this tab; part of `forget`. */
  forgetTab(): void;
};

/**
 * The only stored fact: that the browser was signed in. Without it, the page sends no session request. Other tabs
 * observe the key: the short-lived value `left` distinguishes a sign-out from an expired session.
 */
export const sessionKey = "slipway.signed_in";
const signedOut: SessionState = { status: "signed_out", wallets: null, accountId: null };
const toState = ({ id, wallets }: { id: string; wallets: readonly { address: string }[] }): SessionState => ({
  status: "signed_in",
  wallets: wallets.map(({ address }) => address.toLowerCase()),
  accountId: id,
});

const isUnauthorized = (error: unknown) => (error as { status?: unknown } | null)?.status === 401;

export function createSession({ api, storage, prove, forget, forgetTab }: SessionParts): Session {
  const listeners = new Set<() => void>();
  /** The last account of this page, also after its session has ended. */
  let last: { accountId: string; wallets: readonly string[] } | null = null;
  let state: SessionState = wasSignedIn() ? { ...signedOut, status: "unknown" } : signedOut;

  function wasSignedIn(): boolean {
    try {
      return storage.getItem(sessionKey) !== null;
    } catch {
      return false;
    }
  }
  const keep = (value: "yes" | "left" | null) => {
    try {
      if (value) storage.setItem(sessionKey, value);
      else storage.removeItem(sessionKey);
    } catch {
      // Without storage, the next visit must sign in again.
    }
  };
  const change = (next: SessionState) => {
    state = next;
    const { accountId, wallets } = next;
    if (accountId !== null) last = { accountId, wallets: wallets ?? [] };
    for (const listener of listeners) listener();
  };
  const lost = () => {
    keep(null);
    change(signedOut);
  };

  const left = () => {
    forget(last?.wallets ?? []);
    last = null;
    keep("left");
    lost();
  };

  const read = async () => {
    try {
      await api.getSession();
      const account = await api.getAccount();
      // Another tab may have signed out meanwhile.
      if (wasSignedIn()) change(toState(account));
    } catch (error) {
      if (isUnauthorized(error)) return lost();
      // The service did not respond: assume a session; the first guarded request decides.
      if (wasSignedIn()) change({ ...signedOut, status: "signed_in" });
    }
  };

  /** Reads the wallets after a change of them or of the session. */
  const readWallets = async () => {
    const account = await api.getAccount().catch(() => null);
    if (account !== null && state.status === "signed_in") change(toState(account));
  };

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restore: async () => {
      if (state.status === "unknown") await read();
    },
    signIn: async (sender) => {
      const { address } = sender;
      const { wallet, account_id: accountId } = await api.signIn(await prove(sender, "sign_in"));
      if (wallet.toLowerCase() !== address) throw new WalletError("account_changed");
      if (last !== null && last.accountId !== accountId) forget(last.wallets);
      keep("yes");
      change({ status: "signed_in", wallets: [address], accountId });
      await readWallets();
    },
    linkWallet: async (sender) => {
      await api.linkWallet(await prove(sender, "link"));
      await readWallets();
    },
    readWallets,
    signOut: async () => {
      await api.signOut().catch((error: unknown) => {
        if (!isUnauthorized(error)) throw error;
      });
      left();
    },
    lost,
    left,
    changedElsewhere: (kept) => {
      if (kept === "yes") return void read();
      // The other tab already cleared the storage; new input there belongs to another user.
      if (kept) {
        last = null;
        forgetTab();
      } else change(signedOut);
    },
  };
}
