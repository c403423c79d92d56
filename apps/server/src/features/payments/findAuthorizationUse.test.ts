import { type Hex, numberToHex, padHex } from "viem";
import { describe, expect, test } from "vitest";
import { authorizationTopics, findAuthorizationUse, type TransactionLog } from "./findAuthorizationUse.ts";

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const nonceOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [asset, payer, payee, other] = ["a", "b", "c", "d"].map(address) as [Hex, Hex, Hex, Hex];
const nonce = nonceOf("1");
const terms = { asset, payer, nonce };
const word = (value: Hex) => padHex(value, { size: 32 });

const used = (of: Hex = nonce, by = payer): TransactionLog => ({
  address: asset,
  topics: [authorizationTopics.used, word(by), of],
  data: "0x",
});
const cancelled = (of: Hex = nonce): TransactionLog => ({
  address: asset,
  topics: [authorizationTopics.cancelled, word(payer), of],
  data: "0x",
});
const transfer = (to: Hex, value: bigint, from = payer, token = asset): TransactionLog => ({
  address: token,
  topics: [authorizationTopics.transfer, word(from), word(to)],
  data: numberToHex(value, { size: 32 }),
});
const paid = (value: bigint, to = payee) => ({ kind: "used", transferred: { to, value } });

describe("C11-07 findAuthorizationUse", () => {
  test.each<[string, TransactionLog[], object | null]>([
    ["the transfer after its event", [used(), transfer(payee, 5n)], paid(5n)],
    ["a cancellation", [cancelled()], { kind: "cancelled" }],
    ["no event of the authorization, beside the same transfer", [transfer(payee, 5n)], null],
    ["no event of another nonce", [used(nonceOf("2")), transfer(payee, 5n)], null],
    ["no event of another payer", [used(nonce, other), transfer(payee, 5n, other)], null],
    ["no event of another contract", [{ ...used(), address: other }, transfer(payee, 5n)], null],
    ["the amount that arrives after a fee", [used(), transfer(payee, 4n), transfer(other, 1n)], paid(4n)],
    [
      "the amount that arrives when the fee is transferred first",
      [used(), transfer(other, 1n), transfer(payee, 4n)],
      paid(1n, other),
    ],
    ["a transfer that mints before it", [used(), transfer(payer, 9n, address("0")), transfer(payee, 5n)], paid(5n)],
    ["no transfer of another token", [used(), transfer(payee, 5n, payer, other)], { kind: "used", transferred: null }],
    ["no transfer of another owner", [used(), transfer(payee, 5n, other)], { kind: "used", transferred: null }],
    ["no transfer before the event", [transfer(payee, 5n), used()], { kind: "used", transferred: null }],
    [
      "only its own transfer, of two authorizations in one transaction",
      [used(nonceOf("2")), transfer(payee, 5n), used(), transfer(other, 5n)],
      paid(5n, other),
    ],
    [
      "not the transfer of the next authorization",
      [used(), used(nonceOf("2")), transfer(payee, 5n)],
      { kind: "used", transferred: null },
    ],
  ])("finds %s", (_, logs, expected) => {
    expect(findAuthorizationUse(logs, terms)).toEqual(expected);
  });
});
