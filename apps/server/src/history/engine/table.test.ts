import { describe, expect, test } from "vitest";
import { addToDigest, type Digest, decodeRows, type EngineRow, encodeRows, getRowBytes, hashRow } from "./table.ts";
import { candlesTable, tradesTable, unknownAmount } from "./tables.ts";

const trade: EngineRow = {
  ...{ token_id: 4_294_967_295, block_number: 2 ** 40 + 5, log_index: 7, block_time: 1_790_000_000 },
  ...{ pool_price: 1.5, eth_usd: null, maker_id: 1, recipient_id: 2, account_id: 0, account_source: 3, is_buy: 1 },
  ...{ tx_hash: `0x${"0a".repeat(32)}`, token_amount: (2n ** 256n - 1n).toString(), quote_amount: "0", version: 9 },
};
const candle: EngineRow = {
  ...{ token_id: 1, seconds: 60, t: 1_790_000_040, o: 0, h: 5e-324, l: Number.MAX_VALUE, c: Number.POSITIVE_INFINITY },
  ...{ o_usd: null, h_usd: null, l_usd: null, c_usd: null, n: 3, buys: 1, vq: "10", v: unknownAmount, version: 9 },
};

describe("rows of the engine", () => {
  test.each([
    [tradesTable, trade, 150],
    [candlesTable, candle, 152],
  ])("have a fixed size and keep every value", (table, row, size) => {
    expect(getRowBytes(table)).toBe(size);
    expect(decodeRows(table, encodeRows(table, [row, row]))).toEqual([row, row]);
  });

  test.each([
    ["an amount above 256 bits", { token_amount: (2n ** 256n).toString() }],
    ["a negative amount", { quote_amount: "-1" }],
    ["a hash of another size", { tx_hash: "0x00" }],
    ["a time above 32 bits", { block_time: 2 ** 32 }],
    ["a negative id", { maker_id: -1 }],
  ])("are refused with %s", (_, change) => {
    expect(() => encodeRows(tradesTable, [{ ...trade, ...change } as EngineRow])).toThrow(RangeError);
  });

  test("C2-97 are refused if the bytes are not whole rows", () => {
    expect(() => decodeRows(tradesTable, encodeRows(tradesTable, [trade]).subarray(1))).toThrow(RangeError);
  });

  test("have a hash that does not depend on the version of the copy, and depends on every other column", () => {
    const hash = hashRow(tradesTable, trade);
    expect(hashRow(tradesTable, { ...trade, version: 10 })).toBe(hash);
    for (const column of Object.keys(trade).filter((name) => name !== "version" && name !== "tx_hash")) {
      const value = trade[column];
      const other = typeof value === "string" ? "5" : (value ?? 0) + 1;
      expect([column, hashRow(tradesTable, { ...trade, [column]: other })]).not.toEqual([column, hash]);
    }
  });

  test("have digests that do not depend on their order", () => {
    const [first, second] = [new Map<number, Digest>(), new Map<number, Digest>()];
    const hashes = [2n ** 64n - 1n, 5n, 2n ** 63n];
    for (const hash of hashes) addToDigest(first, 1, hash);
    for (const hash of hashes.toReversed()) addToDigest(second, 1, hash);
    expect(first.get(1)).toEqual({ rows: 3, hash: 2n ** 63n + 4n });
    expect(second).toEqual(first);
  });
});
