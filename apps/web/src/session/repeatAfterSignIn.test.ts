import { describe, expect, it, vi } from "vitest";
import { OtherWallet, repeatAfterSignIn } from "./repeatAfterSignIn.ts";

const own = "0x00000000000000000000000000000000000000aa";
const tooOld = Object.assign(new Error("sign in again"), { status: 403, code: "reauthentication_required" });

/** Creates a session of one account, and a wallet that signs in to `nextAccount`. */
function createParts({ sender = own as string | null, wallets = [own] as string[] | null, nextAccount = "one" } = {}) {
  let accountId = "one";
  return {
    session: {
      getState: () => ({ status: "signed_in" as const, wallets, accountId }),
      readWallets: vi.fn(async () => {}),
    },
    getSender: () => (sender === null ? null : ({ address: sender } as never)),
    openConnect: vi.fn(),
    signInAs: vi.fn(async () => {
      accountId = nextAccount;
      return true;
    }),
    otherWallet: () => new OtherWallet("another wallet"),
  };
}
const refusedOnce = () => vi.fn().mockRejectedValueOnce(tooOld).mockResolvedValueOnce("done");

describe("an action that needs a newer sign-in", () => {
  it("is repeated once after the sign-in", async () => {
    const parts = createParts();
    const action = refusedOnce();
    expect(await repeatAfterSignIn(action, parts)).toBe("done");
    expect([action.mock.calls.length, parts.signInAs.mock.calls.length]).toEqual([2, 1]);
  });

  it("is not repeated without a sign-in, and reports the first refusal", async () => {
    const parts = createParts();
    parts.signInAs.mockResolvedValueOnce(false);
    const action = refusedOnce();
    await expect(repeatAfterSignIn(action, parts)).rejects.toBe(tooOld);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it("opens the wallet choice if no wallet is connected", async () => {
    const parts = createParts({ sender: null });
    await expect(repeatAfterSignIn(refusedOnce(), parts)).rejects.toBe(tooOld);
    expect(parts.openConnect).toHaveBeenCalledTimes(1);
  });

  it("needs no sign-in after another refusal", async () => {
    const parts = createParts();
    const other = Object.assign(new Error("no"), { status: 409, code: "already_linked" });
    await expect(repeatAfterSignIn(vi.fn().mockRejectedValueOnce(other), parts)).rejects.toBe(other);
    expect(parts.signInAs).not.toHaveBeenCalled();
  });

  it("C10-41 never signs in with a wallet of another account, or while the account's wallets are unknown", async () => {
    for (const wallets of [["0x00000000000000000000000000000000000000bb"], null]) {
      const parts = createParts({ wallets });
      const action = refusedOnce();
      await expect(repeatAfterSignIn(action, parts)).rejects.toBeInstanceOf(wallets === null ? Error : OtherWallet);
      expect([action.mock.calls.length, parts.signInAs.mock.calls.length]).toEqual([1, 0]);
    }
  });

  it("C10-41 is not repeated if the sign-in opened another account", async () => {
    const action = refusedOnce();
    await expect(repeatAfterSignIn(action, createParts({ nextAccount: "two" }))).rejects.toBe(tooOld);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
