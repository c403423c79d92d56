import { concatHex, encodeAbiParameters, type Hex, keccak256 } from "viem";
import { templateRuntimeHash } from "./manifest.ts";
import { checksummed } from "./primitives.ts";

/** A payee of a splitter and its share of 10000, in the order of the constructor's arrays. */
export type Allocation = { payee: Hex; shareBps: number };

/** The pinned hashes of FeeSplitter in a manifest. */
export type SplitterTemplate = {
  creation_code_hash: string;
  runtime_code_hash: string;
  immutable_offsets: readonly (readonly [number, number])[];
};

/** The transaction and receipt of a contract's deployment. */
export type SplitterDeployment = {
  /** `to` (null for a creation) and `input` of the transaction. */
  to: string | null;
  input: Hex;
  /** `contractAddress` and `status` of the receipt. */
  contractAddress: string | null;
  succeeded: boolean;
};

/** The maximum number of payees of a FeeSplitter. */
export const maxPayees = 20;

const argumentTypes = [{ type: "address[]" }, { type: "uint16[]" }] as const;
const word = 64;

/** Encodes the input of the creation transaction: creation code followed by abi.encode(payees, shares). */
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
 * Reads the allocations from a creation transaction's input: the pinned code (identified by its hash) followed by exactly
 * the canonical encoding of two arrays of equal length.
 *
 * @returns null for any other input.
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

/** Decodes two static arrays of `count` entries each; null unless encoding them again gives the same bytes. */
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

/** The problem of a valid deployment whose code the node does not have: the node lags. */
export const missingCode = "it has no code";

/** The result of comparing a deployment with the pinned template. */
export type SplitterCheck = { allocations: Allocation[] } | { problem: string };

/**
 * Checks the deployment of a splitter (contracts/README.md): a transaction without target whose input is exactly the
 * pinned creation code and the allocations created the contract, and its runtime code is the template's. Does not use
 * view functions: another contract could return anything.
 */
export function checkSplitterDeployment(
  splitter: string,
  deployment: SplitterDeployment,
  runtimeCode: Hex,
  template: SplitterTemplate,
): SplitterCheck {
  if (deployment.to !== null) return { problem: "it was not created by a plain creation transaction" };
  if (!deployment.succeeded) return { problem: "the transaction said to have created it failed" };
  if (deployment.contractAddress?.toLowerCase() !== splitter.toLowerCase()) {
    return { problem: "the transaction said to have created it created another contract" };
  }
  const allocations = readSplitterInput(deployment.input, template.creation_code_hash);
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

/** The holding of a splitter in one asset, in base units. */
export type SplitterHolding = {
  balance: bigint;
  /** Paid to all payees so far. */
  totalReleased: bigint;
};

/**
 * Computes the claimable amount of a payee: its share of everything received, less what it was paid; zero when it was
 * paid more (FeeSplitter._claimable, exact to the wei).
 */
export function computeClaimable(holding: SplitterHolding, shareBps: number, released: bigint): bigint {
  const entitled = ((holding.balance + holding.totalReleased) * BigInt(shareBps)) / totalShares;
  return entitled > released ? entitled - released : 0n;
}

/** Computes the increase of the claimable amount once `credit` is paid to the splitter. */
export function computeCredited(holding: SplitterHolding, shareBps: number, released: bigint, credit: bigint): bigint {
  const after = { ...holding, balance: holding.balance + credit };
  return computeClaimable(after, shareBps, released) - computeClaimable(holding, shareBps, released);
}
