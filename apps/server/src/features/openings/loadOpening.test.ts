import { maxOpeningCap, predictOpening } from "@slipway/protocol/opening";
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { testManifest } from "../../../../../tests/support/server/testManifest.ts";
import { toOpeningTerms } from "./loadOpening.ts";
import type { OpeningRow } from "./queries.ts";
import { toParams } from "./toOpening.ts";

const address = (byte: string): Hex => `0x${byte.repeat(20)}`;
const { opening_factory, opening_implementation } = testManifest.current;

const events = { block_number: 1, log_index: 0, block_time: 1, tx_hash: `0x${"ab".repeat(32)}`, now: 1 };
const sums = { total: "0", depositors: 0, claimed_tokens: "0", claimed_refund: "0" };
const end = {
  end_kind: null,
  token: null,
  spent: null,
  bought: null,
  blocked: false,
  end_block: null,
  end_time: null,
  end_tx: null,
};
const terms: OpeningRow = {
  address: "",
  factory: opening_factory.address,
  creator: address("a1"),
  name: "Über",
  symbol: "TIN",
  contract_uri: "data:application/json,{}",
  splitter: address("a2"),
  partner: address("00"),
  fee_bps: 100,
  minimum: "5",
  cap: "9",
  deadline: 1_900_000_000,
  status: "open",
  ...events,
  ...sums,
  ...end,
};

const contracts = { factory: opening_factory.address as Hex, implementation: opening_implementation.address as Hex };
const bounds = { minimum: 5n, cap: 9n, deadline: terms.deadline };
const row = { ...terms, address: predictOpening(contracts, address("a1"), toParams(terms), bounds).toLowerCase() };

test("an opening at the address of its terms is loaded", () => {
  expect(toOpeningTerms(row, testManifest)).toMatchObject({ minimum: 5n, cap: 9n, deadline: 1_900_000_000n });
});

test.each<[string, Partial<OpeningRow>]>([
  ["an invented address", { address: address("bb") }],
  ["another creator", { creator: address("a3") }],
  ["another text", { name: "Uber" }],
  ["another splitter", { splitter: address("a3") }],
  ["another minimum", { minimum: "4" }],
  ["a cap that no factory accepts", { cap: (maxOpeningCap + 1n).toString() }],
  ["a cap above 96 bits", { cap: (2n ** 100n).toString() }],
  ["a deadline above 40 bits", { deadline: 2 ** 41 }],
  ["another factory", { factory: address("cc") }],
])("C7-94 no transaction is prepared for an opening with %s", (_, change) => {
  expect(() => toOpeningTerms({ ...row, ...change }, testManifest)).toThrow(
    expect.objectContaining({ code: "opening_not_indexed" }),
  );
});
