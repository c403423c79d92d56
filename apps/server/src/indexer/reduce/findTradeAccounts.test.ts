import { entryPoints } from "@slipway/protocol/chains";
import { type RawLog, transferTopic } from "@slipway/protocol/rawLog";
import { swapTopic } from "@slipway/protocol/swapLog";
import { beforeExecutionTopic, userOperationTopic } from "@slipway/protocol/userOperationLog";
import { describe, expect, test } from "vitest";
import { readOperations } from "../fetch/fetchOperations.ts";
import type { Emitter, TokenRef } from "../indexState.ts";
import { findTradeAccounts } from "./findTradeAccounts.ts";
import { maxMovedLots } from "./traceLots.ts";

const toAddress = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const [address, pool, locker, stranger] = [1, 2, 3, 4].map((n) => toAddress(0x1000 + n)) as [
  string,
  string,
  string,
  string,
];
const [ann, bob, cid, router, sender] = [1, 2, 3, 4, 5].map((n) => toAddress(0xa000 + n)) as [
  ...[string, string, string, string, string],
];
const [zero, dead] = [toAddress(0), toAddress(0xdead)];
const [v06, v07] = [...entryPoints] as [string, string];
const token = { address, pool, locker, isToken0: true } as TokenRef;

type Part = { address: string; topics: string[]; data: string };

const toWord = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
const toTopic = (account: string) => `0x${account.slice(2).padStart(64, "0")}`;
const transfer = (from: string, to: string, value: bigint, emitter = address): Part => ({
  address: emitter,
  topics: [transferTopic, toTopic(from), toTopic(to)],
  data: `0x${toWord(value)}`,
});
/** A swap that changes the pool's balance of the token. */
const swap = (change: bigint): Part => ({
  address: pool,
  topics: [swapTopic, toTopic(router), toTopic(router)],
  data: `0x${[change, change < 0n ? 7n : -7n, 1n << 96n, 1n, 0n].map(toWord).join("")}`,
});
const buy = (to: string, value: bigint) => [transfer(pool, to, value), swap(-value)];
const sell = (from: string, value: bigint) => [transfer(from, pool, value), swap(value)];
const begin = (entryPoint = v07): Part => ({ address: entryPoint, topics: [beforeExecutionTopic], data: "0x" });
const end = (account: string, entryPoint = v07): Part => ({
  address: entryPoint,
  topics: [userOperationTopic, toTopic(zero), toTopic(account), toTopic(zero)],
  data: `0x${[1n, 1n, 1n, 1n].map(toWord).join("")}`,
});

/** Returns the account and the source of each trade of a transaction. */
function find(...parts: (Part | Part[])[]): string[][] {
  const position = { blockNumber: "0x1", blockHash: "0xb", transactionHash: "0xt", transactionIndex: "0x0" };
  const logs = parts.flat().map((part, i): RawLog => ({ ...part, ...position, logIndex: `0x${i.toString(16)}` }));
  const emitters = new Map<string, Emitter>([
    [address, { token }],
    [pool, { pool: token }],
  ]);
  const senders = new Map([["0xt", sender]]);
  const accounts = findTradeAccounts(logs, { emitters, senders, operations: readOperations(logs) });
  return logs.flatMap((log) => {
    const found = accounts.get(log);
    return found === undefined ? [] : [[found.account, found.source]];
  });
}

const byTransfers = (account: string) => [account, "transfers"];
const byOperation = (account: string) => [account, "user_operation"];
const bySender = [sender, "sender"];

describe("the account of a trade", () => {
  test.each<[string, (Part | Part[])[], string[][]]>([
    ["gave the tokens of a sell", [sell(ann, 9n)], [byTransfers(ann)]],
    ["received the tokens of a buy", [buy(ann, 9n)], [byTransfers(ann)]],
    [
      "is the last receiver behind routers",
      [buy(router, 9n), transfer(router, bob, 9n), transfer(bob, ann, 9n)],
      [byTransfers(ann)],
    ],
    ["is the first giver behind routers", [transfer(ann, router, 9n), sell(router, 9n)], [byTransfers(ann)]],
    [
      "keeps more than half: a router keeps its fee",
      [buy(router, 100n), transfer(router, cid, 1n), transfer(router, ann, 98n)],
      [byTransfers(ann)],
    ],
    ["gives more than half", [transfer(ann, pool, 60n), ...sell(bob, 40n).slice(0, 1), swap(100n)], [byTransfers(ann)]],
    [
      "is the sender if two receivers keep half each",
      [buy(router, 10n), transfer(router, ann, 5n), transfer(router, bob, 5n)],
      [bySender],
    ],
    [
      "is another one for each swap of a transaction",
      [buy(ann, 5n), buy(router, 7n), transfer(router, bob, 7n), sell(cid, 3n)],
      [byTransfers(ann), byTransfers(bob), byTransfers(cid)],
    ],
    [
      "is found where one router passes on the tokens of two buys, the first received first",
      [buy(router, 5n), buy(router, 7n), transfer(router, ann, 5n), transfer(router, bob, 7n)],
      [byTransfers(ann), byTransfers(bob)],
    ],
    [
      "sold the tokens that it had before, not the ones that it bought in the transaction and kept",
      [buy(ann, 5n), transfer(bob, router, 7n), sell(router, 7n)],
      [byTransfers(ann), byTransfers(bob)],
    ],
    ["does not include an account whose balance does not change", [sell(ann, 5n), transfer(bob, ann, 5n)], [bySender]],
    ["is the sender of a round trip", [buy(router, 5n), sell(router, 5n)], [bySender, bySender]],
    [
      "is found for a swap after liquidity was removed in the same transaction",
      [transfer(pool, bob, 50n), buy(ann, 5n)],
      [byTransfers(ann)],
    ],
  ])("%s", (_, parts, expected) => {
    expect(find(...parts)).toEqual(expected);
  });
});

test("C2-70 transfers of other contracts do not change the account, and burned or returned tokens have none", () => {
  expect(find(transfer(pool, ann, 9n, stranger), buy(bob, 9n), transfer(bob, ann, 9n, stranger))).toEqual([
    byTransfers(bob),
  ]);
  for (const to of [zero, dead, locker, pool]) expect(find(buy(to, 9n)), to).toEqual([bySender]);
  for (const to of [dead, locker, pool])
    expect(find(buy(router, 9n), transfer(router, to, 9n)), to).toEqual([bySender]);
});

test("C2-70 transfers to the own address and transfers of nothing do not change the account", () => {
  const noise = [transfer(ann, ann, 9n), transfer(cid, bob, 0n), transfer(ann, cid, 0n), transfer(pool, cid, 0n)];
  expect(find(buy(ann, 9n), noise)).toEqual([byTransfers(ann)]);
  expect(find(noise, sell(ann, 9n), noise)).toEqual([byTransfers(ann)]);
  expect(find(transfer(pool, ann, 9n), noise, swap(-9n))).toEqual([byTransfers(ann)]);
});

test("C2-70 a swap that does not match the pool's transfers has the sender as its account", () => {
  expect(find(swap(-9n))).toEqual([bySender]);
  expect(find(transfer(pool, ann, 8n), swap(-9n))).toEqual([bySender]);
  expect(find(transfer(ann, pool, 8n), swap(9n))).toEqual([bySender]);
  // The transfer belongs to the first swap.
  expect(find(buy(ann, 9n), swap(-9n))).toEqual([byTransfers(ann), bySender]);
});

test("C2-71 the account of a transaction with very many transfers is found in bounded work, or is the sender", () => {
  const path = Array.from({ length: 3_000 }, (_, i) => transfer(toAddress(0xf0000 + i), toAddress(0xf0001 + i), 9n));
  const [first, last] = [toAddress(0xf0000), toAddress(0xf0000 + path.length)];
  expect(find(buy(first, 9n), path)).toEqual([byTransfers(last)]);
  // Each transfer passes on a thousand parts.
  const parts = Array.from({ length: 1_000 }, (_, i) => transfer(toAddress(0xe0000 + i), ann, 1n));
  const turns = Array.from({ length: 200 }, (_, i) =>
    i % 2 === 0 ? transfer(ann, bob, 1_000n) : transfer(bob, ann, 1_000n),
  );
  expect(parts.length + parts.length * turns.length).toBeGreaterThan(maxMovedLots);
  expect(find(parts, turns, buy(cid, 9n))).toEqual([bySender]);
  expect(find(begin(), parts, turns, buy(cid, 9n), end(cid))).toEqual([bySender]);
});

describe("C2-72 a user operation determines the account", () => {
  test.each<[string, (Part | Part[])[], string[][]]>([
    [
      "of each swap in a bundle",
      [begin(), buy(ann, 5n), end(ann), sell(bob, 6n), end(bob), buy(router, 7n), transfer(router, cid, 7n), end(cid)],
      [byOperation(ann), byOperation(bob), byOperation(cid)],
    ],
    [
      "of a split buy, if the operation's account keeps a part",
      [begin(), buy(router, 10n), transfer(router, ann, 3n), transfer(router, bob, 7n), end(ann)],
      [byOperation(ann)],
    ],
    ["of a round trip", [begin(), buy(ann, 5n), sell(ann, 5n), end(ann)], [byOperation(ann), byOperation(ann)]],
    [
      "by the innermost of two nested EntryPoints",
      [
        begin(v06),
        begin(v07),
        buy(router, 9n),
        transfer(router, ann, 5n),
        transfer(router, bob, 4n),
        end(bob),
        end(ann, v06),
      ],
      [byOperation(bob)],
    ],
    ["but not if its account neither gave nor kept tokens", [begin(), buy(bob, 5n), end(ann)], [byTransfers(bob)]],
    [
      "but not if its account only passed tokens on to another account",
      [begin(), buy(ann, 5n), transfer(ann, bob, 5n), end(ann)],
      [byTransfers(bob)],
    ],
    ["but not before the operations begin", [buy(ann, 5n), begin(), end(ann)], [byTransfers(ann)]],
    ["but not after the last operation", [begin(), end(ann), buy(ann, 5n)], [byTransfers(ann)]],
    [
      "but not between two calls of an EntryPoint",
      [begin(), end(ann), buy(ann, 5n), begin(), end(ann)],
      [byTransfers(ann)],
    ],
    [
      "but not if the contract is no EntryPoint",
      [begin(stranger), buy(ann, 5n), end(ann, stranger)],
      [byTransfers(ann)],
    ],
    [
      "but not if a forged mark is inside a genuine operation",
      [begin(), buy(router, 10n), transfer(router, ann, 5n), transfer(router, bob, 5n), end(bob, stranger), end(ann)],
      [byOperation(ann)],
    ],
    [
      "but not if the transaction's sender is its account",
      [begin(), buy(sender, 5n), end(sender)],
      [byTransfers(sender)],
    ],
  ])("%s", (_, parts, expected) => {
    expect(find(...parts)).toEqual(expected);
  });
});
