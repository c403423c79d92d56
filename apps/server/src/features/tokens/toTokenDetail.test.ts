import { draftCommitment } from "@slipway/protocol/draftCommitment";
import { tokenDetail } from "@slipway/protocol/indexed";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, test } from "vitest";
import { pinnedState } from "../../../../../tests/support/server/readApp.ts";
import {
  feeLockerAccount,
  headTime,
  insert,
  insertAccount,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
  insertTrade,
  lockedLiquidity,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { feeLocker, testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const token = toAddress(1_001);

describe("GET /tokens/{address}", () => {
  test("C4-23 returns links that an earlier version stored in their normal form, or null", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, { website: "https://Boat.example:443/..", image: "ipfs://x/ü" });
    await insertToken(db, 2, { website: "https://boat.example@evil.example/", image: "https://a.example/a b" });
    const list = await fixture.read.get("/tokens?sort=new");
    expect(list.json.items.map((item: { image_url: string | null }) => item.image_url)).toEqual([
      null,
      "ipfs://x/%C3%BC",
    ]);
    for (const [id, website] of [
      [1, "https://boat.example/"],
      [2, null],
    ] as const) {
      const { json } = await fixture.read.get(`/tokens/${toAddress(1_000 + id)}`);
      expect(json.website).toBe(website);
    }
  });

  test("returns an untraded token at its start price", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, { description: "A boat", website: "https://boat.example/", image: "ipfs://x" });
    const { status, json } = await fixture.read.get(`/tokens/${token}`);
    expect(status).toBe(200);
    expect(tokenDetail.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      address: checksummed(token),
      description: "A boat",
      website: "https://boat.example/",
      image_url: "ipfs://x",
      total_supply: "1000000000000000000000000000",
      splitter: checksummed(toAddress(4_001)),
      recipients: [],
      trades: [],
      liquidity_lock: { locker: checksummed(feeLocker), percent_locked: 100, withdrawable: false },
      pool_state: {
        tick: -203200,
        liquidity: "10000000000000000000000",
        pool_protocol_fee: 0,
        lp_fee_bps_effective: 100,
      },
      security: { mintable: false, pausable: false, owner: null, permit: true, source_verified: null },
      top10_holders_pct: 0,
      links: { explorer: `https://explorer.example/token/${checksummed(token)}`, x: null, website2: null },
      warnings: [{ code: "splitter_unchecked" }],
      as_of: { block_number: 101 },
    });
    for (const window of Object.values<any>(json.windows)) {
      expect(window).toEqual({ price_change_pct: 0, volume_usd: 0, buys: 0, sells: 0 });
    }
    expect(json.price_eth).toBeGreaterThan(0);
    expect(json.price_usd).toBeNull();
  });

  test("returns the latest 50 trades, newest first", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    await insertAccount(db, 1);
    await insertAccount(db, 2);
    for (let n = 0; n < 60; n++) await insertTrade(db, 1, 200 + Math.floor(n / 2), { log_index: n % 2 });
    const { json } = await fixture.read.get(`/tokens/${token}`);
    expect(tokenDetail.parse(json)).toEqual(json);
    expect(json.trades).toHaveLength(50);
    expect(json.trades[0]).toMatchObject({ block_number: 229, log_index: 1, maker: checksummed(toAddress(1)) });
    expect(json.trades[1]).toMatchObject({ block_number: 229, log_index: 0 });
    expect(json.trades[49].block_number).toBe(205);
    const list = await fixture.read.get(`/tokens/${token}/trades`);
    expect(json.trades).toEqual(list.json.items);
  });

  test("sums the windows of 5 min, 1 h and 6 h by minute buckets that end with the head's minute", async () => {
    const { db } = fixture.database;
    await insertIndex(db, {}, { block_time: headTime + 30 });
    await insertToken(db, 1, {}, { price: 4 });
    const buckets: [number, number][] = [
      [0, 2],
      [240, 2],
      [300, 1],
      [3_540, 1],
      [3_600, 0.5],
      [21_540, 0.5],
      [21_600, 0.25],
    ];
    for (const [age, c] of buckets) await insertCandle(db, 1, 60, headTime - age, { c });
    const { windows } = (await fixture.read.get(`/tokens/${token}`)).json;
    expect(windows.m5).toEqual({ price_change_pct: 300, volume_usd: 4_000, buys: 4, sells: 2 });
    expect(windows.h1).toEqual({ price_change_pct: 700, volume_usd: 8_000, buys: 8, sells: 4 });
    expect(windows.h6).toEqual({ price_change_pct: 1_500, volume_usd: 12_000, buys: 12, sells: 6 });
  });

  test("returns null for a window's volume when the value of one of its trades is unknown", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    await insertCandle(db, 1, 60, headTime);
    await insertCandle(db, 1, 60, headTime - 600, { v: null });
    const { windows } = (await fixture.read.get(`/tokens/${token}`)).json;
    expect([windows.m5.volume_usd, windows.h1.volume_usd, windows.h1.buys]).toEqual([2_000, null, 4]);
  });

  test("labels recipients from the prepared draft, only for its own splitter", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const [account, intent] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
    const labels = [
      {
        wallet: checksummed(toAddress(0xbb)),
        provider: "code_host" as const,
        handle: "bee",
        share_bps: 5_000,
      },
    ];
    const content = {
      name: "Token 1",
      symbol: "T1",
      image_uri: "ipfs://x",
      chain_id: 46630,
      recipients: labels,
    } as const;
    const commitment = draftCommitment({ draftId: intent, intent: { ...content }, creator: toAddress(3) });
    await insertToken(db, 1, { contract_uri: contractUri(content, commitment) });
    const splitter = toAddress(4_001);
    await insert(db, "chain.splitters", { address: splitter, proven: true, block_number: 1 });
    for (const [position, payee] of [toAddress(0xaa), toAddress(0xbb)].entries()) {
      await insert(db, "chain.splitter_payees", { splitter, position, payee, share_bps: 5_000, block_number: 1 });
    }
    const plain = { provider: null, handle: null, verified: false, share_bps: 5_000 };
    const recipients = async () => (await fixture.read.get(`/tokens/${token}`)).json.recipients;
    expect(await recipients()).toEqual([
      { wallet: checksummed(toAddress(0xaa)), ...plain },
      { wallet: checksummed(toAddress(0xbb)), ...plain },
    ]);

    await insert(db, "app.accounts", { id: account, name: "a" });
    await insert(db, "app.intents", {
      ...{ id: intent, account_id: account, idempotency_key: "12345678", body_hash: Buffer.alloc(32) },
      intent: JSON.stringify(content),
    });
    const prepared = { intent_id: intent, account_id: account, wallet: toAddress(3) };
    await insert(db, "app.launches_prepared", { token, splitter: toAddress(1), ...prepared });
    const fresh = await import("../../../../../tests/support/server/readApp.ts").then((module) =>
      module.createReadApp(db),
    );
    expect((await fresh.get(`/tokens/${token}`)).json.recipients[1]).toEqual({
      wallet: checksummed(toAddress(0xbb)),
      ...plain,
    });
    await db.indexer.query("update app.launches_prepared set splitter = $1", [splitter]);
    const other = await import("../../../../../tests/support/server/readApp.ts").then((module) =>
      module.createReadApp(db),
    );
    expect((await other.get(`/tokens/${token}`)).json.recipients[1]).toMatchObject({
      provider: "code_host",
      handle: "bee",
    });
  });

  test("counts the ten largest holders without pool, locker and burn addresses", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    const share = 10n ** 25n;
    for (let id = 1; id <= 12; id++) {
      await insertAccount(db, id, toAddress(0xf000 + id));
      await insert(db, "chain.balances", {
        token_id: 1,
        account_id: id,
        balance: (share - BigInt(id > 10 ? 1 : 0)).toString(),
      });
    }
    const others = [toAddress(2_001), feeLockerAccount, toAddress(0), "0x000000000000000000000000000000000000dead"];
    for (const [index, address] of others.entries()) {
      await insertAccount(db, 100 + index, address);
      await insert(db, "chain.balances", { token_id: 1, account_id: 100 + index, balance: (share * 20n).toString() });
    }
    expect((await fixture.read.get(`/tokens/${token}`)).json.top10_holders_pct).toBeCloseTo(10, 10);
  });

  test.each([
    ["nothing is in range", { liquidity: "0" }, 100],
    ["half of it belongs to another owner", { liquidity: (lockedLiquidity * 2n).toString() }, 50],
    ["the price left the locked range", { liquidity: "5", tick: -203201 }, 0],
  ])("returns the locked share of the liquidity when %s", async (_name, state, expected) => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, {}, state);
    expect((await fixture.read.get(`/tokens/${token}`)).json.liquidity_lock.percent_locked).toBe(expected);
  });

  test.each([
    [0x66, 83.33],
    [0x04, 75],
    [0x60, 83.33],
  ])("subtracts Uniswap's protocol fee %i from the fee of the liquidity", async (fee, expected) => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, {}, { pool_protocol_fee: fee });
    const { json } = await fixture.read.get(`/tokens/${token}`);
    expect(json.pool_state.lp_fee_bps_effective).toBe(expected);
    expect(json.warnings.map((warning: any) => warning.code)).toContain("pool_protocol_fee");
  });

  test("values both assets of the locked position", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertEthUsd(db, 2_000);
    // L = 10^22 from tick -203200 to almost the end of all prices: at tick 0 it holds L of each asset, less the edges.
    await insertToken(db, 1, {}, { tick: 0, sqrt_price_x96: (2n ** 96n).toString(), price: 1 });
    const { json } = await fixture.read.get(`/tokens/${token}`);
    expect(json.liquidity_usd / (2 * 10_000 * 2_000)).toBeCloseTo(1, 3);
  });

  test("warns of an unverified splitter, and marks a launch of an earlier deployment", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1, { deployment_id: 2, fee_bps: 100, protocol_fee_bps: 25 });
    await insert(db, "chain.splitters", { address: toAddress(4_001), proven: false, block_number: 1 });
    const { json } = await fixture.read.get(`/tokens/${token}`);
    expect(json.warnings.map((warning: any) => warning.code)).toEqual(["splitter_unproven"]);
    expect([json.source, json.fee_policy]).toEqual([
      "legacy",
      { total_bps: 100, protocol_bps: 25, collaborators_bps: 75 },
    ]);
  });

  test("has no explorer link where the manifest names no explorer", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    await insertToken(db, 1);
    fixture.read.setManifest(pinnedState({ ...testManifest, explorer_url: null }));
    expect((await fixture.read.get(`/tokens/${token}`)).json.links.explorer).toBeNull();
  });

  test("finds a token by its address in any case", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const address = `0x${"abcdef".repeat(6)}abcd`;
    await insertToken(db, 1, { address });
    for (const written of [address, checksummed(address), `0x${address.slice(2).toUpperCase()}`]) {
      expect((await fixture.read.get(`/tokens/${written}`)).json.address).toBe(checksummed(address));
    }
  });
});

describe.each(["", "/trades", "/candles"])("GET /tokens/{address}%s", (rest) => {
  test("returns 404 for a token that is not indexed", async () => {
    await insertIndex(fixture.database.db);
    const { status, json, headers } = await fixture.read.get(`/tokens/${toAddress(42)}${rest}`);
    expect([status, json.error.code]).toEqual([404, "token_not_indexed"]);
    expect(headers["cache-control"]).toBe("no-store");
  });

  test.each(["0x12", toAddress(0), `0x${"g".repeat(40)}`, "1".repeat(42), `${toAddress(7)}0`, toHash(1), "%00"])(
    "refuses the address %s",
    async (address) => {
      await insertIndex(fixture.database.db);
      const { status, json } = await fixture.read.get(`/tokens/${address}${rest}`);
      expect([status, json.error.code]).toEqual([400, "invalid_address"]);
    },
  );
});
