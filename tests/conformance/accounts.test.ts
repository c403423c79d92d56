import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newWallet, signIn, signMessage, withCookie } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newKey, validCalls } from "../support/conformance/validCalls.ts";

/** Calls with a browser's session instead of a key. */
const as = (headers: Record<string, string>) => ({ key: null, headers });
const createKey = async (headers: Record<string, string>, body: object = { name: "laptop" }) =>
  (await call("POST /api/account/keys", { ...as(headers), body })).body;

/** Links a wallet from the browser that requested the nonce. */
const linkWallet = async (headers: Record<string, string>, wallet: ReturnType<typeof newWallet>) => {
  const { body, cookie } = await signMessage(target.siteUrl, wallet);
  return await call("POST /api/account/wallets", { ...as(withCookie(headers, cookie)), body });
};

describe("signing in", () => {
  statusCase(
    "POST /api/auth/siwe/nonce",
    200,
    "gives what a message must hold, anew each time",
    async () => {
      const [one, two] = [await call("POST /api/auth/siwe/nonce"), await call("POST /api/auth/siwe/nonce")];
      expect(one.body).toMatchObject({ chain_id: target.chainId, uri: new URL(target.siteUrl).origin });
      expect(one.body.nonce).not.toBe(two.body.nonce);
    },
    { signs: true },
  );

  statusCase(
    "POST /api/auth/siwe/verify",
    [200, 401],
    "takes a message that the wallet signed, once",
    async () => {
      const wallet = newWallet();
      const { body, cookie } = await signMessage(target.siteUrl, wallet);
      const verify = async () => await call("POST /api/auth/siwe/verify", { body, headers: { cookie } });
      const first = await verify();
      expect([first.status, first.body.wallet]).toEqual([200, wallet.address]);
      expect((await verify()).status).toBe(401);
    },
    { signs: true },
  );

  statusCase(
    "POST /api/auth/siwe/verify",
    401,
    "refuses another wallet's signature and uses the nonce up",
    async () => {
      const [wallet, other] = [newWallet(), newWallet()];
      const { body, cookie } = await signMessage(target.siteUrl, wallet);
      const { message, signature } = body;
      for (const sent of [await other.signMessage(message), signature]) {
        const answer = await call("POST /api/auth/siwe/verify", {
          headers: { cookie },
          body: { message, signature: sent },
        });
        expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
      }
    },
  );

  for (const operation of ["POST /api/auth/siwe/nonce", "POST /api/auth/siwe/verify"]) {
    statusCase(operation, 403, "refuses a page of another site", async () => {
      const valid = validCalls[operation]!();
      const { cookie } = await signIn(target.siteUrl);
      const origin = "https://elsewhere.example";
      const sent: Record<string, string>[] = [{ origin }, { cookie }, { cookie, origin }, { cookie, origin: "null" }];
      for (const headers of sent) {
        const answer = await call(operation, { ...valid, headers });
        expect(answer.body.error.code).toBe("invalid_origin");
      }
    });
  }

  statusCase("GET /api/auth/session", 200, "shows the browser its session", async () => {
    const { accountId, headers } = await signIn(target.siteUrl);
    const { body } = await call("GET /api/auth/session", as(headers));
    expect(body.account_id).toBe(accountId);
    const { body: list } = await call("GET /api/account/sessions", as(headers));
    expect(list.items.filter((one: { current: boolean }) => one.current)).toMatchObject([{ id: body.session_id }]);
  });

  statusCase("POST /api/auth/sign-out", 200, "ends the session", async () => {
    const { headers } = await signIn(target.siteUrl);
    expect((await call("POST /api/auth/sign-out", as(headers))).body).toEqual({ removed: true });
    await delay(1_000);
    expect((await call("GET /api/account", as(headers))).status).toBe(401);
  });

  for (const operation of ["GET /api/auth/session", "POST /api/auth/sign-out"]) {
    statusCase(operation, 403, "refuses an API key: it is no browser", async () => {
      const { headers } = await signIn(target.siteUrl);
      const { key } = await createKey(headers, { name: "all", scopes: ["read", "account"] });
      const { body } = await call(operation, { ...validCalls[operation]!(), key });
      expect(body.error.code).toBe("session_required");
    });
  }
});

describe("an account", () => {
  statusCase("GET /api/account", 200, "shows its owner what it has", async () => {
    const { accountId, wallet, headers } = await signIn(target.siteUrl);
    const { body } = await call("GET /api/account", as(headers));
    expect(body).toMatchObject({ id: accountId, connections: [], plan: null, credits: 0 });
    expect(body.wallets.map(({ address }: { address: string }) => address)).toEqual([wallet]);
  });

  statusCase("PATCH /api/account", 200, "takes another name", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { body } = await call("PATCH /api/account", { ...as(headers), body: { name: "Ada" } });
    expect(body.name).toBe("Ada");
    expect((await call("GET /api/account", as(headers))).body.name).toBe("Ada");
  });

  statusCase("DELETE /api/account", [200, 401], "is deleted for good, with its sessions", async () => {
    const { headers } = await signIn(target.siteUrl);
    expect((await call("DELETE /api/account", as(headers))).body).toEqual({ removed: true });
    await delay(1_000);
    expect((await call("DELETE /api/account", as(headers))).status).toBe(401);
  });

  statusCase("DELETE /api/account", 403, "is not deleted by an API key", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { key } = await createKey(headers, { name: "manager", scopes: ["account", "read"] });
    const { body } = await call("DELETE /api/account", { key });
    expect(body.error.code).toBe("reauthentication_required");
  });

  statusCase("GET /api/account/export", 200, "is exported as one file", async () => {
    const { accountId, wallet, headers } = await signIn(target.siteUrl);
    const answer = await call("GET /api/account/export", as(headers));
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    expect(answer.body.account.id).toBe(accountId);
    expect(answer.body.wallets).toMatchObject([{ address: wallet }]);
  });

  statusCase("GET /api/account/events", 200, "shows what happened to it", async () => {
    const { headers } = await signIn(target.siteUrl);
    await call("GET /api/account/export", as(headers));
    const { body } = await call("GET /api/account/events", { ...as(headers), query: { limit: 1 } });
    expect(body.items).toMatchObject([{ kind: "account_exported", details: {} }]);
  });

  statusCase("GET /connections", 200, "lists the wallets that are linked", async () => {
    const { wallet, headers } = await signIn(target.siteUrl);
    const { body } = await call("GET /connections", as(headers));
    expect(body.items).toEqual([{ provider: "wallet", id: wallet, handle: null, linked_at: expect.any(String) }]);
  });

  statusCase("GET /api/account/credits", 200, "shows an empty ledger", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { body } = await call("GET /api/account/credits", as(headers));
    expect(body).toEqual({ balance: 0, items: [], next_before: null });
  });

  statusCase("DELETE /api/account/connections/{provider}", 404, "has nothing to unlink before it links", async () => {
    const { headers } = await signIn(target.siteUrl);
    const answer = await call("DELETE /api/account/connections/{provider}", {
      ...as(headers),
      path: { provider: "code_host" },
    });
    expect(answer.body.error.code).toBe("not_found");
  });
});

describe("a second wallet", () => {
  statusCase("POST /api/account/wallets", 200, "signs in to the same account once it is linked", async () => {
    const { accountId, headers } = await signIn(target.siteUrl);
    const second = newWallet();
    const linked = await linkWallet(headers, second);
    expect(linked.body.address).toBe(second.address);
    expect((await signIn(target.siteUrl, second)).accountId).toBe(accountId);
  });

  statusCase(
    "POST /api/account/wallets",
    [409, 422],
    "is not taken from another account, nor with a used nonce",
    async () => {
      const [owner, other] = [newWallet(), newWallet()];
      const [{ headers }] = [await signIn(target.siteUrl, owner), await signIn(target.siteUrl, other)];
      const { body, cookie } = await signMessage(target.siteUrl, other);
      const link = async () => await call("POST /api/account/wallets", { ...as(withCookie(headers, cookie)), body });
      const taken = await link();
      expect(taken.body.error.code).toBe("already_linked");
      const again = await link();
      expect(again.body.error.code).toBe("signature_invalid");
    },
  );

  statusCase(
    "DELETE /api/account/wallets/{address}",
    [200, 404, 409],
    "can be unlinked, the last one not",
    async () => {
      const [first, second] = [newWallet(), newWallet()];
      const { accountId, headers } = await signIn(target.siteUrl, first);
      await linkWallet(headers, second);
      const unlink = async (address: string) =>
        await call("DELETE /api/account/wallets/{address}", { ...as(headers), path: { address } });
      expect((await unlink(first.address.toLowerCase())).status).toBe(200);
      expect((await unlink(first.address)).body.error.code).toBe("not_found");
      expect((await unlink(second.address)).body.error.code).toBe("last_wallet");
      // An unlinked wallet is unknown again, and can sign in as a new account.
      expect((await signIn(target.siteUrl, first)).accountId).not.toBe(accountId);
      expect((await signIn(target.siteUrl, second)).accountId).toBe(accountId);
    },
  );
});

describe("API keys", () => {
  statusCase("POST /api/account/keys", 201, "are shown once and work", async () => {
    const { headers } = await signIn(target.siteUrl);
    const made = await createKey(headers, { name: "bot", scopes: ["read"], expires_in_days: 30 });
    expect(made).toMatchObject({ name: "bot", scopes: ["read"], last_used_at: null });
    expect((await call("GET /intents", { key: made.key })).status).toBe(200);
    const { body } = await call("GET /api/account/keys", as(headers));
    expect(JSON.stringify(body)).not.toContain(made.key);
    expect(body.items).toMatchObject([{ id: made.id, prefix: made.key.slice(0, 9) }]);
  });

  statusCase("GET /api/account/keys", 200, "say when they were used last", async () => {
    const { headers } = await signIn(target.siteUrl);
    const made = await createKey(headers);
    await call("GET /intents", { key: made.key });
    const lastUse = async () => (await call("GET /api/account/keys", as(headers))).body.items[0].last_used_at;
    await expect.poll(lastUse).not.toBeNull();
  });

  statusCase("DELETE /api/account/keys/{id}", [200, 404], "are refused within a second of being revoked", async () => {
    const { headers } = await signIn(target.siteUrl);
    const made = await createKey(headers);
    expect((await call("GET /intents", { key: made.key })).status).toBe(200);
    const revoke = async () => await call("DELETE /api/account/keys/{id}", { ...as(headers), path: { id: made.id } });
    expect((await revoke()).status).toBe(200);
    await delay(1_000);
    expect((await call("GET /intents", { key: made.key })).status).toBe(401);
    expect((await revoke()).status).toBe(404);
  });

  statusCase(
    "POST /api/account/keys",
    403,
    "are not given by a key, and have no scope that the session lacks",
    async () => {
      const { headers } = await signIn(target.siteUrl);
      const manager = await createKey(headers, { name: "manager", scopes: ["account", "read"] });
      const child = await call("POST /api/account/keys", {
        key: manager.key,
        body: { name: "more", scopes: ["read"] },
      });
      expect([child.status, child.body.error.code]).toEqual([403, "reauthentication_required"]);
      const admin = await call("POST /api/account/keys", { ...as(headers), body: { name: "more", scopes: ["admin"] } });
      expect([admin.status, admin.body.error.code]).toEqual([403, "scope_required"]);
      expect((await createKey(headers)).scopes).toEqual(["read", "write", "transactions"]);
    },
  );

  statusCase("POST /api/account/keys", 409, "are a hundred at the most", async () => {
    const { headers } = await signIn(target.siteUrl);
    for (let made = 0; made < 100; made++) await createKey(headers);
    const answer = await call("POST /api/account/keys", { ...as(headers), body: { name: "one too many" } });
    expect(answer.body.error.code).toBe("too_many_keys");
  });
});

describe("sessions", () => {
  statusCase("GET /api/account/sessions", 200, "are listed with the browser that has them", async () => {
    const wallet = newWallet();
    const [{ headers }] = [await signIn(target.siteUrl, wallet), await signIn(target.siteUrl, wallet)];
    const { body } = await call("GET /api/account/sessions", as(headers));
    expect(body.items).toHaveLength(2);
    expect(body.items[0].user_agent).toEqual(expect.any(String));
  });

  statusCase("DELETE /api/account/sessions/{id}", [200, 404], "can be ended one by one", async () => {
    const wallet = newWallet();
    const [one, two] = [await signIn(target.siteUrl, wallet), await signIn(target.siteUrl, wallet)];
    const { body } = await call("GET /api/auth/session", as(two.headers));
    const end = async () =>
      await call("DELETE /api/account/sessions/{id}", { ...as(one.headers), path: { id: body.session_id } });
    expect((await end()).status).toBe(200);
    expect((await end()).status).toBe(404);
    await delay(1_000);
    expect((await call("GET /api/account", as(two.headers))).status).toBe(401);
    expect((await call("GET /api/account", as(one.headers))).status).toBe(200);
  });

  statusCase("DELETE /api/account/sessions", 200, "end everywhere at once; keys go on", async () => {
    const wallet = newWallet();
    const [one, two] = [await signIn(target.siteUrl, wallet), await signIn(target.siteUrl, wallet)];
    const { key } = await createKey(one.headers);
    expect((await call("DELETE /api/account/sessions", as(one.headers))).body).toEqual({ ended: 2 });
    for (const { headers } of [one, two]) {
      await delay(1_000);
      expect((await call("GET /api/account", as(headers))).status).toBe(401);
    }
    expect((await call("GET /intents", { key })).status).toBe(200);
  });
});

describe.skipIf(target.adminKey === null)("the operator", () => {
  const grant = async (account_id: string, amount: number, headers = newKey()) =>
    await call("POST /api/admin/credits", { headers, body: { account_id, amount } });

  statusCase("GET /api/admin/accounts", 200, "pages through the accounts, newest first", async () => {
    const { accountId } = await signIn(target.siteUrl);
    const first = (await call("GET /api/admin/accounts", { query: { limit: 1 } })).body;
    expect(first.items).toMatchObject([{ id: accountId }]);
    const next = (await call("GET /api/admin/accounts", { query: { limit: 1, before: first.next_before } })).body;
    expect(next.items[0].id < accountId).toBe(true);
  });

  statusCase("POST /api/admin/plans", 200, "starts a plan, which the account shows", async () => {
    const { accountId, headers } = await signIn(target.siteUrl);
    const body = { account_id: accountId, plan: "subscriber", days: 30 };
    const started = await call("POST /api/admin/plans", { body });
    const { plan } = (await call("GET /api/account", as(headers))).body;
    expect(plan).toMatchObject({ plan: "subscriber", active_until: started.body.active_until });
  });

  statusCase(
    "POST /api/admin/credits",
    [200, 402, 409],
    "books credits once for each key, never below zero",
    async () => {
      const { accountId, headers } = await signIn(target.siteUrl);
      const key = newKey();
      expect((await grant(accountId, 5, key)).body).toEqual({ account_id: accountId, amount: 5, balance: 5 });
      expect((await grant(accountId, 5, key)).body.balance).toBe(5);
      expect((await grant(accountId, 6, key)).body.error.code).toBe("idempotency_key_reused");
      expect((await grant(accountId, -6)).body.error.code).toBe("insufficient_credits");
      expect((await grant(accountId, -5)).body.balance).toBe(0);
      const { body } = await call("GET /api/account/credits", { ...as(headers), query: { limit: 1 } });
      expect(body).toMatchObject({ balance: 0, items: [{ kind: "grant", amount: -5, balance_after: 0 }] });
      const page = { limit: 1, before: body.next_before };
      const older = (await call("GET /api/account/credits", { ...as(headers), query: page })).body;
      expect(older.items).toMatchObject([{ amount: 5, balance_after: 5 }]);
    },
  );

  it("cannot book for an account that is none", async () => {
    const answer = await grant(randomUUID(), 1);
    expect([answer.status, answer.body.error.field]).toEqual([422, "account_id"]);
  });
});
