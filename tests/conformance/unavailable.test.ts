import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Call } from "../support/conformance/call.ts";
import { accountRoutes, foreignFeedRoutes, signInRoutes } from "../support/conformance/routeTables.ts";
import { type Api, startApi } from "../support/conformance/startApi.ts";
import { type SeverableProxy, startSeverableProxy } from "../support/conformance/startSeverableProxy.ts";
import { statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newOpening, validCalls } from "../support/conformance/validCalls.ts";

/** A port without a listener: the system never assigns ports below 1024. */
const closedPort = "http://127.0.0.1:9";

const observed = new Set<string>();
const { inside, fixture, rpcUrl } = target;
const settings = () => ({
  DATABASE_URL: inside!.databaseUrl,
  RPC_URL: rpcUrl!,
  MANIFEST_PATH: inside!.manifestPath,
  MANIFEST_SHA256: inside!.manifestSha256,
});

/** The operations that build transactions or read the chain, with calls that reach the chain. */
const chainCalls: Record<string, () => Call> = {
  "POST /splits/transactions": () => ({ body: { intent_id: fixture!.intentId, wallet: fixture!.creator } }),
  "POST /launch/transactions": () => ({
    body: {
      intent_id: fixture!.intentId,
      wallet: fixture!.creator,
      splitter: fixture!.splitter,
      salt: `0x${"7".repeat(64)}`,
    },
  }),
  "POST /launch/calls": () => ({
    body: { intent_id: fixture!.intentId, wallet: fixture!.creator, splitter: null, salt: `0x${"7".repeat(64)}` },
  }),
  "POST /vestings/transactions": () => ({ body: { intent_id: fixture!.vested.intentId, wallet: fixture!.creator } }),
  "POST /vestings/release-transactions": () => ({ body: { token: fixture!.vested.token, wallet: fixture!.creator } }),
  "POST /openings/transactions": () => ({ body: newOpening(fixture!.opening.intentId, fixture!.creator) }),
  "POST /openings/{address}/deposits/transactions": validCalls["POST /openings/{address}/deposits/transactions"]!,
  "POST /openings/{address}/claims/transactions": validCalls["POST /openings/{address}/claims/transactions"]!,
  "POST /openings/{address}/authorizations": validCalls["POST /openings/{address}/authorizations"]!,
  "POST /openings/{address}/open/transactions": validCalls["POST /openings/{address}/open/transactions"]!,
  "POST /openings/{address}/close/transactions": validCalls["POST /openings/{address}/close/transactions"]!,
  "POST /launch/cancel/transactions": () => ({ body: { wallet: fixture!.creator } }),
  "POST /launch/preview": () => ({ body: { intent_id: fixture!.intentId, wallet: fixture!.creator } }),
  "GET /intents/{id}/progress": () => ({ path: { id: fixture!.intentId } }),
  "POST /trade/quote": validCalls["POST /trade/quote"]!,
  "POST /trade/transactions": validCalls["POST /trade/transactions"]!,
  "POST /trade/calls": validCalls["POST /trade/calls"]!,
  "POST /fees/claim-transactions": validCalls["POST /fees/claim-transactions"]!,
  "GET /fees/positions": validCalls["GET /fees/positions"]!,
  "GET /fees/pending": validCalls["GET /fees/pending"]!,
  "GET /wallets/{address}/fees/pending": validCalls["GET /wallets/{address}/fees/pending"]!,
  "POST /fees/claim-calls": validCalls["POST /fees/claim-calls"]!,
  "POST /fees/payout-transactions": validCalls["POST /fees/payout-transactions"]!,
  "POST /gas/quote": validCalls["POST /gas/quote"]!,
  "POST /gas/topup": validCalls["POST /gas/topup"]!,
};
const indexReads = [
  "GET /tokens",
  "GET /tokens/{address}",
  "GET /tokens/{address}/trades",
  "GET /tokens/{address}/candles",
  "GET /tokens/{address}/holders",
  "GET /tokens/{address}/traders",
  "GET /tokens/{address}/liquidity-changes",
  "GET /tokens/{address}/depth",
  "GET /analytics/history",
  "GET /wallets/{address}/fees",
  "GET /tokens/{address}/facts",
  "GET /tokens/{address}/vesting",
  "GET /openings",
  "GET /openings/{address}",
  "GET /openings/{address}/deposits",
  "GET /wallets/{address}",
  "GET /gallery",
  "GET /tokens/{address}/contract-uri",
  "GET /feeds/tokenlist.json",
  "GET /events",
  "GET /pools/{address}",
  ...foreignFeedRoutes,
  "GET /og/{name}",
  "GET /analytics",
];

/** Defines a cell of status 503 with this code, on a server with this fault. */
function unavailable(
  operation: string,
  code: string,
  name: string,
  api: () => Api,
  call = validCalls[operation]!,
): void {
  const prove = async () => {
    const { status, body, headers } = await api().call(operation, call());
    expect([status, body.error.code]).toEqual([503, code]);
    expect(headers.get("retry-after")).toMatch(/^\d+$/);
    expect(headers.get("cache-control")).toBe("no-store");
    for (const one of api().observed) observed.add(one);
  };
  statusCase(operation, 503, name, prove, { observed, signs: true });
}

describe.skipIf(inside === null || fixture === null)("without its database", () => {
  let api: Api;
  let proxy: SeverableProxy;
  beforeAll(async () => {
    proxy = await startSeverableProxy(inside!.databaseUrl);
    api = await startApi({ ...settings(), DATABASE_URL: proxy.url }, target.apiKey);
    await proxy.cut();
  });
  afterAll(() => api?.stop());

  for (const operation of [
    ...Object.keys(chainCalls),
    ...indexReads,
    "GET /gas/topups/{hash}",
    "GET /connections",
    "GET /recipients",
    ...accountRoutes,
    "POST /intents",
    "GET /intents",
    "GET /intents/{id}",
    "PUT /intents/{id}/options",
    "DELETE /intents/{id}",
    "POST /images",
    "POST /api/forecast/line",
    "POST /api/forecast/lines",
    "GET /api/risk",
    "GET /api/risk/{pair}",
    "POST /api/alerts",
    "GET /api/alerts",
    "DELETE /api/alerts/{id}",
    "POST /api/webhooks",
    "GET /api/webhooks",
    "PATCH /api/webhooks/{id}",
    "DELETE /api/webhooks/{id}",
    "GET /api/webhooks/{id}/deliveries",
    "POST /api/webhooks/{id}/replay",
    "POST /api/webhooks/{id}/test",
    "POST /api/webhooks/{id}/secret",
    "GET /media/{name}",
    "GET /media/{sha256}/{size}",
    "GET /businesses",
    "GET /businesses/{id}",
    "GET /directory",
    "GET /api/markets",
    "GET /api/markets/{pair}/bars",
    "GET /api/trading-bot/public-signals-latest",
    "GET /api/trading-bot/public-signals",
    "GET /api/trading-bot/signal-records",
    "POST /businesses",
    "PUT /businesses/{id}",
    "DELETE /businesses/{id}",
    "POST /businesses/{id}/website-proof",
    "POST /reports",
    "GET /config",
  ]) {
    unavailable(operation, "storage_unavailable", "says that the storage is unavailable", () => api);
  }

  for (const operation of signInRoutes) {
    unavailable(
      operation,
      "provider_unavailable",
      "refuses every sign-in without AUTH_SECRET, and every ticket without ALERT_SECRET",
      () => api,
    );
  }

  unavailable(
    "GET /stream",
    "storage_unavailable",
    "says that the storage is unavailable",
    () => api,
    () => ({}),
  );

  statusCase(
    "GET /readyz",
    503,
    "is not ready and names the database",
    async () => {
      const { status, body } = await api.call("GET /readyz");
      expect([status, body.ready, body.checks.database.ok]).toEqual([503, false, false]);
      observed.add("GET /readyz 503");
    },
    { observed, signs: true },
  );

  statusCase(
    "GET /healthz",
    200,
    "is alive all the same",
    async () => {
      expect((await api.call("GET /healthz")).status).toBe(200);
      observed.add("GET /healthz 200");
    },
    { observed, signs: true },
  );
});

describe.skipIf(inside === null || fixture === null)("with a database that nothing was indexed into", () => {
  const name = `conformance_${randomUUID().replaceAll("-", "")}`;
  let api: Api;
  const withOwner = async (sql: string) => {
    const client = new pg.Client({ connectionString: inside!.databaseUrl });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    await withOwner(`create database ${name}`);
    const url = new URL(inside!.databaseUrl);
    url.pathname = `/${name}`;
    api = await startApi({ ...settings(), DATABASE_URL: url.href }, target.apiKey);
  });
  afterAll(async () => {
    await api?.stop();
    await withOwner(`drop database if exists ${name} with (force)`);
  });

  for (const operation of indexReads) {
    unavailable(operation, "index_unavailable", "never answers as if there were nothing", () => api);
  }
});

describe.skipIf(inside === null || fixture === null)("without a manifest", () => {
  let api: Api;
  beforeAll(async () => {
    const { DATABASE_URL, RPC_URL } = settings();
    api = await startApi({ DATABASE_URL, RPC_URL }, target.apiKey);
  });
  afterAll(() => api?.stop());

  for (const [operation, call] of Object.entries(chainCalls)) {
    unavailable(operation, "manifest_missing", "builds nothing and reads no contract", () => api, call);
  }
  unavailable("GET /config", "manifest_missing", "cannot say which chain it serves", () => api);
  for (const operation of ["GET /.well-known/erc7730", "GET /.well-known/erc7730/{name}"]) {
    unavailable(operation, "manifest_missing", "describes no contract", () => api);
  }
});

describe.skipIf(inside === null || fixture === null)("with a manifest that is not the pinned one", () => {
  it("does not start", async () => {
    const start = startApi({ ...settings(), MANIFEST_SHA256: "0".repeat(64) }, target.apiKey);
    await expect(start).rejects.toThrow("MANIFEST_SHA256: the manifest's SHA-256 is");
  });
});

describe.skipIf(inside === null || fixture === null)("with a chain that never answered", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi({ ...settings(), RPC_URL: closedPort }, target.apiKey);
  });
  afterAll(() => api?.stop());

  for (const [operation, call] of Object.entries(chainCalls)) {
    unavailable(operation, "manifest_unverified", "has proven nothing and builds nothing", () => api, call);
  }
});

describe.skipIf(inside === null || fixture === null)("with a chain that was proven and then fell silent", () => {
  let api: Api;
  beforeAll(async () => {
    const proxy = await startSeverableProxy(rpcUrl!);
    api = await startApi({ ...settings(), RPC_URL: proxy.url, RPC_TIMEOUT_MS: "20000" }, target.apiKey);
    await proxy.cut();
  });
  afterAll(() => api?.stop());

  for (const [operation, call] of Object.entries(chainCalls)) {
    // Without a relayer's key the station is closed before any request to the chain.
    if (operation.includes(" /gas/")) continue;
    unavailable(operation, "chain_unavailable", "says that the chain does not answer", () => api, call);
  }
});
