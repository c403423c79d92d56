import fc from "fast-check";
import { concatHex, type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import { feeSplitterCreationCode } from "./contracts/feeSplitterCreationCode.ts";
import { templateRuntimeHash } from "./manifest.ts";
import { checksummed } from "./primitives.ts";
import {
  type Allocation,
  type SplitterDeployment,
  computeClaimable,
  computeCredited,
  checkSplitterDeployment,
  maxPayees,
  readSplitterInput,
  sameAllocations,
  splitterCreationInput,
} from "./splitter.ts";

const payee = (i: number): Hex => checksummed(`0x${(i + 1).toString(16).padStart(40, "0")}`);
const allocationsOf = (count: number): Allocation[] =>
  Array.from({ length: count }, (_, i) => ({ payee: payee(i), shareBps: i === 0 ? 10_000 - count + 1 : 1 }));
const codeHash = keccak256(feeSplitterCreationCode);
const inputOf = (count: number) => splitterCreationInput(feeSplitterCreationCode, allocationsOf(count));

describe("readSplitterInput", () => {
  test("reads back what splitterCreationInput wrote, for every number of payees", () => {
    for (let count = 1; count <= maxPayees; count++) {
      expect(readSplitterInput(inputOf(count), codeHash)).toEqual(allocationsOf(count));
    }
  });

  test("takes the hash and the input in any case", () => {
    const upper = `0x${inputOf(2).slice(2).toUpperCase()}` as Hex;
    expect(readSplitterInput(upper, codeHash.toUpperCase().replace("0X", "0x"))).toEqual(allocationsOf(2));
  });

  test("refuses other code, more than 20 payees, nothing, and arguments alone", () => {
    expect(readSplitterInput(inputOf(1), keccak256("0x00"))).toBeNull();
    expect(readSplitterInput(inputOf(21), codeHash)).toBeNull();
    expect(readSplitterInput("0x", codeHash)).toBeNull();
    expect(readSplitterInput(splitterCreationInput("0x", allocationsOf(3)), codeHash)).toBeNull();
    expect(readSplitterInput(feeSplitterCreationCode, codeHash)).toBeNull();
  });

  test("refuses anything behind or between the arguments", () => {
    expect(readSplitterInput(concatHex([inputOf(3), "0x00"]), codeHash)).toBeNull();
    expect(readSplitterInput(concatHex([inputOf(3), `0x${"00".repeat(32)}`]), codeHash)).toBeNull();
    expect(readSplitterInput(inputOf(3).slice(0, -64) as Hex, codeHash)).toBeNull();
  });

  test("refuses every change of a single byte of the arguments that is not another address or share", () => {
    const input = inputOf(2);
    const start = feeSplitterCreationCode.length;
    for (let i = start; i < input.length; i += 2) {
      const changed = `${input.slice(0, i)}${input.slice(i, i + 2) === "ff" ? "fe" : "ff"}${input.slice(i + 2)}` as Hex;
      const read = readSplitterInput(changed, codeHash);
      const isTold = read === null || splitterCreationInput(feeSplitterCreationCode, read) === changed;
      const isOther = read === null || !sameAllocations(read, allocationsOf(2));
      expect([isTold, isOther]).toEqual([true, true]);
    }
  });
});

describe("judgeSplitterBirth", () => {
  const splitter = "0x00000000000000000000000000000000000000F1";
  const runtime: Hex = `0x6001${"ab".repeat(32)}6002`;
  const template = {
    creation_code_hash: codeHash,
    runtime_code_hash: templateRuntimeHash(runtime, [[2, 32]])!,
    immutable_offsets: [[2, 32]] as const,
  };
  const birth: SplitterDeployment = {
    to: null,
    input: inputOf(2),
    contractAddress: splitter.toLowerCase(),
    succeeded: true,
  };
  const problem = (changed: Partial<SplitterDeployment>, code: Hex = runtime) => {
    const verdict = checkSplitterDeployment(splitter, { ...birth, ...changed }, code, template);
    return "problem" in verdict ? verdict.problem : null;
  };

  test("gives the allocations of a genuine birth, whatever its immutables are", () => {
    const other: Hex = `0x6001${"cd".repeat(32)}6002`;
    expect(checkSplitterDeployment(splitter, birth, other, template)).toEqual({ allocations: allocationsOf(2) });
  });

  test.each([
    [{ to: payee(9) }, /plain creation/],
    [{ succeeded: false }, /failed/],
    [{ contractAddress: payee(9) }, /another contract/],
    [{ contractAddress: null }, /another contract/],
    [{ input: "0x6000" as Hex }, /pinned creation code/],
  ])("refuses a birth with %j", (changed, message) => {
    expect(problem(changed)).toMatch(message);
  });

  test("refuses other runtime code, also one that is too short for the immutables", () => {
    expect(problem({}, `0x6001${"ab".repeat(32)}6003`)).toMatch(/runtime code/);
    expect(problem({}, "0x6001")).toMatch(/runtime code/);
  });
});

describe("sameAllocations", () => {
  test("minds order, shares, wallets and number, not the case", () => {
    const [a, b] = allocationsOf(2) as [Allocation, Allocation];
    const upper = { ...a, payee: a.payee.toUpperCase().replace("0X", "0x") as Hex };
    expect(sameAllocations([a, b], [upper, b])).toBe(true);
    expect(sameAllocations([a, b], [b, a])).toBe(false);
    expect(sameAllocations([a, b], [a])).toBe(false);
    expect(sameAllocations([a, b], [a, { ...b, shareBps: 2 }])).toBe(false);
    expect(sameAllocations([a, b], [a, { ...b, payee: payee(7) }])).toBe(false);
  });
});

const amount = fc.bigInt(0n, 2n ** 128n);
const share = fc.integer({ min: 1, max: 10_000 });

describe("claimableOf", () => {
  test("is the share of everything ever received, less what was paid", () => {
    expect(computeClaimable({ balance: 900n, totalReleased: 100n }, 3_333, 0n)).toBe(333n);
    expect(computeClaimable({ balance: 900n, totalReleased: 100n }, 3_333, 333n)).toBe(0n);
  });

  test("is zero, not negative, when an asset's balances shrank", () => {
    expect(computeClaimable({ balance: 0n, totalReleased: 100n }, 5_000, 60n)).toBe(0n);
  });
});

describe("creditedOf", () => {
  test("is exactly what becomes claimable once the credit has arrived", () => {
    fc.assert(
      fc.property(amount, amount, amount, share, (balance, totalReleased, credit, shareBps) => {
        const now = computeClaimable({ balance, totalReleased }, shareBps, 0n);
        const later = computeClaimable({ balance: balance + credit, totalReleased }, shareBps, 0n);
        return computeCredited({ balance, totalReleased }, shareBps, 0n, credit) === later - now;
      }),
    );
  });
});
