import { feeReleases } from "@slipway/protocol/feeReleases";
import { checksummed } from "@slipway/protocol/primitives";
import { describe, expect, test } from "vitest";
import {
  headTime,
  insert,
  insertIndex,
  insertToken,
  toAddress,
  toHash,
} from "../../../../../tests/support/server/rows.ts";
import { wrappedNative } from "../../../../../tests/support/server/testManifest.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
const wallet = toAddress(0xbeef);
const splitter = (id: number) => toAddress(4_000 + id);
const shared = toAddress(0x5a5a);

const insertRelease = (block: number, values: Record<string, unknown> = {}) =>
  insert(fixture.database.db, "chain.splitter_events", {
    block_number: block,
    log_index: 3,
    splitter: splitter(1),
    kind: "released",
    asset: wrappedNative,
    account: wallet,
    amount: "7",
    block_time: headTime - block,
    tx_hash: toHash(block),
    ...values,
  });

/** Two launches with a splitter each, and two that share one. Splitter 2 is not proven. */
async function insertLaunches(): Promise<void> {
  const { db } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1, { name: "=cmd|' /C calc'!A0", symbol: "CALC" });
  await insertToken(db, 2);
  for (const id of [3, 4]) await insertToken(db, id, { splitter: shared });
  for (const [address, proven] of [
    [splitter(1), true],
    [splitter(2), false],
    [shared, true],
  ] as const) {
    await insert(db, "chain.splitters", { address, proven, block_number: 1 });
  }
}
const getReleases = async (query = "") => {
  const { status, json } = await fixture.read.get(`/wallets/${wallet}/fees${query}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(feeReleases.parse(json)).toEqual(json);
  return json;
};
const blocks = ({ items }: any) => items.map(({ block_number }: any) => block_number);

describe("GET /wallets/{address}/fees", () => {
  test("lists what proven splitters released to the wallet, with the launch that earned it", async () => {
    await insertLaunches();
    await insertRelease(10);
    await insertRelease(11, { asset: toAddress(1_004), splitter: shared });
    await insertRelease(12, { splitter: shared });
    await insertRelease(13, { splitter: splitter(2) });
    await insertRelease(14, { account: toAddress(9) });
    await insertRelease(15, { kind: "native_received" });
    const { items, next_cursor, as_of } = await getReleases();
    expect(items.map(({ block_number, token }: any) => [block_number, token?.symbol ?? null])).toEqual([
      ...[
        [12, null],
        [11, "T4"],
        [10, "CALC"],
      ],
    ]);
    expect(items[2]).toEqual({
      id: `${toHash(10)}:3`,
      tx_hash: toHash(10),
      log_index: 3,
      block_number: 10,
      block_timestamp: new Date((headTime - 10) * 1000).toISOString(),
      splitter: checksummed(splitter(1)),
      asset: checksummed(wrappedNative),
      amount: "7",
      token: { address: checksummed(toAddress(1_001)), name: "=cmd|' /C calc'!A0", symbol: "CALC", name_warning: null },
    });
    expect([next_cursor, as_of.block_number]).toEqual([null, 5_000]);
    expect((await fixture.read.get(`/wallets/${toAddress(77)}/fees`)).json.items).toEqual([]);
  });

  test("C4-48 pages visit every release once, also within a block", async () => {
    await insertLaunches();
    for (let n = 0; n < 11; n++) await insertRelease(20 + Math.floor(n / 3), { log_index: n });
    const found: number[] = [];
    for (let cursor = ""; ; ) {
      const page = await getReleases(`?limit=4${cursor}`);
      found.push(...page.items.map(({ log_index }: any) => log_index));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(found).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test("C4-50 a page reads a bounded number of events, however few are of proven splitters", async () => {
    await insertLaunches();
    await insertRelease(10);
    await fixture.database.db.indexer.query(
      `insert into chain.splitter_events select 20 + n, 1, $1, kind, asset, account, amount, block_time, tx_hash
       from chain.splitter_events, generate_series(1, 1500) n`,
      [splitter(2)],
    );
    const first = await getReleases();
    expect([first.items, first.next_cursor]).toEqual([[], "521~1"]);
    const second = await getReleases(`?cursor=${first.next_cursor}`);
    expect([blocks(second), second.next_cursor]).toEqual([[10], null]);
  });

  test("C4-95 is a table with format=csv, in which no name is a formula", async () => {
    await insertLaunches();
    await insertRelease(10, { amount: (10n ** 20n).toString() });
    await insertRelease(9, { splitter: shared });
    const { headers, body } = await fixture.read.get(`/wallets/${wallet}/fees?format=csv`);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    const [header, first, second] = body.toString().split("\r\n");
    expect(header).toBe(
      "block_timestamp,block_number,tx_hash,log_index,splitter,asset,amount,token,token_name,token_symbol",
    );
    expect(first!.split(",").slice(6)).toEqual([
      "100000000000000000000",
      checksummed(toAddress(1_001)),
      "'=cmd|' /C calc'!A0",
      "CALC",
    ]);
    expect(second!.split(",").slice(6)).toEqual(["7", "", "", ""]);
  });

  test.each(["cursor=", "cursor=1", "cursor=1~", "cursor=-1~2", "cursor=1~x", "limit=301", "format=tsv"])(
    "C4-49 refuses %s",
    async (query) => {
      await insertIndex(fixture.database.db);
      expect((await fixture.read.get(`/wallets/${wallet}/fees?${query}`)).json.error.code).toBe("invalid_query");
    },
  );
});
