import { checksummed } from "@slipway/protocol/primitives";
import { settings } from "@slipway/protocol/settings";
import { describe, expect, test, vi } from "vitest";
import { createReadApp, pinnedState } from "../../../../../tests/support/server/readApp.ts";
import {
  headTime,
  insertEthUsd,
  insertIndex,
  insertToken,
  toAddress,
} from "../../../../../tests/support/server/rows.ts";
import { ethUsdPool, testManifest, wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { systemClock } from "../../systemClock.ts";

const fixture = useReadApp();
const config = async () => (await fixture.read.get("/config")).json;

describe("GET /config", () => {
  test("returns policy, contracts, manifest and the median price of ten minutes", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000, { block: 10, time: headTime - 900 });
    await insertEthUsd(db, 2_050, { block: 11, time: headTime - 200 });
    const { status, json } = await fixture.read.get("/config");
    expect(status).toBe(200);
    expect(settings.parse(json)).toEqual(json);
    expect(json.eth_usd).toBe(2_000);
    expect(json).toMatchObject({
      api_version: "0.1.0",
      chain_id: 46630,
      eth_usd_source_pool: checksummed(ethUsdPool),
      eth_usd_as_of: new Date((headTime - 200) * 1000).toISOString(),
      quote: "usd",
      oracle: {
        ...{
          base_token: checksummed(wrappedNative),
          method: "twap",
          window_seconds: 600,
          block_number: 11,
          stale: false,
        },
        ...{ reason: null, quote_token: checksummed(testManifest.eth_usd!.stablecoin.address) },
      },
      fee_policy: { protocol_bps: 10 },
      providers: { wallet: { available: true }, code_host: { available: false }, social: { available: false } },
      gas_station: { available: false, station: null, tokens: [{ symbol: "USDx", decimals: 6, permit: true }] },
      manifest: { sha256: "ab".repeat(32), pinned: true, verified: true, verified_at_block: 7 },
    });
    expect(json.oracle.deviation_bps).toBe(250);
    expect(json.chain).toEqual({
      name: "Chain 46630",
      native_currency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpc_urls: [],
      explorer_url: testManifest.explorer_url,
      testnet: true,
    });
    expect(json.paymaster_url).toBeNull();
    for (const name of ["launch_factory", "splitter_factory", "splitter_implementation"] as const)
      expect(json.contracts[name]).toBe(checksummed(testManifest.current[name].address));
    expect(json.capabilities.launch).toEqual({ configured: true, reason: null });
  });

  test("shows the operator's paymaster to everybody, exactly as configured", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const url = "https://paymaster.example/v2/46630/rpc?policy=launch";
    const { json } = await (await createReadApp(db, { PAYMASTER_URL: url })).get("/config");
    expect(settings.parse(json)).toEqual(json);
    expect(json.paymaster_url).toBe(url);
  });

  test("returns how much of the ten minutes the observations cover; a pool without trades is not stale", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000, { time: headTime - 599 });
    expect((await config()).oracle).toMatchObject({ method: "twap", window_seconds: 599, price: 2_000, stale: false });
    await db.indexer.query("update chain.eth_usd set block_time = $1", [headTime - 10_000_000]);
    const later = (await (await createReadApp(db)).get("/config")).json;
    expect(later.oracle).toMatchObject({ method: "twap", window_seconds: 600, stale: false });
    expect(later.eth_usd).toBeCloseTo(2_000, 6);
  });

  test.each([
    ["no_pool", async () => fixture.read.setManifest(pinnedState({ ...testManifest, eth_usd: null }))],
    [
      "thin_liquidity",
      async () => void (await fixture.database.db.indexer.query("update chain.eth_usd set liquidity = 1000")),
    ],
    ["stale", async () => void (await fixture.database.db.indexer.query("update chain.status set state = 'halted'"))],
    ["stale", async () => void (await fixture.database.db.indexer.query("delete from chain.eth_usd"))],
    ["stale", async () => void (await fixture.database.db.indexer.query("delete from chain.checkpoint"))],
    ["deviation", async () => await insertEthUsd(fixture.database.db, 2_500, { block: 99, time: headTime - 10 })],
  ])("returns a null price with the reason %s", async (reason, spoil) => {
    await insertIndex(fixture.database.db);
    await insertEthUsd(fixture.database.db, 2_000);
    await spoil();
    const { status, json } = await fixture.read.get("/config");
    expect(status).toBe(200);
    expect(settings.parse(json)).toEqual(json);
    expect([json.eth_usd, json.quote, json.oracle.price, json.oracle.reason]).toEqual([null, "eth", null, reason]);
    expect(json.oracle.stale).toBe(reason === "stale");
  });

  test("uses the price of an untraded pool, whose liquidity is unknown", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 3_000, { liquidity: null, time: headTime - 60 });
    const { eth_usd, oracle } = await config();
    expect([eth_usd, oracle.reason, oracle.window_seconds]).toEqual([3_000, null, 60]);
    expect(oracle).not.toHaveProperty("liquidity");
  });

  test("C2-76 a pool without liquidity after its last swap has no price", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 9_000, { liquidity: 0n });
    const { eth_usd, oracle } = await config();
    expect([eth_usd, oracle.price, oracle.reason, oracle.liquidity]).toEqual([null, null, "thin_liquidity", "0"]);
  });

  test.each([
    ["reliable", async () => undefined],
    [
      "too thin",
      async () => void (await fixture.database.db.indexer.query("update chain.eth_usd set liquidity = 1000")),
    ],
    ["deviating", async () => await insertEthUsd(fixture.database.db, 2_500, { block: 99, time: headTime - 10 })],
    ["not named", async () => fixture.read.setManifest(pinnedState({ ...testManifest, eth_usd: null }))],
    ["without observation", async () => void (await fixture.database.db.indexer.query("delete from chain.eth_usd"))],
  ])("has the same quote as the token list while the pool is %s", async (_name, spoil) => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000);
    await insertToken(db, 1);
    await spoil();
    const [mine, list] = [await config(), (await fixture.read.get("/tokens")).json];
    expect(list.quote).toBe(mine.quote);
    expect(list.items[0].price_usd === null).toBe(mine.eth_usd === null);
  });

  test("omits a gas token that failed its own checks", async () => {
    await insertIndex(fixture.database.db);
    const disabledGasTokens = new Set([testManifest.gas_station_tokens[0]!.address.toLowerCase()]);
    fixture.read.setManifest({ ...pinnedState(testManifest), disabledGasTokens });
    expect((await config()).gas_station.tokens).toEqual([]);
  });

  test("reports the capabilities that a missing manifest leaves unconfigured", async () => {
    await insertIndex(fixture.database.db);
    fixture.read.setManifest(pinnedState(null));
    const missing = await fixture.read.get("/config");
    expect([missing.status, missing.json.error.code]).toEqual([503, "manifest_missing"]);
    const named = await createReadApp(fixture.database.db, { CHAIN_ID: "46630" });
    named.setManifest(pinnedState(null));
    const { status, json } = await named.get("/config");
    expect(status).toBe(200);
    expect(json).toMatchObject({ chain_id: 46630, contracts: {}, eth_usd: null, eth_usd_source_pool: "" });
    expect(json.manifest).toEqual({ sha256: null, pinned: false, verified: false, verified_at_block: null });
    const missingReason = { configured: false, reason: "No manifest is configured." };
    expect(json.capabilities).toMatchObject({ index: missingReason, trade: missingReason });
    expect(json.fee_policy.tiers.map((tier: any) => [tier.fee_bps, tier.protocol_bps, tier.launchable])).toEqual([
      ...[
        [100, 10, true],
        [50, 10, false],
        [30, 10, false],
        [10, 10, false],
      ],
    ]);
  });

  test("returns 503 storage_unavailable when the database does not answer", async () => {
    const { openDatabase } = await import("../../db/database.ts");
    const own = openDatabase(
      { ...fixture.read.deps.config, DATABASE_URL: "postgres://127.0.0.1:1/none" },
      fixture.read.deps.log,
    );
    const read = await createReadApp(own);
    const { status, json } = await read.get("/config");
    expect([status, json.error.code]).toEqual([503, "storage_unavailable"]);
  });
});

describe("GET /qr.png", () => {
  const address = `0x${"Ab".repeat(20)}`;

  test.each([address, `ethereum:${address}`, `${address}@46630`, `ethereum:${address}@1`, `${address}@12345678`])(
    "renders %s",
    async (text) => {
      const { status, headers, body } = await fixture.read.get(`/qr.png?text=${encodeURIComponent(text)}`);
      expect([status, headers["content-type"]]).toEqual([200, "image/png"]);
      expect(body.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
      const again = await fixture.read.get(`/qr.png?text=${encodeURIComponent(text)}`);
      expect(again.body.equals(body)).toBe(true);
    },
  );

  test("marks the code of the zero address and of a wrong checksum", async () => {
    for (const text of [toAddress(0), `ethereum:${toAddress(0)}@1`]) {
      const { status, headers } = await fixture.read.get(`/qr.png?text=${text}`);
      expect([status, headers["slipway-warning"]]).toEqual([200, "zero_address"]);
    }
    const mistyped = await fixture.read.get(`/qr.png?text=${address}`);
    expect([mistyped.status, mistyped.headers["slipway-warning"]]).toEqual([200, "address_checksum"]);
    const other = await fixture.read.get(`/qr.png?text=${address.toLowerCase()}`);
    expect(other.headers["slipway-warning"]).toBeUndefined();
  });

  test.each([
    "",
    "?text=",
    `?text=${address}0`,
    "?text=0x12",
    `?text=Ethereum:${address}`,
    `?text=${address}@`,
    `?text=${address}@123456789`,
    `?text=%20${address}`,
    `?text=${address}%0A`,
    `?text=${address}&text=${address}`,
    `?text=https://example.org`,
  ])("rejects %s", async (query) => {
    const { status, json } = await fixture.read.get(`/qr.png${query}`);
    expect([status, json.error.code]).toEqual([400, "invalid_query"]);
  });
});

describe("monitoring", () => {
  test("GET /healthz returns 200 without database and chain", async () => {
    fixture.read.breakChain();
    const { status, json, headers } = await fixture.read.get("/healthz");
    expect([status, json, headers["cache-control"]]).toEqual([200, { status: "alive" }, "no-store"]);
  });

  test("GET /readyz returns 200 when database, chain, index and manifest are ready", async () => {
    await insertIndex(fixture.database.db);
    const { status, json, headers } = await fixture.read.get("/readyz");
    const passed = { ok: true, reason: null };
    expect(status).toBe(200);
    expect(json).toEqual({
      ready: true,
      checks: { process: passed, database: passed, writes: passed, chain: passed, index: passed, manifest: passed },
      database: { reads_from: "primary", replica_lag_ms: null },
      index: { indexed_block: 5_000, head_block: 5_000, lag_seconds: 0 },
      manifest: { sha256: "ab".repeat(32), pinned: true, verified: true, verified_at_block: 7 },
      history: { available: false, configured: false, reason: null },
      gas_station: { available: false, configured: false, reason: "Not configured by the operator." },
    });
    expect(headers["cache-control"]).toBe("no-store");
  });

  test.each<[string, () => Promise<void>]>([
    ["chain", async () => fixture.read.breakChain()],
    ["chain", async () => fixture.read.serveChain(1)],
    [
      "index",
      async () =>
        void (await fixture.database.db.indexer.query("update chain.status set state = 'halted', reason = 'x'")),
    ],
    ["manifest", async () => fixture.read.setManifest(pinnedState(null))],
    ["manifest", async () => fixture.read.setManifest({ ...pinnedState(testManifest), verified: false })],
  ])("GET /readyz returns 503 with the missing part (%s), without a secret", async (part, spoil) => {
    await insertIndex(fixture.database.db);
    await spoil();
    const { status, json, body } = await fixture.read.get("/readyz");
    expect([status, json.ready]).toEqual([503, false]);
    const missing = Object.entries<any>(json.checks).filter(([, check]) => !check.ok);
    expect(missing.map(([name]) => name)).toEqual([part]);
    expect(missing[0]![1].reason).toMatch(/\w+ .*\.$/);
    expect(body.toString()).not.toMatch(/secret|ECONNREFUSED/);
  });

  test("GET /readyz names both chains while the endpoint serves another chain, and is ready afterwards", async () => {
    await insertIndex(fixture.database.db);
    fixture.read.serveChain(1);
    const reason = "The chain's endpoint serves chain 1, not 46630.";
    expect((await fixture.read.get("/readyz")).json.checks.chain).toEqual({ ok: false, reason });
    fixture.read.serveChain(46_630);
    await vi.waitFor(async () => expect((await fixture.read.get("/readyz")).status).toBe(200));

    const named = await createReadApp(fixture.database.db, { CHAIN_ID: "4663" });
    named.setManifest(pinnedState(null));
    const wanted = "The chain's endpoint serves chain 46630, not 4663.";
    expect((await named.get("/readyz")).json.checks.chain).toEqual({ ok: false, reason: wanted });
    const unnamed = await createReadApp(fixture.database.db);
    unnamed.setManifest(pinnedState(null));
    expect((await unnamed.get("/readyz")).json.checks.chain).toEqual({ ok: true, reason: null });
  });

  test("GET /readyz calls the chain at most four times a second under any load", async () => {
    await insertIndex(fixture.database.db);
    const { chain } = fixture.read.deps;
    const { request } = chain;
    let calls = 0;
    chain.request = async (call) => {
      if (call.method === "eth_blockNumber") calls++;
      return await request(call);
    };
    const started = performance.now();
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 20 }, () => fixture.read.get("/readyz")));
    expect(calls).toBeLessThanOrEqual((performance.now() - started) / 250 + 2);
  });

  test("GET /readyz returns 200 with an unavailable gas station", async () => {
    await insertIndex(fixture.database.db);
    const read = await createReadApp(fixture.database.db, { RELAYER_PRIVATE_KEY: `0x${"11".repeat(32)}` });
    read.setManifest(
      pinnedState({
        ...testManifest,
        gas_station: {
          ...testManifest.current.launch_factory,
          owner: testManifest.treasury,
          relayer: testManifest.treasury,
        },
      }),
    );
    const { status, json } = await read.get("/readyz");
    expect([status, json.ready]).toEqual([200, true]);
    const unavailable = { available: false, configured: true, reason: "Gas station status is unavailable." };
    expect(json.gas_station).toEqual(unavailable);
  });

  test("GET /readyz returns 503 when the database does not answer", async () => {
    const { openDatabase } = await import("../../db/database.ts");
    const own = openDatabase(
      { ...fixture.read.deps.config, DATABASE_URL: "postgres://u:secret@127.0.0.1:1/none" },
      fixture.read.deps.log,
    );
    const read = await createReadApp(own);
    const { status, json, body } = await read.get("/readyz");
    expect([status, json.checks.database.ok, json.checks.index.ok]).toEqual([503, false, false]);
    expect(body.toString()).not.toMatch(/secret|127\.0\.0\.1/);
  });

  test("C4-57 GET /readyz runs its checks once for all requests while the chain does not answer", async () => {
    let offsetMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + offsetMs };
    const read = await createReadApp(fixture.database.db, {}, clock);
    const answered = Promise.withResolvers<string>();
    const request = vi.spyOn(read.deps.chain, "request").mockReturnValue(answered.promise as never);
    const answers = [];
    for (let n = 0; n < 10; n++) {
      answers.push(read.get("/readyz"));
      await vi.waitFor(() => expect(request).toHaveBeenCalled(), { interval: 1 });
      // Longer than the lifetime of a result.
      offsetMs += 1_000;
    }
    answered.resolve(`0x${testManifest.chain_id.toString(16)}`);
    for (const { json } of await Promise.all(answers)) expect(json.checks.chain.ok).toBe(true);
    // The chain id and the newest block.
    expect(request).toHaveBeenCalledTimes(2);
  });

  test("C4-57 GET /metrics is formatted once for all requests of a second, and counts as a read", async () => {
    const read = await createReadApp(fixture.database.db, { READ_LIMIT_PER_SECOND: "1", READ_LIMIT_BURST: "50" });
    const format = vi.spyOn(read.deps.metrics.registry, "metrics");
    const answers = await Promise.all(Array.from({ length: 60 }, () => read.get("/metrics")));
    expect(format).toHaveBeenCalledTimes(1);
    expect(answers.filter(({ status }) => status === 200).length).toBe(50);
    expect(answers.filter(({ status }) => status === 429).length).toBe(10);
  });

  test("C4-57 GET /metrics is not found at the public port if metrics have a port of their own", async () => {
    const read = await createReadApp(fixture.database.db, { METRICS_PORT: "0" });
    const { status, json } = await read.get("/metrics");
    expect([status, json.error.code]).toEqual([404, "not_found"]);
  });

  test("GET /metrics returns Prometheus text", async () => {
    const { status, headers, body } = await fixture.read.get("/metrics");
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^text\/plain/);
    expect(body.toString()).toMatch(/^# HELP slipway_http_request_duration_seconds /m);
  });
});
