import { request } from "node:http";
import { errorBody } from "@slipway/protocol/errorBody";
import { endPlans, startPlan } from "@slipway/server/accounts/plans";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, openLive, refusedLive } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

let service: LiveService;
let site: string;
let subscriber: SubscriberAccount;

beforeAll(async () => {
  service = await startLiveService();
  ({ url: site } = await service.openServer({ WS_RECHECK_MS: "50" }));
  subscriber = await service.createSubscriber();
});
afterAll(() => service?.close());

/** Returns status and code of a rejection, which must be an Error of this API. */
async function refusal(options: Parameters<typeof refusedLive>[1]): Promise<[number, string]> {
  const { status, headers, body } = await refusedLive(site, options);
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers["x-request-id"]).toBe(errorBody.parse(body).error.request_id);
  if (status === 401) expect(headers["www-authenticate"]).toBe("Bearer");
  return [status, body.error.code];
}

describe("C6-01 handshakes of WS /ws", () => {
  it("C6-01 refuses a handshake without a credential, with a bad, revoked or expired one, with 401", async () => {
    const revoked = await service.createSubscriber();
    const expired = await service.createSubscriber();
    await service.db.indexer.query("update app.api_keys set revoked_at = now() where id = $1", [revoked.keyId]);
    await service.db.indexer.query("update app.api_keys set expires_at = now() where id = $1", [expired.keyId]);
    const handshakes: Record<string, string>[] = [
      {},
      { authorization: "Basic YTpi" },
      bearer("slip_unknown_key"),
      { cookie: "slipway.session_token=forged.signature" },
      bearer(revoked.key),
      bearer(expired.key),
    ];
    for (const headers of handshakes) {
      expect(await refusal({ headers })).toEqual([401, "unauthorized"]);
    }
  });

  it("C6-01 refuses an account without a plan, or whose plan has ended, with 403", async () => {
    const none = await service.createSubscriber({ plan: false });
    const ended = await service.createSubscriber();
    await endPlans(service.db.indexer, ended.id);
    for (const { key } of [none, ended]) {
      expect(await refusal({ headers: bearer(key) })).toEqual([403, "plan_required"]);
    }
  });

  it("C6-01 refuses a credential in query, path, userinfo or subprotocol, also beside a good one", async () => {
    const headers = bearer(subscriber.key);
    for (const path of [`/ws?access_token=${subscriber.key}`, `/ws?x=${subscriber.key}`, `/ws/${subscriber.key}`]) {
      expect(await refusal({ headers, path })).toEqual([400, "credentials_in_url"]);
      expect(await refusal({ path })).toEqual([400, "credentials_in_url"]);
    }
    expect(await refusal({ headers, protocols: ["bearer", "abc"] })).toEqual([400, "credentials_in_url"]);
    // Clients convert userinfo to a header, but a request line can still contain it.
    expect(await rawUpgrade(`http://user:secret@127.0.0.1/ws`, headers)).toBe(400);
  });

  it("C6-01 answers 404 on other paths, 400 to a handshake that is none, and leaves other upgrades alone", async () => {
    const headers = bearer(subscriber.key);
    expect(await refusal({ headers, path: "/ws/other" })).toEqual([404, "not_found"]);
    expect(await refusal({ headers, path: "/api/v1/launchpad/stream" })).toEqual([404, "not_found"]);
    expect(await rawUpgrade("/ws", { ...headers, "sec-websocket-key": "short" })).toBe(400);
    expect(await rawUpgrade("/healthz", { connection: "Upgrade", upgrade: "h2c" })).toBe(200);
  });

  it("C6-01 accepts a subscriber's key from any Origin: no cookie is involved", async () => {
    const client = await openLive(site, { ...bearer(subscriber.key), origin: "https://elsewhere.example" });
    client.send({ type: "ping", id: "1" });
    await client.until((messages) => messages.some((message) => message.type === "pong" && message.id === "1"));
    client.ws.close();
    expect((await client.untilClosed()).code).toBe(1005);
  });

  it("C6-01 closes 4403 when the plan ends mid-stream, for each connection of the account and no other", async () => {
    const account = await service.createSubscriber();
    const other = await openLive(site, bearer(subscriber.key));
    const clients = [await openLive(site, bearer(account.key)), await openLive(site, bearer(account.key))];
    await endPlans(service.db.indexer, account.id);
    for (const client of clients) {
      expect(await client.untilClosed()).toEqual({ code: 4403, reason: "the plan has ended" });
    }
    expect(other.closed()).toBeNull();
    other.ws.close();
  });

  it("C6-01 closes 4401 when the key is revoked mid-stream", async () => {
    const account = await service.createSubscriber();
    const client = await openLive(site, bearer(account.key));
    await service.db.indexer.query("update app.api_keys set revoked_at = now() where id = $1", [account.keyId]);
    expect(await client.untilClosed()).toEqual({ code: 4401, reason: "the credential is no longer valid" });
  });

  it("C6-01 accepts a session from a page of the site alone, and closes 4401 when it is signed out", async () => {
    const origin = "https://launch.example";
    const { url } = await service.openServer({
      SITE_URL: origin,
      AUTH_SECRET: "a secret of this test alone, 40 characters",
      CHAIN_ID: "46630",
      WS_RECHECK_MS: "50",
    });
    const { accountId, cookie } = await signIn(url);
    expect((await refusedLive(url, { headers: { cookie, origin } })).body.error.code).toBe("plan_required");
    await startPlan(service.db.indexer, accountId, "subscriber");
    const elsewhere: Record<string, string>[] = [
      { cookie },
      { cookie, origin: "null" },
      { cookie, origin: "https://evil.example" },
      { cookie, origin: "https://a.launch.example" },
      { cookie, origin: "http://launch.example" },
      { cookie, origin: "https://launch.example:444" },
    ];
    for (const headers of elsewhere) {
      const { status, body } = await refusedLive(url, { headers });
      expect([headers.origin, status, body.error.code]).toEqual([headers.origin, 403, "invalid_origin"]);
    }
    const client = await openLive(url, { cookie, origin });
    const out = await fetch(`${url}/api/auth/sign-out`, { method: "POST", headers: { cookie, origin } });
    expect(out.ok).toBe(true);
    expect((await client.untilClosed()).code).toBe(4401);
  });

  it("C6-01 bounds connections of an account and of an address, SSE and WebSockets together", async () => {
    const { url } = await service.openServer({ STREAMS_PER_ACCOUNT: "1", STREAMS_PER_ADDRESS: "2" });
    const other = await service.createSubscriber();
    const first = await openLive(url, bearer(subscriber.key));
    const again = await refusedLive(url, { headers: bearer(subscriber.key) });
    expect([again.status, again.body.error.code]).toEqual([429, "rate_limited"]);
    expect(again.headers["retry-after"]).toBeDefined();
    const events = new AbortController();
    const stream = `${url}/api/v1/launchpad/stream`;
    expect((await fetch(stream, { signal: events.signal })).status).toBe(200);
    expect((await refusedLive(url, { headers: bearer(other.key) })).status).toBe(429);
    expect((await fetch(stream)).status).toBe(429);
    first.ws.close();
    await first.untilClosed();
    await openAgain(url, other.key);
    events.abort();
  });

  it("C6-01 refuses handshakes while the index is not live, with 503", async () => {
    await service.db.indexer.query("update chain.status set state = 'halted'");
    try {
      const { url } = await service.openServer();
      const { status, body } = await refusedLive(url, { headers: bearer(subscriber.key) });
      expect([status, body.error.code]).toEqual([503, "index_unavailable"]);
    } finally {
      await service.db.indexer.query("update chain.status set state = 'live'");
    }
  });
});

/** A slot is released when the server has seen the end, which the client cannot know. */
async function openAgain(url: string, key: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      const client = await openLive(url, bearer(key));
      client.ws.close();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Returns the status of an upgrade request that no WebSocket client would send. */
async function rawUpgrade(target: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(site);
  return await new Promise((resolve, reject) => {
    const sent = request({
      host: hostname,
      port,
      path: target,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.once("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("the upgrade was accepted"));
    });
    sent.once("error", reject);
    sent.end();
  });
}
