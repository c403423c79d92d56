import type { Equivalent } from "./equivalentMutants.ts";

/** Returns the equivalent mutants of openings. */
export function listEquivalentOpenings(
  unchecked: (contract: string, functionName: string, because: string) => Equivalent[],
  undone: string,
): Equivalent[] {
  const contract = "Opening";
  const noCalls = "while deposits are possible, no account is called that can make calls";
  const factoryContract = { contract: "OpeningFactory", functionName: "create" };
  return [
    { contract, functionName: "open", operator: "modifier removed", because: noCalls },
    { contract, functionName: "_deposit", operator: "modifier removed", because: noCalls },
    { contract, functionName: "open", operator: "statements swapped", because: undone },
    {
      contract,
      functionName: "close",
      operator: "statements swapped",
      within: "(token, received) =",
      because: "the event reads the variables",
    },
    ...unchecked(contract, "_deposit", "the total has 104 bits, and no deposit exceeds it"),
    ...unchecked(contract, "_claimable", "deposits have 104 bits, and amounts of tokens 96"),
    {
      contract,
      functionName: "_terms",
      mutated: "(address(this).code.length > CODE_LENGTH)",
      because: "an opening has exactly this length, and the implementation is longer",
    },
    ...["add(108, 1)", "sub(108, 1)"].map((mutated) => ({
      contract,
      functionName: "_terms",
      mutated,
      because: "the terms are the first 81 bytes, and the bytes behind them are shifted out",
    })),
    ...unchecked("OpeningFactory", "create", "the first operand excludes a deadline in the past"),
    {
      ...factoryContract,
      original: "created != opening",
      mutated: "(created < opening)",
      because: "CREATE2 returns zero or the opening",
    },
    ...["isOpening[opening] = true", "emit OpeningCreated"].map((within) => ({
      ...factoryContract,
      original: "opening",
      mutated: "created",
      within,
      because: "the guard above requires equal values",
    })),
  ];
}
