import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { decideEnd } from "./decideEnd.ts";
import type { AuthorizationState, Block } from "./readAuthorization.ts";

const windowSeconds = 120;
const payee: Hex = `0x${"c".repeat(40)}`;
const hash: Hex = `0x${"e".repeat(64)}`;
const payment = { payee, amount: 5n, expiry: null, validBefore: 10_000n };
/** A block `blocks` and `seconds` before the newest one. */
const before = (blocks: bigint, seconds: bigint): Block => ({
  number: 1_000n - blocks,
  timestamp: 20_000n - seconds,
  hash: `0x${"f".repeat(64)}`,
});
const newest = before(0n, 0n);
const found = (block: Block, transferred: { to: Hex; value: bigint } | null = { to: payee, value: 5n }) =>
  ({ kind: "found", use: { kind: "used", transferred }, hash, block }) as const;
const decide = (state: AuthorizationState, change: object = {}, expiry: Block | null = null) =>
  decideEnd({ ...payment, ...change }, { newest, state, expiry }, windowSeconds);

describe("decideEnd", () => {
  test("C11-05 a transfer is paid only in a block that is older than the reorg window and 64 blocks", () => {
    expect(decide(found(before(64n, 121n)))).toMatchObject({ status: "paid", transaction: hash, blockNumber: 936n });
    expect(decide(found(before(63n, 500n)))).toBeNull();
    expect(decide(found(before(500n, 120n)))).toBeNull();
    expect(decide({ kind: "unknown" })).toBeNull();
  });

  test("C11-07 an amount that differs, in either direction, is held and not booked", () => {
    const block = before(100n, 500n);
    for (const transferred of [{ to: payee, value: 4n }, { to: payee, value: 6n }, null]) {
      expect(decide(found(block, transferred))).toMatchObject({ status: "held", reason: "amount_differs" });
    }
    const elsewhere = { to: `0x${"d".repeat(40)}` as Hex, value: 5n };
    expect(decide(found(block, elsewhere))).toMatchObject({ status: "failed", reason: "used_otherwise" });
    const cancelled = { ...found(block), use: { kind: "cancelled" } } as const;
    expect(decide(cancelled)).toMatchObject({ status: "failed", reason: "cancelled" });
  });

  test("C11-06 an unused authorization has expired only once a block after its end is final", () => {
    const end = { ...before(100n, 500n), timestamp: 10_000n };
    const unused = { kind: "unused" } as const;
    const expiry = { number: end.number, hash: end.hash };
    expect(decide(unused)).toBeNull();
    expect(decide(unused, { expiry }, end)).toMatchObject({ status: "failed", reason: "expired", transaction: null });
    // Replaced by a reorganisation, not returned, before the end, not final.
    expect(decide(unused, { expiry }, { ...end, hash })).toBeNull();
    expect(decide(unused, { expiry }, null)).toBeNull();
    expect(decide(unused, { expiry }, { ...end, timestamp: 9_999n })).toBeNull();
    expect(decide(unused, { expiry }, { ...end, number: 990n })).toBeNull();
    expect(decide(unused, { expiry }, { ...end, timestamp: 19_990n })).toBeNull();
  });
});
