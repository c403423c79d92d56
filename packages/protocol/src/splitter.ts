import { concatHex, getAddress, type Hex, keccak256, numberToHex, size, slice, stringToHex } from "viem";
import { splitterFactoryAbi } from "./contracts/splitterFactory.ts";
import { encodeCall } from "./encodeCall.ts";
import { encodeMinimalProxy, predictClone, proxyBytes } from "./minimalProxy.ts";

/** A payee of a splitter and its share of 10000, in the order of the splitter's entries. */
export type Allocation = { payee: Hex; shareBps: number };

/** The transaction and receipt of a contract's deployment. */
export type SplitterDeployment = {
  /** `to` (null for a creation) and `input` of the transaction. */
  to: string | null;
  input: Hex;
  /** `contractAddress` and `status` of the receipt. */
  contractAddress: string | null;
  succeeded: boolean;
};

/** The maximum number of payees of a splitter. */
export const maxPayees = 20;

const totalShares = 10_000n;

const entryBytes = 22;

/**
 * The part of a creation transaction's input before the runtime code. It emits SplitterCreated with the entries,
 * returns the runtime code, writes no storage and makes no call. Source: SplitterClone.CREATION_HEAD.
 */
const creationHead =
  "0x601660a63803048060405260405f528060051b8060600180602052828152903890" +
  "5b9060169003600281601401848401601e013960148183604c0139906020900380602157" +
  "7fefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba6179" +
  "6040848001035fa1607938038060795f395ff3";

/**
 * Encodes a splitter's runtime code: the minimal proxy (ERC-1167) of the implementation, followed by the entries (payee,
 * 20 bytes; share in basis points, 2 bytes).
 */
export function encodeSplitterClone(implementation: Hex, allocations: readonly Allocation[]): Hex {
  const entries = allocations.map(({ payee, shareBps }) => concatHex([payee, numberToHex(shareBps, { size: 2 })]));
  return encodeMinimalProxy(implementation, entries);
}

/** Encodes the input of the transaction (without `to`) that creates a splitter; SplitterFactory.creationCode. */
export function splitterCreationInput(implementation: Hex, allocations: readonly Allocation[]): Hex {
  return concatHex([creationHead as Hex, encodeSplitterClone(implementation, allocations)]);
}

/**
 * Reads the allocations from a splitter's runtime code, with the checks of `launch` except the check that no payee is
 * the splitter itself: the proxy of the implementation, 1 to 20 entries, no zero payee or share, no payee twice, a sum
 * of 10000.
 *
 * @returns null for any other code.
 */
export function readSplitterClone(code: Hex, implementation: Hex): Allocation[] | null {
  const count = (size(code) - proxyBytes) / entryBytes;
  if (!Number.isInteger(count) || count < 1 || count > maxPayees) return null;
  const allocations = Array.from({ length: count }, (_, i) => {
    const start = proxyBytes + i * entryBytes;
    const payee = getAddress(slice(code, start, start + 20));
    return { payee, shareBps: Number(slice(code, start + 20, start + entryBytes)) };
  });
  if (encodeSplitterClone(implementation, allocations) !== code.toLowerCase()) return null;
  const isValid =
    allocations.every(({ payee, shareBps }) => shareBps > 0 && BigInt(payee) !== 0n) &&
    allocations.reduce((sum, { shareBps }) => sum + shareBps, 0) === Number(totalShares) &&
    new Set(allocations.map(({ payee }) => payee)).size === count;
  return isValid ? allocations : null;
}

/**
 * Returns the salt of a draft's splitter, so that drafts with equal allocations never share a splitter and its
 * balances.
 */
export function draftSplitterSalt(draftId: string): Hex {
  return keccak256(stringToHex(draftId));
}

/** Predicts the address of a splitter that the factory creates; SplitterFactory.predict. */
export function predictFactorySplitter(
  splitterFactory: Hex,
  implementation: Hex,
  allocations: readonly Allocation[],
  salt: Hex,
): Hex {
  return predictClone(splitterFactory, encodeSplitterClone(implementation, allocations), salt);
}

/** Encodes the call of SplitterFactory.create, which does nothing when the splitter exists. */
export function encodeCreateSplitter(allocations: readonly Allocation[], salt: Hex): Hex {
  return encodeCall({
    abi: splitterFactoryAbi,
    functionName: "create",
    args: [allocations.map(({ payee }) => payee), allocations.map(({ shareBps }) => shareBps), salt],
  });
}

/** The problem of a valid deployment if the node does not have its code yet: the node lags. */
export const missingCode = "it has no code";

/** The result of comparing a deployment with the pinned code. */
export type SplitterCheck = { allocations: Allocation[] } | { problem: string };

/**
 * Checks the deployment of a splitter by its own transaction (contracts/README.md): `to` is null, the input is exactly
 * the creation code with the allocations, and the runtime code has the same allocations. Correct runtime code is no
 * proof: other creation code can return it after storage writes. Does not use view functions.
 */
export function checkSplitterDeployment(
  splitter: string,
  deployment: SplitterDeployment,
  runtimeCode: Hex,
  implementation: Hex,
): SplitterCheck {
  const problem = findDeploymentProblem(splitter, deployment);
  if (problem !== null) return { problem };
  const input = deployment.input.toLowerCase() as Hex;
  const created: Hex = `0x${input.slice(creationHead.length)}`;
  const allocations = input.startsWith(creationHead) ? readSplitterClone(created, implementation) : null;
  if (allocations === null) return { problem: "it was not created by the pinned creation code" };
  if (runtimeCode === "0x") return { problem: missingCode };
  if (runtimeCode.toLowerCase() !== created) return { problem: "its runtime code is not the pinned one" };
  if (allocations.some(({ payee }) => payee.toLowerCase() === splitter.toLowerCase())) {
    return { problem: "it is its own payee" };
  }
  return { allocations };
}

/** Returns the problem of a deployment that did not create the splitter by its own transaction; null if it did. */
export function findDeploymentProblem(splitter: string, deployment: SplitterDeployment): string | null {
  if (deployment.to !== null) return "it was not created by a plain creation transaction";
  if (!deployment.succeeded) return "its reported creation transaction failed";
  if (deployment.contractAddress?.toLowerCase() !== splitter.toLowerCase()) {
    return "its reported creation transaction created another contract";
  }
  return null;
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

/** The funds of a splitter in one asset, in base units. */
export type SplitterHolding = {
  balance: bigint;
  /** The amount paid to all payees so far. */
  totalReleased: bigint;
};

/**
 * Computes the claimable amount of a payee: its share of all receipts less the amount paid to it; zero if the payee was
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
