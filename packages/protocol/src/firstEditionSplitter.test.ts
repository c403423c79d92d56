import { concatHex, type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import {
  checkFirstEditionSplitter,
  firstEditionSplitterInput,
  readFirstEditionSplitterInput,
} from "./firstEditionSplitter.ts";
import { templateRuntimeHash } from "./manifest.ts";
import { checksummed } from "./primitives.ts";
import { type Allocation, maxPayees, type SplitterDeployment, sameAllocations } from "./splitter.ts";

// Any code: the reader knows it by its hash alone.
const creationCode: Hex = `0x60806040${"5b".repeat(100)}`;
const payee = (i: number): Hex => checksummed(`0x${(i + 1).toString(16).padStart(40, "0")}`);
const createAllocations = (count: number): Allocation[] =>
  Array.from({ length: count }, (_, i) => ({ payee: payee(i), shareBps: i === 0 ? 10_000 - count + 1 : 1 }));
const codeHash = keccak256(creationCode);
const createInput = (count: number) => firstEditionSplitterInput(creationCode, createAllocations(count));

describe("readFirstEditionSplitterInput", () => {
  test("decodes the output of firstEditionSplitterInput for every number of payees", () => {
    for (let count = 1; count <= maxPayees; count++) {
      expect(readFirstEditionSplitterInput(createInput(count), codeHash)).toEqual(createAllocations(count));
    }
  });

  test("accepts hash and input in any case", () => {
    const upper = `0x${createInput(2).slice(2).toUpperCase()}` as Hex;
    expect(readFirstEditionSplitterInput(upper, codeHash.toUpperCase().replace("0X", "0x"))).toEqual(
      createAllocations(2),
    );
  });

  test("rejects other code, more than 20 payees, empty input, and arguments without code", () => {
    expect(readFirstEditionSplitterInput(createInput(1), keccak256("0x00"))).toBeNull();
    expect(readFirstEditionSplitterInput(createInput(21), codeHash)).toBeNull();
    expect(readFirstEditionSplitterInput("0x", codeHash)).toBeNull();
    expect(readFirstEditionSplitterInput(firstEditionSplitterInput("0x", createAllocations(3)), codeHash)).toBeNull();
    expect(readFirstEditionSplitterInput(creationCode, codeHash)).toBeNull();
  });

  test("rejects additional bytes after or between the arguments", () => {
    expect(readFirstEditionSplitterInput(concatHex([createInput(3), "0x00"]), codeHash)).toBeNull();
    expect(readFirstEditionSplitterInput(concatHex([createInput(3), `0x${"00".repeat(32)}`]), codeHash)).toBeNull();
    expect(readFirstEditionSplitterInput(createInput(3).slice(0, -64) as Hex, codeHash)).toBeNull();
  });

  test("rejects every changed byte of the arguments outside of addresses and shares", () => {
    const input = createInput(2);
    const start = creationCode.length;
    for (let i = start; i < input.length; i += 2) {
      const changed = `${input.slice(0, i)}${input.slice(i, i + 2) === "ff" ? "fe" : "ff"}${input.slice(i + 2)}` as Hex;
      const read = readFirstEditionSplitterInput(changed, codeHash);
      const isTold = read === null || firstEditionSplitterInput(creationCode, read) === changed;
      const isOther = read === null || !sameAllocations(read, createAllocations(2));
      expect([isTold, isOther]).toEqual([true, true]);
    }
  });
});

describe("checkFirstEditionSplitter", () => {
  const splitter = "0x00000000000000000000000000000000000000F1";
  const runtime: Hex = `0x6001${"ab".repeat(32)}6002`;
  const template = {
    creation_code_hash: codeHash,
    runtime_code_hash: templateRuntimeHash(runtime, [[2, 32]])!,
    immutable_offsets: [[2, 32]] as [number, number][],
  };
  const valid: SplitterDeployment = {
    to: null,
    input: createInput(2),
    contractAddress: splitter.toLowerCase(),
    succeeded: true,
  };
  const problem = (changed: Partial<SplitterDeployment>, code: Hex = runtime) => {
    const result = checkFirstEditionSplitter(splitter, { ...valid, ...changed }, code, template);
    return "problem" in result ? result.problem : null;
  };

  test("returns the allocations of a valid deployment with any immutables", () => {
    const other: Hex = `0x6001${"cd".repeat(32)}6002`;
    expect(checkFirstEditionSplitter(splitter, valid, other, template)).toEqual({ allocations: createAllocations(2) });
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
