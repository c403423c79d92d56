import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenAbi } from "@slipway/protocol/contracts/launchToken";
import { openingAbi } from "@slipway/protocol/contracts/opening";
import { openingFactoryAbi } from "@slipway/protocol/contracts/openingFactory";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import { vestingAbi } from "@slipway/protocol/contracts/vesting";
import { vestingFactoryAbi } from "@slipway/protocol/contracts/vestingFactory";
import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import { type Abi, type AbiItem, decodeErrorResult, type Hex, parseAbi } from "viem";

/** Errors of the libraries in our contracts (solady) and of common ERC-20 tokens (OpenZeppelin, ERC-6093). */
const libraryErrors = parseAbi([
  "error TransferFailed()",
  "error TransferFromFailed()",
  "error ETHTransferFailed()",
  "error Reentrancy()",
  "error Overflow()",
  "error InsufficientBalance()",
  "error InsufficientAllowance()",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
]);

const listErrors = (abi: readonly unknown[]) => (abi as AbiItem[]).filter((item) => item.type === "error");

/** All errors of our transactions, without the duplicates that contracts share. */
const knownErrors = [
  ...new Map(
    [
      ...[launchFactoryAbi, feeLockerAbi, feeSplitterAbi, splitterFactoryAbi, launchTokenAbi, gasStationAbi],
      ...[vestingAbi, vestingFactoryAbi, openingAbi, openingFactoryAbi, libraryErrors],
    ]
      .flatMap((abi) => listErrors(abi))
      .map((item) => [JSON.stringify([item.name, item.inputs.map(({ type }) => type)]), item]),
  ).values(),
] as Abi;

/** Codes of contract errors. Errors without an entry have the code `simulation_reverted`. */
const codeByError: Record<string, ErrorCode> = {
  LaunchFactory_PoolTaken: "pool_taken",
  LaunchFactory_StartPriceMissed: "pool_taken",
  LaunchFactory_SaltTaken: "salt_taken",
  LaunchFactory_InvalidSplitter: "splitter_mismatch",
  LaunchFactory_InvalidSignature: "signature_invalid",
  Opening_Closed: "opening_closed",
  Opening_Expired: "opening_expired",
  Opening_ValueOutOfRange: "opening_value_out_of_range",
  Opening_NotLaunched: "opening_not_launched",
  Opening_TransferFailed: "recipient_cannot_receive",
  FeeSplitter_NotPayee: "not_recipient",
  FeeLocker_UnknownToken: "pool_not_supported",
  GasStation_QuoteUsed: "quote_consumed",
  GasStation_Expired: "quote_expired",
  GasStation_InvalidSignature: "signature_invalid",
  GasStation_Paused: "gas_station_unavailable",
  GasStation_NotRelayer: "gas_station_unavailable",
  GasStation_InsufficientFloat: "gas_station_unavailable",
  InsufficientBalance: "insufficient_balance",
  ERC20InsufficientBalance: "insufficient_balance",
};

/** Reason strings of Uniswap v3 with explanations, and error codes other than `simulation_reverted`. */
const uniswapReasons: Record<string, { meaning: string; code?: ErrorCode }> = {
  AS: { meaning: "the swap amount is zero", code: "amount_too_small" },
  STF: { meaning: "the token could not be pulled from the wallet" },
  TF: { meaning: "the token could not be paid out" },
  STE: { meaning: "the native asset could not be paid out: the receiver rejects it" },
  IIA: { meaning: "the pool was not paid enough" },
  SPL: { meaning: "the price limit is already passed" },
  LOK: { meaning: "the pool is locked or not initialised" },
  AI: { meaning: "the pool is already initialised" },
  "Too little received": { meaning: "the price moved past the slippage" },
  "Too much requested": { meaning: "the price moved past the largest input" },
  "Insufficient WETH9": { meaning: "the router has less wrapped native than the amount to unwrap" },
  "Transaction too old": { meaning: "the deadline has passed" },
};

/** A decoded revert. */
export type DecodedRevert = {
  /** The name of the error; `Error` for a reason string, `Panic`, or `unknown`. */
  name: string;
  args: Record<string, string>;
  code: ErrorCode;
  /** The meaning of the error, as a clause. */
  meaning: string;
};

/** Decodes revert data: errors of our contracts and their libraries, reason strings of Uniswap. */
export function decodeRevert(data: Hex): DecodedRevert {
  const code = "simulation_reverted" as const;
  if (data === "0x") return { name: "unknown", args: {}, code, meaning: "it reverts without a reason" };
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi: knownErrors, data });
    const named = nameArguments(abiItem, args);
    if (errorName === "Error") return decodeReason(String(args?.[0] ?? ""));
    const list = Object.entries(named).map(([name, value]) => `${name} ${value}`);
    return {
      name: errorName,
      args: named,
      code: codeByError[errorName] ?? code,
      meaning: `it reverts with ${errorName}(${list.join(", ")})`,
    };
  } catch {
    return {
      name: "unknown",
      args: { data: data.slice(0, 138) },
      code,
      meaning: `it reverts with ${data.slice(0, 10)}`,
    };
  }
}

function decodeReason(reason: string): DecodedRevert {
  // A reason is untrusted text: keep it short and printable.
  const text = reason.slice(0, 200).replace(/[^\x20-\x7e]/g, "?");
  const known = uniswapReasons[text];
  return {
    name: "Error",
    args: { reason: text },
    code: known?.code ?? "simulation_reverted",
    meaning: known ? `${known.meaning} ("${text}")` : `it reverts with "${text}"`,
  };
}

function nameArguments(item: AbiItem | undefined, args: readonly unknown[] | undefined): Record<string, string> {
  const inputs = item && "inputs" in item ? (item.inputs as readonly { name?: string }[]) : [];
  return Object.fromEntries((args ?? []).map((value, i) => [inputs[i]?.name || `argument${i}`, String(value)]));
}

/**
 * Creates the error for a transaction that would fail.
 *
 * @param blockNumber - The block of the simulation.
 * @param more - Additional details of the error.
 */
export function toRevertError(data: Hex, blockNumber: bigint, more: Record<string, unknown> = {}): SlipwayError {
  const { name, args, code, meaning } = decodeRevert(data);
  return new SlipwayError(code, `The transaction would fail: ${meaning}.`, {
    details: { error: name, args, block_number: blockNumber.toString(), ...more },
  });
}
