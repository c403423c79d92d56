import fc from "fast-check";
import { concatHex, decodeFunctionData, type Hex, keccak256, size } from "viem";
import { describe, expect, test } from "vitest";
import { splitterFactoryAbi } from "./contracts/splitterFactory.ts";
import { checksummed } from "./primitives.ts";
import {
  type Allocation,
  checkSplitterDeployment,
  computeClaimable,
  computeCredited,
  draftSplitterSalt,
  encodeCreateSplitter,
  encodeSplitterClone,
  maxPayees,
  predictFactorySplitter,
  readSplitterClone,
  type SplitterDeployment,
  sameAllocations,
  splitterCreationInput,
} from "./splitter.ts";

const implementation: Hex = `0x${"11".repeat(20)}`;
const splitterFactory: Hex = `0x${"22".repeat(20)}`;
const payee = (i: number): Hex => checksummed(`0x${(i + 1).toString(16).padStart(40, "0")}`);
const createAllocations = (count: number): Allocation[] =>
  Array.from({ length: count }, (_, i) => ({ payee: payee(i), shareBps: i === 0 ? 10_000 - count + 1 : 1 }));

// packages/deploy/src/deployLocal.test.ts proves on a chain that the contracts use the same encoding.
describe("the encoding of a splitter", () => {
  const allocations: Allocation[] = [
    { payee: `0x${"aa".repeat(20)}`, shareBps: 7_000 },
    { payee: `0x${"bb".repeat(20)}`, shareBps: 3_000 },
  ];

  test("equals the contracts' for known allocations", () => {
    const entries = `${"aa".repeat(20)}1b58${"bb".repeat(20)}0bb8`;
    expect(encodeSplitterClone(implementation, allocations)).toBe(
      `0x363d3d373d3d3d363d73${"11".repeat(20)}5af43d82803e903d91602b57fd5bf3${entries}`,
    );
    const input = splitterCreationInput(implementation, allocations);
    expect(size(input)).toBe(121 + 45 + 2 * 22);
    expect(keccak256(input)).toBe("0xac66239a65cab39f2277bd82496fd35af2080c54fd9e4fc03735f4b93548e773");
  });

  test("predicts the factory's address of a draft's splitter", () => {
    const salt = draftSplitterSalt("0190a5c0-1111-7000-8000-000000000001");
    expect(salt).toBe("0x072f65c1ccb7fad03bb8dbcbc09768c0ed5c51090b5adca1acde64e2b7e41063");
    expect(predictFactorySplitter(splitterFactory, implementation, allocations, salt)).toBe(
      "0xBd9B5dB449acADc10aaD9d0998B87BF08d4e6145",
    );
    expect(decodeFunctionData({ abi: splitterFactoryAbi, data: encodeCreateSplitter(allocations, salt) })).toEqual({
      functionName: "create",
      args: [allocations.map((entry) => checksummed(entry.payee)), [7_000, 3_000], salt],
    });
  });
});

describe("readSplitterClone", () => {
  test("decodes the output of encodeSplitterClone for every number of payees, in any case", () => {
    for (let count = 1; count <= maxPayees; count++) {
      const code = encodeSplitterClone(implementation, createAllocations(count));
      expect(readSplitterClone(code, implementation)).toEqual(createAllocations(count));
      expect(readSplitterClone(`0x${code.slice(2).toUpperCase()}`, implementation)).toEqual(createAllocations(count));
    }
  });

  const [first, second] = createAllocations(2) as [Allocation, Allocation];
  test.each<[string, Allocation[]]>([
    ["no entry", []],
    ["more than 20 entries", createAllocations(21)],
    ["a zero payee", [first, { ...second, payee: `0x${"00".repeat(20)}` }]],
    [
      "a zero share",
      [
        { ...first, shareBps: 10_000 },
        { ...second, shareBps: 0 },
      ],
    ],
    ["a payee twice", [first, { ...second, payee: first.payee }]],
    ["a sum below 10000", [first]],
    ["a sum above 10000", [{ ...first, shareBps: 10_000 }, second]],
  ])("rejects %s", (_, allocations) => {
    expect(readSplitterClone(encodeSplitterClone(implementation, allocations), implementation)).toBeNull();
  });

  test("rejects another implementation, another proxy, and additional or missing bytes", () => {
    const code = encodeSplitterClone(implementation, createAllocations(2));
    expect(readSplitterClone(code, splitterFactory)).toBeNull();
    expect(readSplitterClone(code.replace("0x36", "0x37") as Hex, implementation)).toBeNull();
    expect(readSplitterClone(concatHex([code, "0x00"]), implementation)).toBeNull();
    expect(readSplitterClone(code.slice(0, -2) as Hex, implementation)).toBeNull();
    expect(readSplitterClone("0x", implementation)).toBeNull();
  });
});

describe("checkSplitterDeployment", () => {
  const splitter = "0x00000000000000000000000000000000000000F1";
  const runtime = encodeSplitterClone(implementation, createAllocations(2));
  const valid: SplitterDeployment = {
    to: null,
    input: splitterCreationInput(implementation, createAllocations(2)),
    contractAddress: splitter.toLowerCase(),
    succeeded: true,
  };
  const problem = (changed: Partial<SplitterDeployment>, code: Hex = runtime) => {
    const result = checkSplitterDeployment(splitter, { ...valid, ...changed }, code, implementation);
    return "problem" in result ? result.problem : null;
  };

  test("returns the allocations of a valid deployment", () => {
    const result = checkSplitterDeployment(splitter, valid, runtime, implementation);
    expect(result).toEqual({ allocations: createAllocations(2) });
  });

  test.each([
    [{ to: payee(9) }, /plain creation/],
    [{ succeeded: false }, /failed/],
    [{ contractAddress: payee(9) }, /another contract/],
    [{ contractAddress: null }, /another contract/],
    [{ input: "0x6000" as Hex }, /pinned creation code/],
    [{ input: runtime }, /pinned creation code/],
    [{ input: concatHex([valid.input, "0x00"]) }, /pinned creation code/],
  ])("rejects a deployment with %j", (changed, message) => {
    expect(problem(changed)).toMatch(message);
  });

  test("rejects every changed byte of the creation code in front of the entries", () => {
    for (let i = 2; i < 2 + 2 * 166; i += 2) {
      const byte = valid.input.slice(i, i + 2) === "00" ? "01" : "00";
      const input = `${valid.input.slice(0, i)}${byte}${valid.input.slice(i + 2)}` as Hex;
      expect(problem({ input })).toMatch(/pinned creation code/);
    }
  });

  test("rejects runtime code that differs from the input, and reports missing code", () => {
    expect(problem({}, encodeSplitterClone(implementation, createAllocations(3)))).toMatch(/runtime code/);
    expect(problem({}, concatHex([runtime, "0x00"]))).toMatch(/runtime code/);
    expect(problem({}, "0x")).toMatch(/no code/);
  });

  test("rejects a splitter that is its own payee", () => {
    const allocations = [{ payee: checksummed(splitter), shareBps: 10_000 }];
    const input = splitterCreationInput(implementation, allocations);
    expect(problem({ input }, encodeSplitterClone(implementation, allocations))).toMatch(/its own payee/);
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
  test("returns the share of all receipts less the paid amount", () => {
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
