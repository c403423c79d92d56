import { type ListedToken, type TokenList, tokenList } from "@slipway/protocol/tokenList";
import { beforeEach, describe, expect, test } from "vitest";
import { findTokenListFault } from "../../../../../tests/support/feeds/findTokenListFault.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { headTime, insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { testChainId, wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { parseConfig } from "../../config.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { moderate } from "../moderation/queries.ts";
import { updateTokenList } from "./makeTokenList.ts";
import { createEntries, getNextVersion } from "./tokenList.ts";

const fixture = useReadApp();
const sha256 = "ab".repeat(32);
let read: ReadApp;

beforeEach(async () => {
  read = await createReadApp(fixture.database.db, { SITE_URL: "https://launch.example", FEED_DELAY_SECONDS: "300" });
  await insertIndex(fixture.database.db);
});

const request = (headers: Record<string, string> = {}) =>
  read.app.inject({ method: "GET", url: "/feeds/tokenlist.json", headers });

/** Runs the job, checks the list with the published schema and returns the list. */
async function update(): Promise<TokenList> {
  await read.deps.readModel.sync();
  await updateTokenList(read.deps);
  const answer = await request();
  expect(answer.statusCode).toBe(200);
  const list = answer.json();
  expect(findTokenListFault(list)).toBeNull();
  expect(tokenList.parse(list)).toEqual(list);
  return list;
}
const toVersion = ({ version: { major, minor, patch } }: TokenList) => [major, minor, patch].join(".");
const toSymbols = (list: TokenList) => list.tokens.map(({ symbol }) => symbol);
const block = (token: string, blocked: boolean) =>
  moderate(fixture.database.db.api, { kind: "token", target: token, blocked, reason: "test", administrator: null });

async function insertPicture(token: string): Promise<void> {
  const { api } = fixture.database.db;
  await api.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 30, 20, true, 'LEHV6n', '#102030')`,
    [sha256],
  );
  await api.query("insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))", [
    ...[token, sha256],
  ]);
}

describe("GET /feeds/tokenlist.json", () => {
  test("lists wrapped native, then the launches, with the processed picture", async () => {
    const token = await insertToken(fixture.database.db, 1, { name: "Tin Boat", image: "https://stranger.example/i" });
    await insertToken(fixture.database.db, 2, { image: "https://stranger.example/i" });
    await insertPicture(token);
    const list = await update();
    expect(list.tokens).toEqual([
      expect.objectContaining({ chainId: testChainId, decimals: 18, symbol: "WETH" }),
      {
        chainId: testChainId,
        address: "0x00000000000000000000000000000000000003e9",
        decimals: 18,
        name: "Tin Boat",
        symbol: "T1",
        logoURI: `https://launch.example/media/${sha256}/256.webp`,
      },
      // Without a processed picture there is no logo, so that no other host sees the users of the list.
      expect.not.objectContaining({ logoURI: expect.anything() }),
    ]);
    expect(list.tokens[0]!.address.toLowerCase()).toBe(wrappedNative);
    expect(list.version).toEqual({ major: 1, minor: 0, patch: 0 });
  });

  test("is open to every origin and returns 304 for its ETag", async () => {
    await update();
    const { headers } = await request({ origin: "https://wallet.example" });
    expect(headers).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=10",
      "content-type": "application/json; charset=utf-8",
    });
    expect((await request({ "if-none-match": String(headers.etag) })).statusCode).toBe(304);
  });

  test("increments the version by the kind of change, and keeps version and time without a change", async () => {
    const { db } = fixture.database;
    const first = await update();
    expect([toVersion(first), first.tokens.length]).toEqual(["1.0.0", 1]);
    expect(await update()).toEqual(first);
    const token = await insertToken(db, 1);
    expect(toVersion(await update())).toBe("1.1.0");
    await insertPicture(token);
    const third = await update();
    expect(toVersion(third)).toBe("1.1.1");
    expect(await update()).toEqual(third);
    await block(token, true);
    const without = await update();
    expect([toVersion(without), toSymbols(without)]).toEqual(["2.0.0", ["WETH"]]);
    await block(token, false);
    await insertToken(db, 2);
    expect(toVersion(await update())).toBe("2.1.0");
    // A removal and an addition give a major version, which users must accept.
    await block(token, true);
    await insertToken(db, 3);
    expect(toVersion(await update())).toBe("3.0.0");
  });

  test("C5-24 lists no launch that a reorganisation can remove", async () => {
    const { db } = fixture.database;
    await insertToken(db, 1, { block_time: headTime - 300 });
    await insertToken(db, 2, { block_time: headTime - 299 });
    expect(toSymbols(await update())).toEqual(["WETH", "T1"]);
    // The default delay is the reorg window.
    read = await createReadApp(db, { REORG_WINDOW_SECONDS: "299" });
    expect(toSymbols(await update())).toEqual(["WETH", "T1", "T2"]);
  });

  test("C5-24 is unavailable while the index is stopped, and keeps tokens that a stopped index lacks", async () => {
    const { db } = fixture.database;
    await insertToken(db, 1);
    const before = await update();
    await db.indexer.query("update chain.status set state = 'halted'");
    await db.indexer.query("delete from chain.tokens");
    await read.deps.readModel.sync();
    await updateTokenList(read.deps);
    const { statusCode, headers } = await request();
    expect([statusCode, headers["cache-control"]]).toEqual([503, "no-store"]);
    const { rows } = await db.api.query("select tokens from app.token_list");
    expect(rows[0].tokens).toEqual(before.tokens);
  });

  test("is unavailable until the job has stored a list", async () => {
    const { statusCode } = await request();
    expect(statusCode).toBe(503);
    expect((await request()).json().error.code).toBe("index_unavailable");
  });

  test("C5-25 leaves out and counts tokens that the schema refuses, and truncates long names", async () => {
    const { db } = fixture.database;
    const names: [string, string][] = [
      ["x".repeat(64), "LONG"],
      ["\u{1f6a2}".repeat(61), "SHIPS"],
      ["", "NONAME"],
      ["No symbol", ""],
      ["a\nb", "LINE"],
      ["a\u2028b", "SEPARATOR"],
      ["a\u00a0b", "NBSP"],
      ["Blank", "A B"],
      ["Wide blank", "A\u3000B"],
      ["Long symbol", "S".repeat(21)],
      ["Ships", "\u{1f6a2}".repeat(20)],
      ["<script>", "\"'&<>"],
    ];
    for (const [index, [name, symbol]] of names.entries()) await insertToken(db, index + 1, { name, symbol });
    const list = await update();
    expect(toSymbols(list)).toEqual(["WETH", "LONG", "SHIPS", "NONAME", "", "\u{1f6a2}".repeat(20), "\"'&<>"]);
    expect(list.tokens[2]!.name).toBe("\u{1f6a2}".repeat(60));
    expect(await read.deps.metrics.registry.metrics()).toContain("slipway_token_list_left_out 6");
  });

  test("has at most 10,000 tokens, those with the largest market caps, and keeps them for a day", async () => {
    const { db } = fixture.database;
    await insertToken(db, 1, {}, { market_cap: 1 });
    for (const table of ["tokens", "token_state"]) {
      const id = table === "tokens" ? "id" : "token_id";
      const { rows } = await db.api.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_schema = 'chain' and table_name = $1
           and is_generated = 'NEVER'`,
        [table],
      );
      const changed: Record<string, string> = {
        [id]: "n",
        address: "'0xb' || lpad(to_hex(n), 39, '0')",
        pool: "'0xa' || lpad(to_hex(n), 39, '0')",
        symbol: "'N' || n",
        market_cap: "n",
        salt: "n::text",
        tx_hash: "n::text",
        log_index: "n",
      };
      const names = rows.map(({ name }) => name);
      await db.indexer.query(
        `insert into chain.${table} (${names.join(", ")}) overriding system value
         select ${names.map((name) => changed[name] ?? `t.${name}`).join(", ")}
         from chain.${table} t, generate_series(2, 10001) n where ${id} = 1`,
      );
    }
    const list = await update();
    expect(list.tokens).toHaveLength(10_000);
    expect(toSymbols(list).slice(0, 2)).toEqual(["WETH", "N3"]);
    // The choice stays for a day, even if other tokens grow larger than the smallest.
    await db.indexer.query("update chain.token_state set market_cap = 1e9 where token_id = 1");
    expect(await update()).toEqual(list);
    await db.api.query("update app.token_list set chosen_at = now() - interval '25 hours'");
    const next = await update();
    expect([toVersion(next), toSymbols(next).slice(0, 3)]).toEqual(["2.0.0", ["WETH", "T1", "N4"]]);
  });
});

test("C7-60 the list leaves out launches that can be confused with an official asset", async () => {
  await insertToken(fixture.database.db, 1, { name: "Wrapped Ether", symbol: "WETH" });
  await insertToken(fixture.database.db, 2, { name: "Boat", symbol: "usdx" });
  await insertToken(fixture.database.db, 3, { name: "U S D C", symbol: "BOAT" });
  await insertToken(fixture.database.db, 4, { name: "Tin Boat", symbol: "TIN" });
  const { tokens } = await update();
  expect(tokens.map(({ symbol }) => symbol)).toEqual(["WETH", "TIN"]);
  expect(tokens[0]!.address.toLowerCase()).toBe(wrappedNative);
});

test("C7-75 the list leaves out launches that imitate an official asset, and lists ordinary names", async () => {
  const { db } = fixture.database;
  const imitations = [
    ...[
      "🅤🅢🅓🅖",
      "U$DC",
      "W\u039eTH",
      "W·E·T·H",
      "🆆🅴🆃🅷",
      "🇼🇪🇹🇭",
      "(WETH)",
      "WETH✓",
      "WETH™",
      "WẸTH",
      "Wrapped ETH",
      "Tether",
    ],
  ];
  for (const [index, name] of imitations.entries()) await insertToken(db, index + 1, { name, symbol: `BOAT${index}` });
  for (const [index, symbol] of ["USDC1", "WETH9", "U5DC"].entries()) await insertToken(db, index + 50, { symbol });
  await insertToken(db, 60, { name: "Tethered Boat", symbol: "ETHOS" });
  expect(toSymbols(await update())).toEqual(["WETH", "ETHOS"]);
});

test("versions and entries follow the published schema for hostile texts", () => {
  const context = {
    chainId: 1,
    wrappedNative: toAddress(7),
    mediaUrl: "https://launch.example/media",
    official: getOfficialAssets(
      parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" }),
      null,
    ),
  };
  const alphabet = [...'a \t\n\r\u0085\u00a0\u2003\ufeff\u{1f600}\u200d%\\"<'];
  let state = 7;
  const pick = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return alphabet[state % alphabet.length]!;
  };
  const text = (length: number) => Array.from({ length }, pick).join("");
  const tokens = Array.from({ length: 3_000 }, (_, n) => ({
    address: toAddress(n),
    name: text(n % 66),
    symbol: text(n % 3),
    decimals: (n % 300) - 5,
    sha256: null,
  }));
  const { entries, leftOut } = createEntries(tokens, context);
  expect(entries.length + leftOut).toBe(3_001);
  const version = { major: 1, minor: 0, patch: 0 };
  const document = { name: "Slipway", timestamp: "2026-01-01T00:00:00.000Z", version, tokens: entries };
  expect(findTokenListFault(document)).toBeNull();
  // The list leaves out only tokens that the schema refuses.
  const accepted = tokens.filter(({ name, symbol, decimals, address }) => {
    const entry = { chainId: 1, address, decimals, name: [...name].slice(0, 60).join(""), symbol };
    return findTokenListFault({ ...document, tokens: [entry] }) === null;
  });
  expect(accepted).toHaveLength(entries.length - 1);
});

test("the same address on another chain is another token", () => {
  const entry: ListedToken = {
    chainId: 1,
    address: toAddress(1) as `0x${string}`,
    decimals: 18,
    name: "A",
    symbol: "A",
  };
  const version = { major: 1, minor: 2, patch: 3 };
  expect(getNextVersion(version, [entry], [{ ...entry, chainId: 2 }])).toEqual({ major: 2, minor: 0, patch: 0 });
  expect(getNextVersion(version, [entry], [{ ...entry, name: "B" }])).toEqual({ major: 1, minor: 2, patch: 4 });
  expect(getNextVersion(version, [entry], [{ ...entry }])).toBeNull();
});
