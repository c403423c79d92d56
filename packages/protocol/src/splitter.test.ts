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
const createAllocations = (count: number): Allocation[] =>
  Array.from({ length: count }, (_, i) => ({ payee: payee(i), shareBps: i === 0 ? 10_000 - count + 1 : 1 }));
const codeHash = keccak256(feeSplitterCreationCode);
const createInput = (count: number) => splitterCreationInput(feeSplitterCreationCode, createAllocations(count));

describe("readSplitterInput", () => {
  test("decodes the output of splitterCreationInput for every number of payees", () => {
    for (let count = 1; count <= maxPayees; count++) {
      expect(readSplitterInput(createInput(count), codeHash)).toEqual(createAllocations(count));
    }
  });

  test("accepts hash and input in any case", () => {
    const upper = `0x${createInput(2).slice(2).toUpperCase()}` as Hex;
    expect(readSplitterInput(upper, codeHash.toUpperCase().replace("0X", "0x"))).toEqual(createAllocations(2));
  });

  test("rejects other code, more than 20 payees, empty input, and arguments without code", () => {
    expect(readSplitterInput(createInput(1), keccak256("0x00"))).toBeNull();
    expect(readSplitterInput(createInput(21), codeHash)).toBeNull();
    expect(readSplitterInput("0x", codeHash)).toBeNull();
    expect(readSplitterInput(splitterCreationInput("0x", createAllocations(3)), codeHash)).toBeNull();
    expect(readSplitterInput(feeSplitterCreationCode, codeHash)).toBeNull();
  });

  test("rejects additional bytes after or between the arguments", () => {
    expect(readSplitterInput(concatHex([createInput(3), "0x00"]), codeHash)).toBeNull();
    expect(readSplitterInput(concatHex([createInput(3), `0x${"00".repeat(32)}`]), codeHash)).toBeNull();
    expect(readSplitterInput(createInput(3).slice(0, -64) as Hex, codeHash)).toBeNull();
  });

  test("rejects every changed byte of the arguments outside of addresses and shares", () => {
    const input = createInput(2);
    const start = feeSplitterCreationCode.length;
    for (let i = start; i < input.length; i += 2) {
      const changed = `${input.slice(0, i)}${input.slice(i, i + 2) === "ff" ? "fe" : "ff"}${input.slice(i + 2)}` as Hex;
      const read = readSplitterInput(changed, codeHash);
      const isTold = read === null || splitterCreationInput(feeSplitterCreationCode, read) === changed;
      const isOther = read === null || !sameAllocations(read, createAllocations(2));
      expect([isTold, isOther]).toEqual([true, true]);
    }
  });
});

describe("checkSplitterDeployment", () => {
  const splitter = "0x00000000000000000000000000000000000000F1";
  const runtime: Hex = `0x6001${"ab".repeat(32)}6002`;
  const template = {
    creation_code_hash: codeHash,
    runtime_code_hash: templateRuntimeHash(runtime, [[2, 32]])!,
    immutable_offsets: [[2, 32]] as const,
  };
  const valid: SplitterDeployment = {
    to: null,
    input: createInput(2),
    contractAddress: splitter.toLowerCase(),
    succeeded: true,
  };
  const problem = (changed: Partial<SplitterDeployment>, code: Hex = runtime) => {
    const result = checkSplitterDeployment(splitter, { ...valid, ...changed }, code, template);
    return "problem" in result ? result.problem : null;
  };

  test("returns the allocations of a valid deployment with any immutables", () => {
    const other: Hex = `0x6001${"cd".repeat(32)}6002`;
    expect(checkSplitterDeployment(splitter, valid, other, template)).toEqual({ allocations: createAllocations(2) });
  });

  test.each([
    [{ to: payee(9) }, /plain creation/],
    [{ succeeded: false }, /failed/],
    [{ contractAddress: payee(9) }, /another contract/],
    [{ contractAddress: null }, /another contract/],
    [{ input: "0x6000" as Hex }, /pinned creation code/],
  ])("rejects a deployment with %j", (changed, message) => {
    expect(problem(changed)).toMatch(message);
  });

  test("rejects other runtime code, also code that is too short for the immutables", () => {
    expect(problem({}, `0x6001${"ab".repeat(32)}6003`)).toMatch(/runtime code/);
    expect(problem({}, "0x6001")).toMatch(/runtime code/);
  });
});

describe("sameAllocations", () => {
  test("compares order, shares, wallets and length, but not the case", () => {
    const [a, b] = createAllocations(2) as [Allocation, Allocation];
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

describe("computeClaimable", () => {
  test("returns the share of everything received, less what was paid", () => {
    expect(computeClaimable({ balance: 900n, totalReleased: 100n }, 3_333, 0n)).toBe(333n);
    expect(computeClaimable({ balance: 900n, totalReleased: 100n }, 3_333, 333n)).toBe(0n);
  });

  test("returns zero when an asset's balance has shrunk", () => {
    expect(computeClaimable({ balance: 0n, totalReleased: 100n }, 5_000, 60n)).toBe(0n);
  });
});

describe("computeCredited", () => {
  test("returns the amount that becomes claimable with the credit", () => {
    fc.assert(
      fc.property(amount, amount, amount, share, (balance, totalReleased, credit, shareBps) => {
        const now = computeClaimable({ balance, totalReleased }, shareBps, 0n);
        const later = computeClaimable({ balance: balance + credit, totalReleased }, shareBps, 0n);
        return computeCredited({ balance, totalReleased }, shareBps, 0n, credit) === later - now;
      }),
    );
  });
});
