import { describe, expect, test, vi } from "vitest";
import { account, createFakeStorage } from "../../../../tests/support/web/fakeProvider.ts";
import { createAccountStorage } from "./accountStorage.ts";
import { createSession } from "./session.ts";

const other = `0x${"b2".repeat(20)}` as const;
const accounts: Record<string, string> = { [account]: "account-a", [other]: "account-b" };

function open() {
  const forget = vi.fn();
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
  const session = createSession({ api: api as never, storage: createFakeStorage(), prove, forget });
  const signIn = (address: string) => session.signIn({ address } as never);
  return { session, api, forget, signIn };
}

describe("what a session leaves in the browser", () => {
  test("is forgotten when the account signs out, and when another one signs in", async () => {
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

  test("stays where the service could not end the session: the browser is still signed in", async () => {
    const { session, api, forget, signIn } = open();
    await signIn(account);
    api.signOut.mockRejectedValueOnce(new Error("offline"));
    await expect(session.signOut()).rejects.toThrow("offline");
    expect([session.getState().status, forget.mock.calls.length]).toEqual(["signed_in", 0]);
  });
});

describe("what an account keeps", () => {
  test("is what was typed before its sign-in and after, and is not shown to another account", () => {
    const storage = createFakeStorage();
    let owner: string | null = null;
    const kept = createAccountStorage(storage, () => owner);
    kept.setItem("form", "typed");
    owner = "a";
    expect(kept.getItem("form")).toBe("typed");
    kept.setItem("form", "typed by a");
    // A session that has ended by itself: who signs in again goes on.
    owner = null;
    kept.setItem("form", "typed on");
    owner = "b";
    expect(kept.getItem("form")).toBeNull();
    owner = "a";
    expect(kept.getItem("form")).toBe("typed on");
  });

  test("is cleared whole, and nothing else of the browser; what cannot be read is nothing", () => {
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
