import { randomBytes } from "node:crypto";
import { startPlan } from "@slipway/server/accounts/plans";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { bearer, openLive } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const origin = "https://launch.example";

let service: LiveService;
let site: string;

beforeAll(async () => {
  service = await startLiveService();
  // No connection closes because of the interval.
  const signInSettings = { SITE_URL: origin, AUTH_SECRET: randomBytes(32).toString("hex"), CHAIN_ID: "46630" };
  ({ url: site } = await service.openServer({ ...signInSettings, WS_RECHECK_MS: "3600000" }));
});
afterAll(() => service?.close());

const unauthorized = { code: 4401, reason: "the credential is no longer valid" };
const openSession = async () => {
  const { accountId, cookie } = await signIn(site);
  await startPlan(service.db.indexer, accountId, "subscriber");
  const headers = { cookie, origin };
  return { accountId, headers, client: await openLive(site, headers) };
};

describe("C4-18 an open WebSocket", () => {
  it("C4-18 is closed when its key is revoked or expires, and the other accounts' stay", async () => {
    const [revoked, expired, other] = await Promise.all([1, 2, 3].map(() => service.createSubscriber()));
    await service.db.indexer.query("update app.api_keys set expires_at = now() + interval '5 seconds' where id = $1", [
      expired!.keyId,
    ]);
    const clients = await Promise.all([revoked, expired, other].map((one) => openLive(site, bearer(one!.key))));
    await service.db.indexer.query("update app.api_keys set revoked_at = now() where id = $1", [revoked!.keyId]);
    expect(await clients[0]!.untilClosed()).toEqual(unauthorized);
    expect(await clients[1]!.untilClosed()).toEqual(unauthorized);
    expect(clients[2]!.closed()).toBeNull();
    clients[2]!.ws.close();
  });

  it("C4-18 is closed when its browser signs out, and when another one signs out everywhere", async () => {
    const one = await openSession();
    const two = await openSession();
    const send = async (method: string, path: string, headers: Record<string, string>) =>
      expect((await fetch(`${site}${path}`, { method, headers })).status).toBe(200);
    await send("POST", "/api/auth/sign-out", one.headers);
    expect(await one.client.untilClosed()).toEqual(unauthorized);
    expect(two.client.closed()).toBeNull();
    await send("DELETE", "/api/account/sessions", two.headers);
    expect(await two.client.untilClosed()).toEqual(unauthorized);
  });

  it("C4-18 is closed when the session expires", async () => {
    const { accountId, client } = await openSession();
    await service.db.indexer.query("update app.sessions set expires_at = now() where user_id = $1", [accountId]);
    expect(await client.untilClosed()).toEqual(unauthorized);
  });
});
