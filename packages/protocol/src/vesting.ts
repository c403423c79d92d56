import { getAddress, type Hex, isAddressEqual, numberToHex, size, slice, zeroAddress } from "viem";
import { vestingAbi } from "./contracts/vesting.ts";
import { vestingFactoryAbi } from "./contracts/vestingFactory.ts";
import { encodeCall } from "./encodeCall.ts";
import type { DraftWithOptions } from "./launchOptions.ts";
import { encodeMinimalProxy, predictClone, proxyBytes } from "./minimalProxy.ts";
import { draftSplitterSalt } from "./splitter.ts";

/** The terms of a vesting: nothing vests before the cliff, everything from the end on. In seconds of Unix time. */
export type VestingTerms = { beneficiary: Hex; cliff: number; end: number };

/** The contracts of a deployment that create vestings. */
export type VestingContracts = { factory: Hex; implementation: Hex };

/** The vesting of a draft's initial buy: its address, its terms, and the call of the factory that creates it. */
export type DraftVesting = VestingTerms & { address: Hex; create: { to: Hex; data: Hex } };

/** The bytes of a date in the terms. */
const dateBytes = 5;
const termsBytes = 20 + 2 * dateBytes;

/** Encodes a vesting's runtime code: the minimal proxy of the implementation, beneficiary, cliff and end. */
export function encodeVestingClone(implementation: Hex, { beneficiary, cliff, end }: VestingTerms): Hex {
  const dates = [cliff, end].map((date) => numberToHex(date, { size: dateBytes }));
  return encodeMinimalProxy(implementation, [beneficiary, ...dates]);
}

/** Reads the terms from a vesting's runtime code; null for any other code. */
export function readVestingClone(code: Hex, implementation: Hex): VestingTerms | null {
  if (size(code) !== proxyBytes + termsBytes) return null;
  const from = (offset: number, length: number) => slice(code, proxyBytes + offset, proxyBytes + offset + length);
  const terms = {
    beneficiary: getAddress(from(0, 20)),
    cliff: Number(from(20, dateBytes)),
    end: Number(from(20 + dateBytes, dateBytes)),
  };
  if (encodeVestingClone(implementation, terms) !== code.toLowerCase()) return null;
  return isAddressEqual(terms.beneficiary, zeroAddress) || terms.end <= terms.cliff ? null : terms;
}

/**
 * Computes the vested part of a received amount (balance and released amount), in base units. Source: Vesting.vested.
 *
 * @param time - Seconds of Unix time.
 */
export function computeVested(
  received: bigint,
  { cliff, end }: Omit<VestingTerms, "beneficiary">,
  time: bigint,
): bigint {
  if (time <= BigInt(cliff)) return 0n;
  if (time >= BigInt(end)) return received;
  return (received * (time - BigInt(cliff))) / BigInt(end - cliff);
}

/** Encodes the call of Vesting.release. @param token - In any case. */
export function encodeReleaseVesting(token: string): Hex {
  return encodeCall({ abi: vestingAbi, functionName: "release", args: [token as Hex] });
}

/**
 * Computes the vesting of a draft's initial buy; null if the buy does not vest. The beneficiary is the recipient of the buy.
 * The salt is that of the draft's splitter, so that two drafts with equal terms do not share a vesting.
 *
 * @param creator - The creator of the launch: the default recipient.
 */
export function getDraftVesting(
  { id, options }: Pick<DraftWithOptions, "id" | "options">,
  creator: string,
  { factory, implementation }: VestingContracts,
): DraftVesting | null {
  const buy = options?.initial_buy ?? null;
  if (buy === null || !buy.vesting) return null;
  const { cliff, end } = buy.vesting;
  const beneficiary = (buy.recipient ?? creator) as Hex;
  const salt = draftSplitterSalt(id);
  const args = [beneficiary, cliff, end, salt] as const;
  return {
    beneficiary,
    cliff,
    end,
    address: predictClone(factory, encodeVestingClone(implementation, { beneficiary, cliff, end }), salt),
    create: { to: factory, data: encodeCall({ abi: vestingFactoryAbi, functionName: "create", args }) },
  };
}
