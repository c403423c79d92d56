import { decodeFunctionData, type Hex, zeroAddress, zeroHash } from "viem";
import { canonicalJson } from "../canonicalJson.ts";
import { openingAbi } from "../contracts/opening.ts";
import { openingFactoryAbi } from "../contracts/openingFactory.ts";
import { encodeCall } from "../encodeCall.ts";
import type { LaunchParams } from "../launchAddress.ts";
import type { LaunchTypedData } from "../launchSignature.ts";
import {
  encodeCloseOpening,
  encodeCreateOpening,
  encodeOpen,
  encodeOpeningClaim,
  encodeOpeningDeposit,
  hashOpeningParams,
  type OpeningBounds,
} from "../opening.ts";
import { launchTypes } from "../signedTypes.ts";
import { type AskedCall, type Contracts, isSame } from "./check.ts";
import { getDraftSplitter } from "./draftSplitter.ts";
import { isReviewedLaunch, type ReviewedDraft } from "./reviewedLaunch.ts";

/** Returns the calldata that ask the opening factory whether it created an opening: a word that is 0 or 1. */
export const createIsOpeningCall = (opening: string): Hex =>
  encodeCall({ abi: openingFactoryAbi, functionName: "isOpening", args: [opening as Hex] });

/** Returns the calldata that read the hash of an opening's launch parameters. */
export const createParamsHashCall = (): Hex => encodeCall({ abi: openingAbi, functionName: "paramsHash" });

const isCall = ({ to, data, value }: AskedCall, target: string, asked: Hex, amount = 0n): boolean =>
  isSame(to, target) && BigInt(value) === amount && data.toLowerCase() === asked;

/** Whether a call deposits exactly `amount` wei of the wallet, in its own name. */
export const isOrderedDeposit = (
  call: AskedCall,
  order: { opening: string; wallet: string; amount: string },
): boolean => isCall(call, order.opening, encodeOpeningDeposit(order.wallet as Hex), BigInt(order.amount));

/** Whether a call pays the wallet its own part of an opening. */
export const isOrderedOpeningClaim = (call: AskedCall, order: { opening: string; wallet: string }): boolean =>
  isCall(call, order.opening, encodeOpeningClaim({ account: order.wallet as Hex }));

/** Whether a call ends an opening whose token was launched without it. The opening checks the parameters itself. */
export function isOpeningClosing(call: AskedCall, opening: string): boolean {
  try {
    const { functionName, args } = decodeFunctionData({ abi: openingAbi, data: call.data as Hex });
    return functionName === "close" && isCall(call, opening, encodeCloseOpening(args[0]));
  } catch {
    return false;
  }
}

/** Whether a call launches exactly what the creator has signed, through the opening. */
export function isSignedOpeningLaunch(
  call: AskedCall,
  opening: string,
  { params, value, buy }: LaunchTypedData["message"],
  signature: string,
): boolean {
  const asked = encodeOpen(params as LaunchParams, BigInt(value), BigInt(buy.minimumOut), signature as Hex);
  return isCall(call, opening, asked);
}

/**
 * The launch that a creator signs for an opening; `value` in wei, `paramsHash` as the chain has it, `output` from
 * `computeOpeningOutput`.
 */
export type OpeningSignature = {
  opening: string;
  creator: string;
  value: string;
  deadline: number;
  paramsHash: string;
  output: bigint | null;
};

/** Whether typed data launch the opening's token with one buy of `value` for the opening, with its exact output. */
export function isOpeningSignature(
  { domain, primaryType, types, message }: LaunchTypedData,
  order: OpeningSignature,
  contracts: Contracts,
): boolean {
  return (
    primaryType === "Launch" &&
    canonicalJson(types) === canonicalJson(launchTypes) &&
    `${domain.name} ${domain.version}` === "Slipway Launch Factory 1" &&
    isSame(domain.verifyingContract, contracts.launch_factory) &&
    isSame(message.creator, order.creator) &&
    isSame(message.buy.recipient, order.opening) &&
    message.buy.minimumOut === order.output?.toString() &&
    message.value === order.value &&
    message.deadline === String(order.deadline) &&
    hashOpeningParams(message.params as LaunchParams) === order.paramsHash.toLowerCase()
  );
}

/** Whether a call creates the opening of a reviewed draft with exactly these terms, without a buy of its own. */
export function isReviewedOpening(
  call: AskedCall,
  draft: ReviewedDraft,
  { creator, bounds, contracts }: { creator: string; bounds: OpeningBounds; contracts: Contracts },
): boolean {
  try {
    const { functionName, args } = decodeFunctionData({ abi: openingFactoryAbi, data: call.data as Hex });
    if (functionName !== "create") return false;
    const [params] = args;
    if (params.salt !== zeroHash) return false;
    const launch = { ...params, buyer: zeroAddress, value: "0" };
    const splitter = getDraftSplitter(draft, creator, contracts).address;
    return (
      isReviewedLaunch(launch, draft, { creator, splitter, vesting: null }) &&
      isCall(call, contracts.opening_factory ?? "", encodeCreateOpening(params, bounds))
    );
  } catch {
    return false;
  }
}
