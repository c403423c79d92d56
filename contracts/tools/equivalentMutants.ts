// Mutants that compile to different code with the same behaviour, each with the proof. `mutate.ts --check` fails if an
// entry matches no mutant of the sources, so that the list stays up to date.
import { listEquivalentOpenings } from "./equivalentOpeningMutants.ts";
import type { Mutant } from "./generateMutants.ts";

/**
 * Describes one or more mutants: every specified field must be equal. A name matches the end of the function's name.
 */
export interface Equivalent {
  contract: string;
  functionName: string;
  operator?: string;
  original?: string;
  mutated?: string;
  /** A part of the source line. */
  within?: string;
  /** The text that follows in the line, for a line that has the same mutant twice. */
  followedBy?: string;
  because: string;
}

const noPartner = "without a partner, the code writes or reads zeros, and the factory sets no share";
const undone = "the revert undoes both statements";
const neverEqual = "a launch token is never the wrapped native token";
const sorts = "sorts the two tokens";
const symmetric = "treats the two arguments equally";
const behindEntries = "an index at or above the number of entries means no entry, and memory after the entries is zero";
const hashedEachTime = "if the hash is zero, the ERC-20 hashes the name at each permit, with the same result";
const reciprocalBounds =
  "the reciprocal of a price within the lower bound differs from the upper bound by more than the tolerance";

/** Each reason must be short enough to be checked against the function. */
export const equivalents: readonly Equivalent[] = [
  ...locker(),
  ...splitters(),
  ...vestings(),
  ...listEquivalentOpenings(unchecked, undone),
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
    because: "the data contract ends at the end of the URI, and a longer read stops there",
  },
  {
    contract: "LaunchToken",
    functionName: "constructor",
    operator: "statements swapped",
    within: "metadata.length > MAX_METADATA_LENGTH",
    because: "both revert; only the error differs, on chains that limit the code size",
  },
  {
    contract: "LaunchToken",
    functionName: "constructor",
    operator: "statements swapped",
    within: "_NAME_HASH",
    because: "neither statement reads the values that the other writes",
  },
  ...unchecked("LaunchToken", "constructor", "lengths of texts in memory"),
  ...signature(),
  ...libraries(),
];

function locker(): Equivalent[] {
  const contract = "FeeLocker";
  return [
    { contract, functionName: "constructor", operator: "statements swapped", because: "the event reads the parameter" },
    ...["identifier substituted", "account substituted"].map((operator) => ({
      contract,
      functionName: "lock",
      operator,
      original: "partner",
      within: "bool hasPartner",
      because: noPartner,
    })),
    { contract, functionName: "lock", original: "hasPartner", mutated: "true", because: noPartner },
    ...["_mint(token, pool", "emit PositionLocked"].map((within) => ({
      contract,
      functionName: "lock",
      original: "pool",
      mutated: "expectedPool",
      within,
      because: "the guard above requires equal values",
    })),
    { contract, functionName: "uniswapV3MintCallback", operator: "statements swapped", because: undone },
    ...["uniswapV3MintCallback", "_rangeOf"].map((functionName) => ({
      contract,
      functionName,
      mutated: "((token) <= (WRAPPED_NATIVE))",
      because: neverEqual,
    })),
    ...unchecked(contract, "collect", "the sum of a total of 120 bits and an amount of 128 bits"),
    ...unchecked(contract, "ledgerOf", "each part grows monotonically with the amount"),
    ...unchecked(contract, "_pay", "a party is owed less than 2^256 settlements of 120 bits"),
    {
      contract,
      functionName: "_settle",
      operator: "arithmetic checked",
      because: "each part grows monotonically with the amount, so no overflow is possible",
    },
    {
      contract,
      functionName: "settle",
      original: "tokenAfter == tokenBefore && quoteAfter == quoteBefore",
      mutated: "false",
      because: "writes the same totals, and pays nothing for equal totals",
    },
    { contract, functionName: "_recipientsOf", original: "collected.hasPartner", mutated: "true", because: noPartner },
    {
      contract,
      functionName: "_recipientsOf",
      operator: "statements swapped",
      because: "neither statement reads the values that the other writes",
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
    { contract, functionName: "releaseTo", operator: "statements swapped", because: "both revert with the same error" },
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
      because: "if the values are equal, their difference is also zero",
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
      because: "the guard above requires equal values",
    })),
  ];
}

function vestings(): Equivalent[] {
  const contract = "Vesting";
  const [creates, equalValues] = ["CREATE2 returns zero or the vesting", "the guard above requires equal values"];
  return [
    ...unchecked(contract, "release", "the sum is the vested part, which `vested` computes with checks"),
    {
      contract,
      functionName: "vested",
      mutated: "((block.timestamp) < (cliff_))",
      because: "at the cliff, the product with no elapsed time is zero",
    },
    {
      contract,
      functionName: "vested",
      mutated: "((block.timestamp) > (end_))",
      because: "at the end, elapsed time and duration are equal",
    },
    {
      contract,
      functionName: "vested",
      operator: "arguments swapped",
      original: "received, block.timestamp - cliff_",
      because: "a product is symmetric",
    },
    {
      contract,
      functionName: "_terms",
      mutated: "(address(this).code.length > CODE_LENGTH)",
      because: "a vesting has exactly this length, and the implementation is longer",
    },
    ...["add(32, 1)", "sub(32, 1)"].map((mutated) => ({
      contract,
      functionName: "_terms",
      mutated,
      because: "the terms are the first 30 bytes of the word, and the bytes behind it are scratch space",
    })),
    {
      contract: "VestingFactory",
      functionName: "create",
      original: "created != vesting",
      mutated: "(created < vesting)",
      because: creates,
    },
    ...["isVesting[vesting] = true", "emit VestingCreated"].map((within) => ({
      contract: "VestingFactory",
      functionName: "create",
      original: "vesting",
      mutated: "created",
      within,
      because: equalValues,
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
      because: "if the values are equal, their difference is also zero",
    },
  ];
}

function factory(): Equivalent[] {
  const contract = "LaunchFactory";
  return [
    ...unchecked(contract, "_openPool", "the constructor bounds the start tick"),
    ...["if (IFeeSplitter(implementation).WRAPPED_NATIVE()", "_checkTier(uniswapFactory, REQUIRED_TIER);"].map(
      (within) => ({
        contract,
        functionName: "constructor",
        operator: "statements swapped",
        within,
        because: "both are checks: the deployment reverts in either order",
      }),
    ),
    {
      contract,
      functionName: "_launch",
      operator: "statements swapped",
      within: "_checkTier(UNISWAP_FACTORY, params.feeBps)",
      because: `${undone}: the creation of the token`,
    },
    {
      contract,
      functionName: "constructor",
      operator: "arguments swapped",
      original: "sqrtPriceX96IfToken0, sqrtPriceX96IfToken1",
      within: "areReciprocal(",
      because: `areReciprocal ${symmetric}`,
    },
    ...unchecked(contract, "_lock", "the constructor bounds the start tick; a pool takes at most the supply"),
    ...unchecked(contract, "_buy", "a pool takes at most the value, and pays out the amount that it reports"),
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
      mutated: "(partnerShareBps(params.partner))",
      because: "the registry has no entry for the zero address",
    },
    ...["params.splitter", "msg.sender"].map((mutated) => ({
      contract,
      functionName: "_lock",
      original: "params.partner",
      mutated,
      followedBy: " == address(0) ?",
      because: "the registry has no entry for the zero address, and neither a splitter nor a sender is zero",
    })),
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
        because: "an account without code, or with one byte of code, returns no data, which is no acceptance",
      }),
    ),
  ];
}

/** The signed message contains its signer, so `s` cannot be chosen: a boundary value has a probability of 2^-255. */
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
      because: "if the two are equal, both or neither are zero",
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
      because: "values are below 2^144, and each part is at most the whole: no overflow is possible",
    },
    ...unchecked("FeePolicy", "poolFeeOf", "a fee of 16 bits times 100 has less than 24 bits"),
    {
      contract: "PoolAddress",
      functionName: "compute",
      mutated: "((tokenA) <= (tokenB))",
      because: "there is no pool of a token with itself",
    },
    ...unchecked(clone, "pack", "at most 20 entries"),
    ...unchecked(clone, "read", "the size is checked before"),
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
      because: "no caller reads the entries of a contract that is not a clone",
    },
    {
      contract: clone,
      functionName: "validate",
      mutated: "(_indexOf(entries, payee) < i)",
      because: "the first entry of a payee never comes after its other entries",
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
      because: "one more byte of scratch space, which no code reads",
    },
    {
      contract: "TokenTransfer",
      functionName: "trySend",
      original: "31",
      mutated: "sub(31, 1)",
      because: "with 31 bytes of return data the last byte of the word stays zero, so the word is not one",
    },
    {
      contract: "TokenTransfer",
      functionName: "trySend",
      original: "0x34",
      mutated: "add(0x34, 1)",
      within: "mstore(0x34, 0)",
      because: "leaves one byte of scratch space, and clears a byte of the pointer that is already zero",
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
      because: "multiplication is commutative",
    },
    {
      contract: "StartPrice",
      functionName: "areReciprocal",
      original: "product, one",
      mutated: "one, product",
      because: "a distance is symmetric",
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

/** @returns the reason why the mutant does not change the behaviour, or null if it may. */
export function getEquivalenceReason(mutant: Mutant): string | null {
  return equivalents.find((entry) => matches(mutant, entry))?.because ?? null;
}

/** @returns the entries that match no mutant, because the sources have changed since. */
export function listStaleEquivalents(mutants: readonly Mutant[]): Equivalent[] {
  return equivalents.filter((entry) => !mutants.some((mutant) => matches(mutant, entry)));
}
