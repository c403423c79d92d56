import { concatHex, encodeAbiParameters, type Hex, keccak256 } from "viem";
import { templateRuntimeHash } from "./manifest.ts";
import { checksummed } from "./primitives.ts";

/** One payee of a splitter and its part of 10000, in the order of the constructor's arrays. */
export type Allocation = { payee: Hex; shareBps: number };

/** What a manifest pins of FeeSplitter. */
export type SplitterTemplate = {
  creation_code_hash: string;
  runtime_code_hash: string;
  immutable_offsets: readonly (readonly [number, number])[];
};

/** How a contract came to be, as the chain tells it. */
export type SplitterDeployment = {
  /** Of the transaction that is said to have created it: its `to` (null for a creation) and `input`. */
  to: string | null;
  input: Hex;
  /** Of its receipt. */
  contractAddress: string | null;
  succeeded: boolean;
};

/** FeeSplitter's most payees. */
export const maxPayees = 20;

const argumentTypes = [{ type: "address[]" }, { type: "uint16[]" }] as const;
const word = 64;

/** The input of the creation transaction: creation code followed by abi.encode(payees, shares). */
export function splitterCreationInput(creationCode: Hex, allocations: readonly Allocation[]): Hex {
  return concatHex([
    creationCode,
    encodeAbiParameters(argumentTypes, [
      allocations.map(({ payee }) => payee),
      allocations.map(({ shareBps }) => shareBps),
    ]),
  ]);
}

/**
 * Reads the allocations out of a creation transaction's input: the pinned code (told by its hash) followed by exactly
 * the canonical encoding of two arrays of one length, and nothing after it.
 *
 * @returns null when the input is anything else.
 */
export function readSplitterInput(input: Hex, creationCodeHash: string): Allocation[] | null {
  const digits = input.slice(2).toLowerCase();
  for (let count = 1; count <= maxPayees; count++) {
    const tailLength = (4 + 2 * count) * word;
    if (digits.length <= tailLength) return null;
    const tail = digits.slice(-tailLength);
    const allocations = readArrays(tail, count);
    if (allocations === null) continue;
    if (keccak256(`0x${digits.slice(0, -tailLength)}`) !== creationCodeHash.toLowerCase()) continue;
    return allocations;
  }
  return null;
}

/** Decodes two static arrays of `count` entries each and insists that encoding them again gives the same bytes. */
function readArrays(tail: string, count: number): Allocation[] | null {
  const at = (index: number) => tail.slice(index * word, (index + 1) * word);
  if (BigInt(`0x${at(2)}`) !== BigInt(count)) return null;
  const allocations: Allocation[] = [];
  for (let i = 0; i < count; i++) {
    const share = BigInt(`0x${at(4 + count + i)}`);
    if (share > 0xffffn) return null;
    allocations.push({ payee: checksummed(`0x${at(3 + i).slice(24)}`), shareBps: Number(share) });
  }
  return splitterCreationInput("0x", allocations) === `0x${tail}` ? allocations : null;
}

/** The problem of a birth that is right in all, at an address where a node knows no code: the node lags. */
export const missingCode = "it has no code";

/** The outcome of comparing a birth with the pinned template. */
export type SplitterCheck = { allocations: Allocation[] } | { problem: string };

/**
 * Proof by birth (contracts/README.md): the contract at `splitter` was created by a transaction without target, whose input
 * is the pinned creation code followed by its allocations and nothing else; and its runtime code is the template's.
 * Views are not asked: they can lie.
 */
export function checkSplitterDeployment(
  splitter: string,
  birth: SplitterDeployment,
  runtimeCode: Hex,
  template: SplitterTemplate,
): SplitterCheck {
  if (birth.to !== null) return { problem: "it was not created by a plain creation transaction" };
  if (!birth.succeeded) return { problem: "the transaction said to have created it failed" };
  if (birth.contractAddress?.toLowerCase() !== splitter.toLowerCase()) {
    return { problem: "the transaction said to have created it created another contract" };
  }
  const allocations = readSplitterInput(birth.input, template.creation_code_hash);
  if (allocations === null) return { problem: "it was not born from the pinned creation code" };
  if (runtimeCode === "0x") return { problem: missingCode };
  if (templateRuntimeHash(runtimeCode, template.immutable_offsets) !== template.runtime_code_hash.toLowerCase()) {
    return { problem: "its runtime code is not the pinned one" };
  }
  return { allocations };
}

/** Whether two lists name the same payees with the same shares in the same order. */
export function sameAllocations(a: readonly Allocation[], b: readonly Allocation[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ payee, shareBps }, i) => payee.toLowerCase() === b[i]!.payee.toLowerCase() && shareBps === b[i]!.shareBps,
    )
  );
}

const totalShares = 10_000n;

/** What a splitter has of one asset, in base units. */
export type SplitterHolding = {
  balance: bigint;
  /** Paid to all payees so far. */
  totalReleased: bigint;
};

/**
 * What a payee of a FeeSplitter can claim now: its share of everything ever received, less what it was paid; zero when
 * it was paid more (FeeSplitter._claimable, to the wei).
 */
export function computeClaimable(holding: SplitterHolding, shareBps: number, released: bigint): bigint {
  const entitled = ((holding.balance + holding.totalReleased) * BigInt(shareBps)) / totalShares;
  return entitled > released ? entitled - released : 0n;
}

/** How much more a payee could claim once `credit` has arrived at the splitter. */
export function computeCredited(holding: SplitterHolding, shareBps: number, released: bigint, credit: bigint): bigint {
  const after = { ...holding, balance: holding.balance + credit };
  return computeClaimable(after, shareBps, released) - computeClaimable(holding, shareBps, released);
}
