import type { Mutant } from "./generateMutants.ts";

/** A mutant that compiles to other code with the same behaviour, with the proof. */
type Equivalent = Pick<Mutant, "contract" | "functionName" | "original" | "mutated"> & {
  because: string;
  /** A part of the source line, if the function has the same mutant twice. */
  within?: string;
};

const MAX_S = "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/** Each reason must be short enough to be checked by reading the function. */
const equivalents: readonly Equivalent[] = [
  {
    contract: "FeeLocker",
    functionName: "lock",
    original: "position.partner != address(0)",
    mutated: "true",
    because: "the factory refuses a share without a partner, so zeros are written to slots that are zero",
  },
  {
    contract: "FeeLocker",
    functionName: "collect",
    original: "tokenAmount != 0",
    mutated: "true",
    because: "adds zero to a tally",
  },
  {
    contract: "FeeLocker",
    functionName: "collect",
    original: "quoteAmount != 0",
    mutated: "true",
    because: "adds zero to a tally",
  },
  {
    contract: "FeeSplitter",
    functionName: "_claimable",
    original: "entitled > paid",
    mutated: "((entitled) >= (paid))",
    because: "where they are equal their difference is the same zero",
  },
  {
    contract: "FeeSplitter",
    functionName: "shareOf",
    original: "i < count",
    mutated: "((i) <= (count))",
    because: "memory behind the entries is zero: a zero payee with a zero share, which is the correct result",
  },
  {
    contract: "FeeSplitter",
    functionName: "shareOf",
    original: "entries.length / ENTRY_LENGTH",
    mutated: "((entries.length) * (ENTRY_LENGTH))",
    because: "memory behind the entries is zero: a zero payee with a zero share, which is the correct result",
  },
  {
    contract: "GasStation",
    functionName: "_pull",
    original: "balanceAfter > balanceBefore",
    mutated: "((balanceAfter) >= (balanceBefore))",
    because: "where they are equal their difference is the same zero",
  },
  {
    contract: "GasStation",
    functionName: "_isSigned",
    original: "64",
    mutated: "(64 + 1)",
    within: "signature[32:64]",
    because: "bytes32 takes the first 32 bytes of a slice; the length is checked before",
  },
  {
    contract: "GasStation",
    functionName: "_isSigned",
    original: "32",
    mutated: "(32 + 1)",
    within: "signature[:32]",
    because: "bytes32 takes the first 32 bytes of a slice; the length is checked before",
  },
  ...["_checkSplitterAndPartner", "_buy"].map((functionName) => ({
    contract: "LaunchFactory",
    functionName,
    original: "token, pool",
    mutated: "pool, token",
    within: "_isSystemContract(",
    because: "_isSystemContract compares with both in the same way",
  })),
  {
    contract: "StartPrice",
    functionName: "areReciprocal",
    original: "a, b",
    mutated: "b, a",
    because: "a product has no order",
  },
  {
    contract: "StartPrice",
    functionName: "areReciprocal",
    original: "product, one",
    mutated: "one, product",
    because: "a distance has no order",
  },
  ...createBoundaryMutants("_isSigned", "uint256(s) > MAX_S", "((uint256(s)) >= (MAX_S))"),
  ...createBoundaryMutants("", MAX_S, `(${MAX_S} + 1)`),
  ...createBoundaryMutants("", MAX_S, `(${MAX_S} - 1)`),
];

/** The signed quote contains its signer, so that `s` cannot be chosen: a boundary value occurs once in 2^255. */
function createBoundaryMutants(functionName: string, original: string, mutated: string): Equivalent[] {
  const because =
    "differs only for a valid signature whose s is exactly at the boundary, which is infeasible to create";
  return [{ contract: "GasStation", functionName, original, mutated, because }];
}

/** @returns Why the mutant does not change the behaviour, or null if it may. */
export function getEquivalenceReason(mutant: Mutant): string | null {
  const known = equivalents.find(
    ({ contract, functionName, original, mutated, within = "" }) =>
      mutant.lineText.includes(within) &&
      contract === mutant.contract &&
      functionName === mutant.functionName &&
      original === mutant.original &&
      mutated === mutant.mutated,
  );
  return known?.because ?? null;
}
