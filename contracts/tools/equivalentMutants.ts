// Mutants that compile to other code with the same behaviour, each with the proof. `mutate.ts --check` fails if an entry
// names no mutant of the sources, so that the list follows them.
import type { Mutant } from "./generateMutants.ts";

/** Describes one mutant or several: every field that is given must be equal. A name ends the function's. */
interface Equivalent {
  contract: string;
  functionName: string;
  operator?: string;
  original?: string;
  mutated?: string;
  /** A part of the source line. */
  within?: string;
  /** What follows in the line, where it has the same mutant twice. */
  followedBy?: string;
  because: string;
}

const noPartner = "without a partner it writes or reads zeros, and the factory sets no share";
const undone = "the revert undoes it";
const neverEqual = "a launch token is never the wrapped native token";
const sorts = "sorts the two tokens";
const symmetric = "compares with both in the same way";
const behindEntries = "an index at or behind the number of entries means none, and memory behind them is zero";
const hashedEachTime = "where the hash is zero, the ERC-20 hashes the name at each permit, with the same result";
const reciprocalBounds =
  "no price within the lower bound has a reciprocal at the upper bound, by more than the tolerance";

/** Each reason must be short enough to be checked by reading the function. */
export const equivalents: readonly Equivalent[] = [
  ...locker(),
  ...splitters(),
  ...station(),
  ...factory(),
  {
    contract: "LaunchToken",
    functionName: "constructor",
    original: "_NAME_HASH = keccak256(bytes(name_));",
    mutated: "{}",
    because: hashedEachTime,
  },
  {
    contract: "LaunchToken",
    functionName: "_constantNameHash",
    mutated: "bytes32(0)",
    because: hashedEachTime,
  },
  {
    contract: "LaunchToken",
    functionName: "contractURI",
    operator: "identifier substituted",
    original: "_METADATA_END",
    because: "the data contract ends where the URI ends, and a read beyond its end stops there",
  },
  {
    contract: "LaunchToken",
    functionName: "constructor",
    operator: "statements swapped",
    within: "metadata.length > MAX_METADATA_LENGTH",
    because: "both refuse; only the error differs, where the chain limits the size of code",
  },
  {
    contract: "LaunchToken",
    functionName: "constructor",
    operator: "statements swapped",
    within: "_NAME_HASH",
    because: "neither reads what the other one writes",
  },
  ...unchecked("LaunchToken", "constructor", "lengths of texts in memory"),
  ...signature(),
  ...libraries(),
];

function locker(): Equivalent[] {
  const contract = "FeeLocker";
  return [
    { contract, functionName: "constructor", operator: "statements swapped", because: "the event reads the parameter" },
    {
      contract,
      functionName: "lock",
      operator: "identifier substituted",
      original: "partner",
      within: "bool hasPartner",
      because: noPartner,
    },
    { contract, functionName: "lock", original: "hasPartner", mutated: "true", because: noPartner },
    ...["_mint(token, pool", "emit PositionLocked"].map((within) => ({
      contract,
      functionName: "lock",
      original: "pool",
      mutated: "expectedPool",
      within,
      because: "the guard above requires that they are equal",
    })),
    { contract, functionName: "uniswapV3MintCallback", operator: "statements swapped", because: undone },
    ...["uniswapV3MintCallback", "_rangeOf"].map((functionName) => ({
      contract,
      functionName,
      mutated: "((token) <= (WRAPPED_NATIVE))",
      because: neverEqual,
    })),
    ...unchecked(contract, "collect", "the sum of a total of 120 bits and an amount of 128 bits"),
    ...unchecked(contract, "ledgerOf", "no part of a greater amount is smaller"),
    ...unchecked(contract, "_pay", "a party is owed less than 2^256 settlements of 120 bits"),
    {
      contract,
      functionName: "_settle",
      operator: "arithmetic checked",
      because: "no part of a greater amount is smaller, so that nothing can overflow",
    },
    {
      contract,
      functionName: "settle",
      original: "tokenAfter == tokenBefore && quoteAfter == quoteBefore",
      mutated: "false",
      because: "writes the same totals, and pays nothing for equal ones",
    },
    {
      contract,
      functionName: "settle",
      original: "collected.hasPartner",
      mutated: "collected.isLocked",
      because: noPartner,
    },
    { contract, functionName: "_recipientsOf", original: "hasPartner", mutated: "true", because: noPartner },
    {
      contract,
      functionName: "_recipientsOf",
      operator: "statements swapped",
      because: "neither reads what the other one writes",
    },
    {
      contract,
      functionName: "_poolOf",
      original: "token, WRAPPED_NATIVE",
      operator: "arguments swapped",
      because: `PoolAddress ${sorts}`,
    },
  ];
}

function splitters(): Equivalent[] {
  const contract = "FeeSplitter";
  return [
    { contract, functionName: "releaseTo", operator: "statements swapped", because: "both refuse with the same error" },
    {
      contract,
      functionName: "setPayout",
      operator: "statements swapped",
      within: "_checkPayout(payout);",
      because: undone,
    },
    ...["claimable", "released"].flatMap((name) => unchecked(contract, name, "an index is at most 20")),
    ...unchecked(contract, "_release", "a total of 128 bits and a claim below 2^243"),
    ...unchecked(contract, "_entries", "a clone's code is longer than its proxy"),
    {
      contract,
      functionName: "_claim",
      original: "entitled > paid",
      mutated: "((entitled) >= (paid))",
      because: "where they are equal their difference is the same zero",
    },
    {
      contract,
      functionName: "_hasNoCode",
      operator: "operand removed",
      mutated: "(bytes3(account.code) == DELEGATION_HEAD)",
      because: "no other code can begin with 0xef (EIP-3541)",
    },
    {
      contract: "SplitterFactory",
      functionName: "create",
      original: "created != splitter",
      mutated: "(created < splitter)",
      because: "CREATE2 returns zero or the splitter",
    },
    ...["isSplitter[splitter] = true", "emit SplitterCreated"].map((within) => ({
      contract: "SplitterFactory",
      functionName: "create",
      original: "splitter",
      mutated: "created",
      within,
      because: "the guard above requires that they are equal",
    })),
  ];
}

function station(): Equivalent[] {
  const contract = "GasStation";
  return [
    ...["constructor", "withdrawFloat", "_setRelayer", "_setTreasury"].map((functionName) => ({
      contract,
      functionName,
      operator: "statements swapped",
      within: "_requireAddress(",
      because: undone,
    })),
    {
      contract,
      functionName: "constructor",
      operator: "statements swapped",
      within: "        owner = owner_;",
      because: "the event reads the parameter",
    },
    {
      contract,
      functionName: "topUp",
      operator: "statements swapped",
      within: "address(this).balance < quote.nativeAmount",
      because: `${undone}: a permit before the check of the float`,
    },
    { contract, functionName: "setPaused", operator: "statements swapped", because: "the event reads the parameter" },
    {
      contract,
      functionName: "_positionOf",
      original: "8",
      mutated: "(8 - 1)",
      because: "word and bit still determine the id; a word has fewer ids",
    },
    {
      contract,
      functionName: "_pull",
      original: "balanceAfter > balanceBefore",
      mutated: "((balanceAfter) >= (balanceBefore))",
      because: "where they are equal their difference is the same zero",
    },
  ];
}

function factory(): Equivalent[] {
  const contract = "LaunchFactory";
  return [
    ...unchecked(contract, "_openPool", "the constructor bounds the start tick"),
    {
      contract,
      functionName: "constructor",
      operator: "arguments swapped",
      original: "sqrtPriceX96IfToken0, sqrtPriceX96IfToken1",
      within: "areReciprocal(",
      because: `areReciprocal ${symmetric}`,
    },
    ...unchecked(contract, "_lock", "the constructor bounds the start tick; a pool takes at most the supply"),
    ...unchecked(contract, "_buy", "a pool takes at most the value, and pays out what it reports"),
    {
      contract,
      functionName: "_launch",
      mutated: "((token) <= (WRAPPED_NATIVE))",
      because: neverEqual,
    },
    {
      contract,
      functionName: "_launch",
      operator: "statements swapped",
      within: "if (_isSystemContract(params.partner, token, pool))",
      because: undone,
    },
    ...["_launch", "_buy"].map((functionName) => ({
      contract,
      functionName,
      original: "token, pool",
      mutated: "pool, token",
      within: "_isSystemContract(",
      because: `_isSystemContract ${symmetric}`,
    })),
    ...["token", "pool"].map((original) => ({
      contract,
      functionName: "_launch",
      operator: "identifier substituted",
      original,
      mutated: original === "token" ? "pool" : "token",
      within: "_isSystemContract(params.partner, token, pool)",
      because: "no partner is the launch's token or pool: their addresses are hashes of the partner",
    })),
    {
      contract,
      functionName: "predict",
      operator: "arguments swapped",
      original: "token, WRAPPED_NATIVE",
      because: `PoolAddress ${sorts}`,
    },
    {
      contract,
      functionName: "_openPool",
      operator: "arguments swapped",
      original: "token, WRAPPED_NATIVE",
      because: `Uniswap's factory ${sorts}`,
    },
    {
      contract,
      functionName: "_lock",
      mutated: "(partnerShareBps[params.partner])",
      because: "the registry has no entry for the zero address",
    },
    {
      contract,
      functionName: "_lock",
      original: "params.partner",
      mutated: "params.splitter",
      followedBy: " == address(0) ?",
      because: "the registry has no entry for the zero address, and a splitter is not zero",
    },
    {
      contract,
      functionName: "_buy",
      operator: "statements swapped",
      within: "deposit{value: msg.value}",
      because: "the deposit makes no call",
    },
    { contract, functionName: "_buy", original: '""', because: "the callback ignores its data" },
    ...["(SignatureCheckerLib.isValidERC1271SignatureNowCalldata(creator, digest, signature))", "(0 + 1)"].map(
      (mutated) => ({
        contract,
        functionName: "_isSigned",
        mutated,
        because: "an account without code, or with one byte of it, gives no answer, which is no acceptance",
      }),
    ),
  ];
}

/** The signed message contains its signer, so that `s` cannot be chosen: a boundary value occurs once in 2^255. */
function signature(): Equivalent[] {
  const [contract, functionName] = ["EcdsaSignature", "isSignedBy"];
  const because =
    "differs only for a valid signature whose s is exactly at the boundary, which is infeasible to create";
  const slice = "bytes32 takes the first 32 bytes of a slice; the length is checked before";
  return [
    { contract, functionName, mutated: "((uint256(s)) >= (MAX_S))", because },
    { contract, functionName: "", operator: "constant + 1", within: "MAX_S", because },
    { contract, functionName: "", operator: "constant - 1", within: "MAX_S", because },
    { contract, functionName, mutated: "(64 + 1)", within: "signature[32:64]", because: slice },
    { contract, functionName, mutated: "(32 + 1)", within: "signature[:32]", because: slice },
    {
      contract,
      functionName,
      original: "recovered",
      mutated: "signer",
      followedBy: " != address(0)",
      because: "where the two are equal, both or none are zero",
    },
  ];
}

function libraries(): Equivalent[] {
  const clone = "SplitterClone";
  return [
    {
      contract: "FeePolicy",
      functionName: "divide",
      operator: "arithmetic checked",
      because: "below 2^144, and each part is at most the whole: nothing can overflow",
    },
    {
      contract: "PoolAddress",
      functionName: "compute",
      mutated: "((tokenA) <= (tokenB))",
      because: "there is no pool of a token with itself",
    },
    ...unchecked(clone, "pack", "at most 20 entries"),
    ...unchecked(clone, "read", "the size is compared before"),
    ...unchecked(clone, "validate", "at most 20 shares of 16 bits"),
    ...["true", "((index) <= (entries.length / ENTRY_LENGTH))"].map((mutated) => ({
      contract: clone,
      functionName: "find",
      mutated,
      because: behindEntries,
    })),
    ...["find", "_indexOf"].map((functionName) => ({
      contract: clone,
      functionName,
      original: "ENTRY_LENGTH",
      mutated: "MAX_PAYEES",
      because: behindEntries,
    })),
    {
      contract: clone,
      functionName: "read",
      operator: "identifier substituted",
      original: "entries",
      within: "keccak256(actual) != keccak256(proxy)",
      because: "no caller reads the entries of what is no clone",
    },
    {
      contract: clone,
      functionName: "validate",
      mutated: "(_indexOf(entries, payee) < i)",
      because: "the first entry of a payee is never behind one of its entries",
    },
    ...["find", "_indexOf"].map((functionName) => ({
      contract: clone,
      functionName,
      operator: "arithmetic operator",
      original: "entries.length / ENTRY_LENGTH",
      because: behindEntries,
    })),
    {
      contract: clone,
      functionName: "pack",
      original: "22",
      mutated: "add(22, 1)",
      because: "the additional zero byte is overwritten by the next entry, or lies in memory that is not allocated yet",
    },
    {
      contract: "TokenTransfer",
      functionName: "trySend",
      original: "0x20",
      mutated: "add(0x20, 1)",
      because: "a byte more of the scratch space, which nothing reads",
    },
    {
      contract: "TokenTransfer",
      functionName: "trySend",
      original: "31",
      mutated: "sub(31, 1)",
      because: "with 31 bytes of return data the last byte of the word stays zero: it is not one",
    },
    {
      contract: "TokenTransfer",
      functionName: "trySend",
      original: "0x34",
      mutated: "add(0x34, 1)",
      within: "mstore(0x34, 0)",
      because: "leaves one byte of scratch space, and clears a byte of the pointer that is zero",
    },
    ...unchecked("StartPrice", "range", "the constructor bounds the start tick"),
    ...unchecked("StartPrice", "isStartTick", "the negative of a constant"),
    {
      contract: "StartPrice",
      functionName: "areReciprocal",
      original: "a >= MAX_SQRT_PRICE_X96 || b >= MAX_SQRT_PRICE_X96",
      because: reciprocalBounds,
      operator: "condition false",
    },
    ...["operand removed", "boolean operator"].map((operator) => ({
      contract: "StartPrice",
      functionName: "areReciprocal",
      operator,
      original: "a >= MAX_SQRT_PRICE_X96 || b >= MAX_SQRT_PRICE_X96",
      because: reciprocalBounds,
    })),
    ...["a", "b"].flatMap((name) => [
      {
        contract: "StartPrice",
        functionName: "areReciprocal",
        mutated: `((${name}) > (MAX_SQRT_PRICE_X96))`,
        because: reciprocalBounds,
      },
      {
        contract: "StartPrice",
        functionName: "areReciprocal",
        operator: "identifier substituted",
        original: name,
        mutated: name === "a" ? "b" : "a",
        within: ">= MAX_SQRT_PRICE_X96",
        because: reciprocalBounds,
      },
    ]),
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
  ];
}

function unchecked(contract: string, functionName: string, because: string): Equivalent[] {
  return [{ contract, functionName, operator: "arithmetic unchecked", because: `cannot overflow: ${because}` }];
}

function matches(mutant: Mutant, { within = "", followedBy = "", because, ...fields }: Equivalent): boolean {
  if (!mutant.lineText.includes(within) || !mutant.rest.startsWith(followedBy)) return false;
  return Object.entries(fields).every(([name, value]) => mutant[name as keyof Mutant] === value);
}

/** @returns Why the mutant does not change the behaviour, or null if it may. */
export function getEquivalenceReason(mutant: Mutant): string | null {
  return equivalents.find((known) => matches(mutant, known))?.because ?? null;
}

/** @returns The entries that describe none of the mutants: the sources have changed since. */
export function listStaleEquivalents(mutants: readonly Mutant[]): Equivalent[] {
  return equivalents.filter((known) => !mutants.some((mutant) => matches(mutant, known)));
}
