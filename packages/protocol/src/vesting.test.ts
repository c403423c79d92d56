import { decodeFunctionData, type Hex, keccak256, size } from "viem";
import { describe, expect, test } from "vitest";
import { vestingFactoryAbi } from "./contracts/vestingFactory.ts";
import { launchOptionsRequest } from "./launchOptions.ts";
import { draftSplitterSalt } from "./splitter.ts";
import { computeVested, encodeVestingClone, getDraftVesting, readVestingClone, type VestingTerms } from "./vesting.ts";

const implementation: Hex = `0x${"11".repeat(20)}`;
const factory: Hex = `0x${"22".repeat(20)}`;
const beneficiary: Hex = `0x${"aa".repeat(20)}`;
const creator: Hex = `0x${"bb".repeat(20)}`;
const terms: VestingTerms = { beneficiary, cliff: 1_800_000_000, end: 1_831_536_000 };
const id = "0190a5c0-1111-7000-8000-000000000001";
const toDraft = (initial_buy: object | null) => ({ id, options: { initial_buy } }) as never;

// packages/deploy/src/deployLocal.test.ts proves on a chain that the contracts use the same encoding.
describe("the code of a vesting", () => {
  test("is the proxy, the beneficiary and two dates of five bytes", () => {
    const code = encodeVestingClone(implementation, terms);
    const entries = `${"aa".repeat(20)}006b49d200006d2b0580`;
    expect(code).toBe(`0x363d3d373d3d3d363d73${"11".repeat(20)}5af43d82803e903d91602b57fd5bf3${entries}`);
    expect(size(code)).toBe(75);
  });

  test("is read back, and any other code is no vesting", () => {
    const code = encodeVestingClone(implementation, terms);
    expect(readVestingClone(code, implementation)).toEqual({ ...terms, beneficiary: expect.any(String) });
    const others: Hex[] = [
      "0x",
      `${code}00`,
      code.slice(0, -2) as Hex,
      code.replace("5af4", "5af1") as Hex,
      encodeVestingClone(factory, terms),
      encodeVestingClone(implementation, { ...terms, end: terms.cliff }),
      encodeVestingClone(implementation, { ...terms, beneficiary: `0x${"00".repeat(20)}` }),
    ];
    for (const other of others) expect(readVestingClone(other, implementation)).toBeNull();
  });
});

describe("the vesting of a draft", () => {
  const dates = { cliff: terms.cliff, end: terms.end };

  test("pays the recipient of the initial buy, by default the creator, at the address of the factory", () => {
    const buy = { amount_in: "1", slippage_bps: 1, recipient: beneficiary, vesting: dates };
    const vesting = getDraftVesting(toDraft(buy), creator, { factory, implementation })!;
    expect(vesting).toMatchObject(terms);
    const { functionName, args } = decodeFunctionData({ abi: vestingFactoryAbi, data: vesting.create.data });
    expect([functionName, vesting.create.to]).toEqual(["create", factory]);
    expect(args?.slice(1)).toEqual([terms.cliff, terms.end, draftSplitterSalt(id)]);
    const code = encodeVestingClone(implementation, terms).slice(2);
    const hash = keccak256(`0x61004b80600a3d393df3${code}`).slice(2);
    const packed = `0xff${factory.slice(2)}${draftSplitterSalt(id).slice(2)}${hash}` as const;
    expect(vesting.address.toLowerCase()).toBe(`0x${keccak256(packed).slice(-40)}`);
    const own = getDraftVesting(toDraft({ ...buy, recipient: null }), creator, { factory, implementation })!;
    expect(own.beneficiary).toBe(creator);
    expect(own.address).not.toBe(vesting.address);
  });

  test("exists only if the initial buy has dates", () => {
    const buy = { amount_in: "1", slippage_bps: 1, recipient: null };
    for (const none of [null, buy, { ...buy, vesting: null }]) {
      expect(getDraftVesting(toDraft(none), creator, { factory, implementation })).toBeNull();
    }
  });

  test("has dates in seconds, the end after the cliff", () => {
    const parse = (vesting: object | null) =>
      launchOptionsRequest.safeParse({ initial_buy: { amount_in: "1", slippage_bps: 1, vesting } });
    expect(parse(dates).success).toBe(true);
    expect(parse(null).success).toBe(true);
    for (const wrong of [
      { cliff: dates.cliff, end: dates.cliff },
      { cliff: dates.cliff * 1_000, end: dates.end * 1_000 },
      { cliff: -1, end: dates.end },
      { ...dates, other: 1 },
      { cliff: dates.cliff },
    ]) {
      expect(parse(wrong).success).toBe(false);
    }
  });
});

test("the vested part is zero until the cliff, linear, and everything from the end on", () => {
  const dates = { cliff: 100, end: 200 };
  expect([0n, 100n, 101n, 150n, 199n, 200n, 10_000n].map((time) => computeVested(999n, dates, time))).toEqual([
    0n,
    0n,
    9n,
    499n,
    989n,
    999n,
    999n,
  ]);
  expect(computeVested(2n ** 256n - 1n, dates, 150n)).toBe((2n ** 256n - 1n) / 2n);
});
