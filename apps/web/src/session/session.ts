import type { Client } from "@slipway/sdk/createLeanClient";
import { WalletError } from "../wallet/provider.ts";
import type { Sender } from "../wallet/send.ts";

/**
 * The session of this browser. `unknown` until it is read; `wallets` are those of its account, lower case, null while
 * unknown: the connected wallet may be another one.
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
  /** Reads whether this browser is signed in, if it was before: otherwise nothing is asked. Never rejects. */
  restore(): Promise<void>;
  /** Has the wallet sign a message of ERC-4361, and opens a session by it. @throws WalletError, ApiError, SignInRefused */
  signIn(sender: Sender): Promise<void>;
  /** Has the wallet sign the same kind of message, and links it to the account of the session. @throws as `signIn` */
  linkWallet(sender: Sender): Promise<void>;
  /** Reads the account's wallets again, e.g. after one was unlinked. Never rejects. */
  readWallets(): Promise<void>;
  signOut(): Promise<void>;
  /** The service does not know the session any more. What was typed stays: who signs in again goes on. */
  lost(): void;
  /** The account has left this browser, or is deleted: nothing of it stays here. */
  left(): void;
  /** Another tab of this browser has signed in or out. @param kept what it stored under `sessionKey` */
  changedElsewhere(kept: string | null): void;
};

export type SessionParts = {
  api: Pick<Client, "signIn" | "linkWallet" | "signOut" | "getSession" | "getAccount">;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Has a wallet sign the message that proves its address. */
  prove(sender: Sender, purpose: "sign_in" | "link"): Promise<{ message: string; signature: string }>;
  /**
   * Forgets what an account has left in this browser: it signed out, or another one signs in. A session that has ended by
   * itself is no sign-out: who signs in again goes on.
   */
  forget(wallets: readonly string[]): void;
  /** Forgets what this tab alone has of an account; part of `forget`. */
  forgetTab(): void;
};

/**
 * Only this is kept: that the browser was signed in. A visitor who never was causes no refused request. Other tabs see it
 * change: `left` stands there for a moment, which distinguishes a sign-out from a session that has ended by itself.
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
  /** The account that was signed in last on this page, also after its session has ended. */
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
      // Without storage the next visit signs in again.
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
      // Not reached: the first guarded request decides.
      if (wasSignedIn()) change({ ...signedOut, status: "signed_in" });
    }
  };

  /** The account's wallets have changed, or its session has. */
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
      // What the account kept in the storage is gone already: who types there now is someone else.
      if (kept) {
        last = null;
        forgetTab();
      } else change(signedOut);
    },
  };
}
