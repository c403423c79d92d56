import { describe, expect, test, vi } from "vitest";
import { account, createFakeStorage } from "../../../../tests/support/web/fakeProvider.ts";
import { createAccountStorage } from "./accountStorage.ts";
import { createSession, sessionKey } from "./session.ts";

const other = `0x${"b2".repeat(20)}` as const;
const accounts: Record<string, string> = { [account]: "account-a", [other]: "account-b" };

function open(storage = createFakeStorage()) {
  const [forget, forgetTab] = [vi.fn(), vi.fn()];
  let wallet = "";
  const api = {
    signIn: vi.fn(async ({ message }: { message: string }) => {
      wallet = message;
      return { wallet, account_id: accounts[wallet]! };
    }),
    getAccount: vi.fn(async () => ({ id: accounts[wallet]!, wallets: [{ address: wallet }] })),
    getSession: vi.fn(),
    linkWallet: vi.fn(),
    signOut: vi.fn(async () => undefined),
  };
  const prove = async ({ address }: { address: string }) => ({ message: address, signature: "0x" });
  const session = createSession({ api: api as never, storage, prove, forget, forgetTab });
  const signIn = (address: string) => session.signIn({ address } as never);
  return { session, api, forget, forgetTab, signIn };
}

describe("browser data of a session", () => {
  test("are removed when the account signs out, and when another one signs in", async () => {
    const { session, forget, signIn } = open();
    await signIn(account);
    await signIn(account);
    session.lost();
    await signIn(account);
    expect(forget).not.toHaveBeenCalled();
    session.lost();
    await signIn(other);
    expect(forget.mock.calls).toEqual([[[account]]]);
    await session.signOut();
    expect(forget.mock.calls.at(-1)).toEqual([[other]]);
  });

  test("remain if the service could not end the session, because the browser is still signed in", async () => {
    const { session, api, forget, signIn } = open();
    await signIn(account);
    api.signOut.mockRejectedValueOnce(new Error("offline"));
    await expect(session.signOut()).rejects.toThrow("offline");
    expect([session.getState().status, forget.mock.calls.length]).toEqual(["signed_in", 0]);
  });
});

describe("another tab", () => {
  test("that signs out removes the account's data here, and keeps the next user's input", async () => {
    const { session, forget, forgetTab, signIn } = open();
    await signIn(account);
    session.changedElsewhere("left");
    session.changedElsewhere(null);
    expect([session.getState(), forgetTab.mock.calls.length]).toEqual([
      { status: "signed_out", wallets: null, accountId: null },
      1,
    ]);
    await signIn(other);
    expect(forget).not.toHaveBeenCalled();
  });

  test("whose session expired ends this session too, and keeps all input for the next sign-in", async () => {
    const { session, forget, forgetTab, signIn } = open();
    await signIn(account);
    session.changedElsewhere(null);
    expect(session.getState().status).toBe("signed_out");
    await signIn(account);
    expect([forget.mock.calls.length, forgetTab.mock.calls.length]).toEqual([0, 0]);
    session.changedElsewhere(null);
    await signIn(other);
    expect(forget.mock.calls).toEqual([[[account]]]);
  });

  test("that signs in signs in this tab, unless it signs out before the account is read", async () => {
    const storage = createFakeStorage();
    const [here, there] = [open(storage), open(storage)];
    await there.signIn(account);
    here.api.getAccount.mockImplementation(() => there.api.getAccount());
    here.session.changedElsewhere("yes");
    await expect.poll(() => here.session.getState()).toMatchObject({ status: "signed_in", wallets: [account] });

    here.session.changedElsewhere(null);
    here.session.changedElsewhere("yes");
    await there.session.signOut();
    here.session.changedElsewhere("left");
    here.session.changedElsewhere(null);
    await Promise.all(here.api.getAccount.mock.results.map(({ value }) => value));
    expect(here.session.getState().status).toBe("signed_out");
  });

  test("sees the sign-out briefly in the storage", async () => {
    const storage = createFakeStorage();
    const setItem = vi.spyOn(storage, "setItem");
    const { session, signIn } = open(storage);
    await signIn(account);
    await session.signOut();
    expect(setItem.mock.calls).toEqual([
      [sessionKey, "yes"],
      [sessionKey, "left"],
    ]);
    expect(storage.getItem(sessionKey)).toBeNull();
  });
});

describe("account storage", () => {
  test("keeps input from before and after the sign-in, and does not show it to another account", () => {
    const storage = createFakeStorage();
    let owner: string | null = null;
    const kept = createAccountStorage(storage, () => owner);
    kept.setItem("form", "typed");
    owner = "a";
    expect(kept.getItem("form")).toBe("typed");
    kept.setItem("form", "typed by a");
    // The session expired: the next sign-in of the same account continues.
    owner = null;
    kept.setItem("form", "typed on");
    owner = "b";
    expect(kept.getItem("form")).toBeNull();
    owner = "a";
    expect(kept.getItem("form")).toBe("typed on");
  });

  test("is cleared completely, and nothing else in the browser is; unreadable values are null", () => {
    const storage = createFakeStorage();
    const kept = createAccountStorage(storage, () => null);
    storage.setItem("slipway.theme", "dark");
    kept.setItem("form", "1");
    kept.setItem("pictures", "2");
    kept.clear();
    expect([storage.length, kept.getItem("form")]).toEqual([1, null]);
    storage.setItem("slipway.account.form", "{");
    expect(kept.getItem("form")).toBeNull();
    const setItem = () => {
      throw new Error("QuotaExceededError");
    };
    const full = createAccountStorage({ ...storage, setItem }, () => null);
    full.setItem("form", "1");
    expect(full.getItem("form")).toBeNull();
  });
});
