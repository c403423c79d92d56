import type { Mutant } from "./mutateGenerate.ts";

/** A mutant that compiles to other code and yet behaves alike, with the proof. */
type Equivalent = Pick<Mutant, "contract" | "functionName" | "original" | "mutated"> & {
  because: string;
  /** A part of the line, where the function has the same mutant twice. */
  within?: string;
};

const MAX_S = "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/** Reasoned by hand: keep each short enough to be checked by reading the function. */
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
    because: "what lies behind the entries in memory is untouched: a zero payee with a zero share, which is the answer",
  },
  {
    contract: "FeeSplitter",
    functionName: "shareOf",
    original: "entries.length / ENTRY_LENGTH",
    mutated: "((entries.length) * (ENTRY_LENGTH))",
    because: "as above, further on",
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
  ...["_checkParties", "_buy"].map((functionName) => ({
    contract: "LaunchFactory",
    functionName,
    original: "token, pool",
    mutated: "pool, token",
    within: "_isPart(",
    because: "_isPart compares with both alike",
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
  ...boundaryOfS("_isSigned", "uint256(s) > MAX_S", "((uint256(s)) >= (MAX_S))"),
  ...boundaryOfS("", MAX_S, `(${MAX_S} + 1)`),
  ...boundaryOfS("", MAX_S, `(${MAX_S} - 1)`),
];

/** The signed quote names its signer, so nobody can choose `s`: one at the very boundary turns up once in 2^255. */
function boundaryOfS(functionName: string, original: string, mutated: string): Equivalent[] {
  const because = "told apart only by a valid signature whose s is exactly at the boundary, which nobody can make";
  return [{ contract: "GasStation", functionName, original, mutated, because }];
}

/** @returns Why the mutant changes nothing, or null when it may. */
export function reasonOfEquivalence(mutant: Mutant): string | null {
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
