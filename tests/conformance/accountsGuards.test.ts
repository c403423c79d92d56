import { describe, expect, it } from "vitest";
import { type Browser, signIn } from "../support/conformance/browser.ts";
import { guardedRoutes } from "../support/conformance/routeTables.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { validCalls } from "../support/conformance/validCalls.ts";

const scopes = ["read", "write", "transactions", "account"] as const;

const browser: Browser = await signIn(target.siteUrl);
/** One key for each scope, only with that scope; of another account, whose sessions may end here. */
const owner: Browser = await signIn(target.siteUrl);
const keys = Object.fromEntries(
  await Promise.all(
    scopes.map(async (scope) => {
      const body = { name: scope, scopes: [scope] };
      const made = await call("POST /api/account/keys", { key: null, headers: owner.headers, body });
      return [scope, made.body.key as string] as const;
    }),
  ),
);

/** The requirements of each operation, as listed in docs/accounts.md. */
function getScope(operation: string): string {
  const [method, path] = operation.split(" ") as [string, string];
  if (path.startsWith("/api/admin/")) return "admin";
  if (path === "/api/auth/session" || path === "/api/account/businesses" || path.startsWith("/api/risk")) return "read";
  if (path === "/api/forecast/line" || path === "/api/forecast/lines") return "write";
  if (/^\/api\/(alerts|webhooks|account\/payments)/.test(path)) return method === "GET" ? "read" : "write";
  if (path.startsWith("/api/")) return "account";
  if (path === "/trade/quote" || path === "/launch/preview") return "read";
  if (/\/((claim-|payout-|release-)?transactions|(claim-)?calls|authorizations)$/.test(path)) return "transactions";
  if (path === "/gas/quote" || path === "/gas/topup") return "transactions";
  return method === "GET" ? "read" : "write";
}

const site = new URL(target.siteUrl);
const otherPort = `${site.protocol}//${site.hostname}:${site.port === "1" ? 2 : 1}`;

/** Origins that no page of the site sends. Source: the attack C4-05. */
const foreignOrigins: Record<string, string | undefined> = {
  missing: undefined,
  null: "null",
  empty: "",
  "another site": "https://elsewhere.example",
  "a sub-domain": `${site.protocol}//a.${site.host}`,
  "another port": otherPort,
  "another scheme": `ftp://${site.host}`,
  "an upper-case scheme": `${site.protocol.toUpperCase()}//${site.host}`,
  "an upper-case host": `${site.protocol}//LOCALHOST:${site.port}`,
  "a trailing dot": `${site.protocol}//${site.hostname}.:${site.port}`,
  "a trailing slash": `${site.origin}/`,
  "a path": `${site.origin}/launch`,
  userinfo: `${site.protocol}//a@${site.host}`,
  "the origin twice": `${site.origin}, ${site.origin}`,
};

describe.each(guardedRoutes)("%s", (operation) => {
  const wanted = getScope(operation);

  statusCase(operation, 403, "refuses a key without its scope, and names it", async () => {
    for (const scope of scopes.filter((one) => one !== wanted)) {
      const answer = await call(operation, { ...validCalls[operation]!(), key: keys[scope]! });
      expect([answer.status, answer.body.error.code], scope).toEqual([403, "scope_required"]);
      expect(answer.body.error.details).toEqual({ scope: wanted });
    }
  });

  it("does not refuse a key with its scope for its scope", async () => {
    const key = keys[wanted];
    if (key === undefined) return expect(wanted).toBe("admin");
    const answer = await call(operation, { ...validCalls[operation]!(), key });
    expect(answer.body?.error?.code).not.toBe("scope_required");
  });
});

describe.each(guardedRoutes.filter((operation) => !operation.startsWith("GET ")))("%s", (operation) => {
  statusCase(operation, 403, "C4-05 refuses a session without the site's own Origin", async () => {
    for (const [what, origin] of Object.entries(foreignOrigins)) {
      const valid = validCalls[operation]!();
      const headers = { ...valid.headers, cookie: browser.cookie, ...(origin === undefined ? {} : { origin }) };
      const answer = await call(operation, { ...valid, key: null, headers });
      expect([answer.status, answer.body.error.code], what).toEqual([403, "invalid_origin"]);
    }
  });

  it("C4-05 takes a key without an Origin and with any", async () => {
    for (const origin of [undefined, "null", "https://elsewhere.example"]) {
      const valid = validCalls[operation]!();
      const headers = { ...valid.headers, ...(origin === undefined ? {} : { origin }) };
      const answer = await call(operation, { ...valid, key: target.apiKey, headers });
      expect(answer.body?.error?.code).not.toBe("invalid_origin");
    }
  });

  it("C4-05 lets the key decide where a session comes along: a bad one is refused, a good one needs no Origin", async () => {
    const valid = validCalls[operation]!();
    const headers = { ...valid.headers, ...browser.headers };
    const bad = await call(operation, { ...valid, key: "slip_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", headers });
    expect([bad.status, bad.body.error.code]).toEqual([401, "unauthorized"]);
    const foreign = { ...valid.headers, cookie: browser.cookie, origin: "https://elsewhere.example" };
    const good = await call(operation, { ...valid, key: target.apiKey, headers: foreign });
    expect(good.body?.error?.code).not.toBe("invalid_origin");
  });
});

describe.each(guardedRoutes.filter((operation) => operation.startsWith("GET ")))("%s", (operation) => {
  it("reads with a session from anywhere: a page of another site cannot see the answer", async () => {
    const valid = validCalls[operation]!();
    const headers = { ...valid.headers, cookie: browser.cookie, origin: "https://elsewhere.example" };
    const answer = await call(operation, { ...valid, key: null, headers });
    expect(answer.status).not.toBe(401);
    expect(answer.body?.error?.code).not.toBe("invalid_origin");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
