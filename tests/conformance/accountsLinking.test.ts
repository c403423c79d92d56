import { randomUUID } from "node:crypto";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, newWallet, signIn } from "../support/conformance/browser.ts";
import { type Api, startApi } from "../support/conformance/startApi.ts";
import { client, type Oidc, startOidc } from "../support/conformance/startOidc.ts";
import { statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { unlimited } from "../support/conformance/unlimited.ts";

const { inside } = target;

describe.skipIf(inside === null || target.fixture === null)("linking at an OpenID provider", () => {
  let oidc: Oidc;
  let api: Api;
  let siteUrl: string;
  let database: pg.Pool;
  const observed = new Set<string>();

  beforeAll(async () => {
    const port = await getFreePort();
    siteUrl = `http://127.0.0.1:${port}`;
    oidc = await startOidc(`${siteUrl}/api/auth/callback/code_host`);
    database = new pg.Pool({ connectionString: inside!.databaseUrl, max: 1 });
    // A client still receives the database's shutdown message while it is being closed.
    database.on("error", () => undefined);
    api = await startApi(
      {
        ...unlimited,
        PORT: String(port),
        SITE_URL: siteUrl,
        AUTH_SECRET: "a secret of this test alone, 40 characters",
        DATABASE_URL: inside!.databaseUrl,
        RPC_URL: target.rpcUrl!,
        MANIFEST_PATH: inside!.manifestPath,
        MANIFEST_SHA256: inside!.manifestSha256,
        CODE_HOST_CLIENT_ID: client.id,
        CODE_HOST_CLIENT_SECRET: client.secret,
        CODE_HOST_AUTHORIZATION_URL: `${oidc.url}/auth`,
        CODE_HOST_TOKEN_URL: `${oidc.url}/token`,
        CODE_HOST_USERINFO_URL: `${oidc.url}/me`,
        CODE_HOST_SCOPES: "openid profile",
        CODE_HOST_ID_FIELD: "sub",
        CODE_HOST_HANDLE_FIELD: "preferred_username",
        CODE_HOST_TOKEN_AUTH: "basic",
      },
      target.apiKey,
    );
  });
  afterAll(async () => {
    await api?.stop();
    await oidc?.stop();
    await database?.end();
  });

  /** A user of the provider that no account has linked. */
  const newUser = (handle = `h${randomUUID().slice(0, 12)}`) => {
    const id = `user-${randomUUID()}`;
    oidc.handles.set(id, handle);
    return { id, handle };
  };

  /** Begins a link: returns the redirect of the browser, and its cookies. */
  const begin = async (browser: Browser) => {
    const answer = await api.call("POST /api/auth/link-social", {
      key: null,
      headers: browser.headers,
      body: { provider: "code_host", callback_url: "/settings" },
    });
    expect(answer.status).toBe(200);
    const state = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
    return { url: answer.body.url as string, cookie: [browser.cookie, ...state].join("; ") };
  };

  /** Returns from the provider. */
  const comeBack = async (returned: string, cookie: string) => {
    const query = Object.fromEntries(new URL(returned).searchParams);
    const answer = await api.call("GET /api/auth/callback/{provider}", {
      path: { provider: "code_host" },
      query,
      headers: { cookie },
    });
    expect(answer.status).toBe(302);
    return new URL(answer.headers.get("location")!, siteUrl);
  };

  const link = async (browser: Browser, user: { id: string }) => {
    const { url, cookie } = await begin(browser);
    return await comeBack(await oidc.logIn(url, user.id), cookie);
  };

  const getConnections = async (browser: Browser) => {
    const { body } = await api.call("GET /connections", { key: null, headers: { cookie: browser.cookie } });
    return body.items.filter(({ provider }: { provider: string }) => provider !== "wallet");
  };

  const note = () => {
    for (const one of api.observed) observed.add(one);
  };

  statusCase(
    "POST /api/auth/link-social",
    200,
    "sends the browser off with a state and a PKCE challenge, and takes it back",
    async () => {
      const [browser, user] = [await signIn(siteUrl), newUser("Octo-Cat")];
      const { url, cookie } = await begin(browser);
      const asked = new URL(url).searchParams;
      expect(asked.get("code_challenge_method")).toBe("S256");
      expect(asked.get("state")).toMatch(/^.{32,}$/);
      const landed = await comeBack(await oidc.logIn(url, user.id), cookie);
      expect(`${landed.pathname}${landed.search}`).toBe("/settings");
      expect(await getConnections(browser)).toEqual([
        { provider: "code_host", id: user.id, handle: "Octo-Cat", linked_at: expect.any(String) },
      ]);
      note();
    },
    { observed, signs: true },
  );

  statusCase(
    "GET /api/auth/callback/{provider}",
    302,
    "keeps no token of the provider",
    async () => {
      const [browser, user] = [await signIn(siteUrl), newUser()];
      await link(browser, user);
      await link(browser, user);
      const { rows } = await database.query(
        "select access_token, refresh_token, id_token, password from app.identities where account_id = $1",
        [user.id],
      );
      expect(rows).toEqual([{ access_token: null, refresh_token: null, id_token: null, password: null }]);
      note();
    },
    { observed, signs: true },
  );

  statusCase(
    "GET /recipients",
    200,
    "answers the wallet that the owner of a proven handle chose",
    async () => {
      const [browser, user] = [await signIn(siteUrl), newUser()];
      await link(browser, user);
      const query = { provider: "code_host", handle: `@${user.handle.toUpperCase()}` };
      expect((await api.call("GET /recipients", { query })).status).toBe(404);
      const body = { payout_wallet: browser.wallet };
      await api.call("PATCH /api/account", { key: null, headers: browser.headers, body });
      const found = { provider: "code_host", handle: user.handle, wallet: browser.wallet };
      expect((await api.call("GET /recipients", { query })).body).toEqual(found);
      note();
    },
    { observed, signs: true },
  );

  it("follows a handle that changed, and takes it from who had it before", async () => {
    const [one, two] = [await signIn(siteUrl), await signIn(siteUrl)];
    const [user, successor] = [newUser(), newUser()];
    await link(one, user);
    oidc.handles.set(successor.id, user.handle);
    await link(two, successor);
    expect(await getConnections(two)).toMatchObject([{ id: successor.id, handle: user.handle }]);
    expect(await getConnections(one)).toMatchObject([{ id: user.id, handle: null }]);
  });

  it("refuses an identity that another account has, and a second one at the same provider", async () => {
    const [owner, other] = [await signIn(siteUrl), await signIn(siteUrl)];
    const user = newUser();
    await link(owner, user);
    const refused = await link(other, user);
    expect(refused.searchParams.get("error")).toBe("account_already_linked_to_different_user");
    expect(await getConnections(other)).toEqual([]);
    const second = await link(owner, newUser());
    expect(second.searchParams.get("error")).toBe("unable_to_link_account");
    expect(await getConnections(owner)).toMatchObject([{ id: user.id }]);
  });

  it("refuses a state of another browser, a changed one, and one that comes twice", async () => {
    const [mine, theirs] = [await signIn(siteUrl), await signIn(siteUrl)];
    const user = newUser();
    const begun = await begin(mine);
    const returned = await oidc.logIn(begun.url, user.id);
    const inOtherBrowser = await comeBack(returned, theirs.cookie);
    expect(inOtherBrowser.searchParams.get("error")).toBe("state_mismatch");
    const changed = new URL(returned);
    changed.searchParams.set("state", "x".repeat(32));
    expect((await comeBack(changed.href, begun.cookie)).searchParams.get("error")).toBe("state_mismatch");
    expect(await getConnections(mine)).toEqual([]);
    expect((await comeBack(returned, begun.cookie)).searchParams.get("error")).toBeNull();
    expect((await comeBack(returned, begun.cookie)).searchParams.get("error")).toBe("state_mismatch");
    expect(await getConnections(mine)).toMatchObject([{ id: user.id }]);
    expect(await getConnections(theirs)).toEqual([]);
  });

  it("refuses a code that was used before, in a state of its own", async () => {
    const browser = await signIn(siteUrl);
    const user = newUser();
    const first = await begin(browser);
    const returned = new URL(await oidc.logIn(first.url, user.id));
    await comeBack(returned.href, first.cookie);
    const second = await begin(browser);
    const replayed = new URL(returned);
    replayed.searchParams.set("state", new URL(second.url).searchParams.get("state")!);
    expect((await comeBack(replayed.href, second.cookie)).searchParams.get("error")).toBe("invalid_code");
  });

  it("sends no browser to another site afterwards", async () => {
    const { headers } = await signIn(siteUrl);
    const foreign = ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "x"];
    // Paths that become //elsewhere.example when their dot segments are removed.
    const disguised = ["/.//elsewhere.example", "/..//elsewhere.example", "/a/..//elsewhere.example", "/a//b"];
    for (const callback_url of [...foreign, ...disguised, "/%2e//elsewhere.example", "/./a", "/a/.."]) {
      const body = { provider: "code_host", callback_url };
      const answer = await api.call("POST /api/auth/link-social", { key: null, headers, body });
      expect([answer.status, answer.body.error.field], callback_url).toEqual([422, "callback_url"]);
    }
  });

  statusCase(
    "DELETE /api/account/connections/{provider}",
    200,
    "unlinks, and the identity is free for another account",
    async () => {
      const [one, two] = [await signIn(siteUrl), await signIn(siteUrl)];
      const user = newUser();
      await link(one, user);
      const path = { provider: "code_host" };
      const unlink = { key: null, headers: one.headers, path };
      expect((await api.call("DELETE /api/account/connections/{provider}", unlink)).body).toEqual({ removed: true });
      expect(await getConnections(one)).toEqual([]);
      await link(two, user);
      expect(await getConnections(two)).toMatchObject([{ id: user.id }]);
      note();
    },
    { observed, signs: true },
  );

  it("says in /config what can be linked", async () => {
    const { body } = await api.call("GET /config");
    expect(body.providers).toEqual({
      wallet: { available: true },
      code_host: { available: true },
      social: { available: false },
    });
    expect(body.capabilities.sign_in).toEqual({ configured: true, reason: null });
  });

  statusCase(
    "POST /api/auth/link-social",
    503,
    "says that a provider is not configured",
    async () => {
      const { headers } = await signIn(siteUrl);
      const body = { provider: "social" };
      const answer = await api.call("POST /api/auth/link-social", { key: null, headers, body });
      expect([answer.status, answer.body.error.code]).toEqual([503, "provider_unavailable"]);
      note();
    },
    { observed, signs: true },
  );

  it("shows a recipient's handle as verified while one account has proven it and the wallet", async () => {
    const wallet = newWallet();
    const [browser, stranger] = [await signIn(siteUrl, wallet), await signIn(siteUrl)];
    const user = newUser();
    const { creator } = target.fixture!;
    const recipients = [
      { provider: "code_host", handle: user.handle.toUpperCase(), wallet: wallet.address, share_bps: 5_000 },
      { provider: "code_host", handle: user.handle, wallet: stranger.wallet, share_bps: 5_000 },
    ];
    const draft = await api.call("POST /intents", {
      headers: { "idempotency-key": randomUUID() },
      body: {
        name: "Verified",
        symbol: "VER",
        image_uri: "https://cdn.example/v.png",
        chain_id: target.chainId,
        recipients,
      },
    });
    const warnings = async () => {
      const body = { intent_id: draft.body.id, wallet: creator };
      const answer = await api.call("POST /splits/transactions", { body });
      expect(answer.status).toBe(200);
      return answer.body.warnings.map(({ message }: { message: string }) => /0x[0-9a-fA-F]{40}/.exec(message)![0]);
    };
    expect(await warnings()).toEqual([wallet.address, stranger.wallet]);
    await link(browser, user);
    // The stranger proved the wallet, and another account proved the handle.
    expect(await warnings()).toEqual([stranger.wallet]);
    const path = { provider: "code_host" };
    await api.call("DELETE /api/account/connections/{provider}", { key: null, headers: browser.headers, path });
    expect(await warnings()).toEqual([wallet.address, stranger.wallet]);
  });
});
