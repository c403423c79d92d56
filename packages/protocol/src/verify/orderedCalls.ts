import { decodeFunctionData, type Hex, multicall3Abi, zeroAddress } from "viem";
import { feeLockerAbi } from "../contracts/feeLocker.ts";
import { feeSplitterAbi } from "../contracts/feeSplitter.ts";
import { launchFactoryAbi } from "../contracts/launchFactory.ts";
import { encodeCall } from "../encodeCall.ts";
import { type AskedCall, type Contracts, isSame } from "./check.ts";

/**
 * A claim of a wallet's fees of some tokens; `unwrap` pays wrapped native as native, `asset` restricts settlements and
 * releases to one asset, `splitters` are the contracts that may release, if the caller knows them.
 */
export type Claim = {
  wallet: string;
  tokens: readonly string[];
  unwrap: boolean;
  stages: "all" | "release";
  asset?: string | undefined;
  splitters?: readonly string[] | undefined;
};

/** The payout address of a recipient's part of a token; null: the recipient. `splitter` is the token's splitter. */
export type PayoutOrder = { token: string; splitter: string; wallet: string; payout: string | null };

/** Whether a call sets exactly the chosen payout address at the shown splitter. */
export function isOrderedPayout({ to, data, value }: AskedCall, { splitter, payout }: PayoutOrder): boolean {
  const chosen = (payout?.toLowerCase() ?? zeroAddress) as Hex;
  const call = encodeCall({ abi: feeSplitterAbi, functionName: "setPayout", args: [chosen] });
  return isSame(to, splitter) && BigInt(value) === 0n && data.toLowerCase() === call;
}

/** Whether a call cancels the launches that its sender has signed. */
export const isCancellation = ({ to, data, value }: AskedCall, contracts: Contracts): boolean =>
  isSame(to, contracts.launch_factory) &&
  BigInt(value) === 0n &&
  data.toLowerCase() === encodeCall({ abi: launchFactoryAbi, functionName: "cancel" });

/** Returns the calldata that reads an account's epoch from the launch factory. */
export const createEpochCall = (account: string): Hex =>
  encodeCall({ abi: launchFactoryAbi, functionName: "epochOf", args: [account as Hex] });

/** The asset of a release that pays wrapped native as native. Source: FeeSplitter.UNWRAPPED. */
const unwrapped = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/**
 * Whether a call is part of a claim, or a call of the deployment's Multicall3 with only such calls.
 *
 * @param lockers - The fee lockers of all deployments; null if the caller does not know those of earlier deployments.
 */
export function isOrderedClaim(
  { to, data, value }: AskedCall,
  claim: Claim,
  contracts: Contracts,
  lockers: readonly string[] | null = null,
): boolean {
  if (to === undefined || BigInt(value) !== 0n) return false;
  try {
    const isPart = (target: string, part: Hex) => isClaimPart(target, part, claim, contracts, lockers);
    if (!isSame(to, contracts.multicall3)) return isPart(to, data as Hex);
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data: data as Hex });
    const [parts] = args as readonly [readonly { target: string; callData: Hex }[]];
    // The encoding is the only one of these arguments: nothing follows them.
    if (functionName !== "aggregate3" || encodeCall({ abi: multicall3Abi, functionName, args }) !== data.toLowerCase())
      return false;
    return parts.every(({ target, callData }) => isPart(target, callData));
  } catch {
    // Calldata of another function.
    return false;
  }
}

/**
 * Whether calldata collect, settle or release fees of the claimed tokens. Each of these functions pays only the
 * recorded payees; the release of a contract that is no splitter pays nothing.
 *
 * @throws viem's errors for calldata of another function
 */
function isClaimPart(
  target: string,
  data: Hex,
  { wallet, tokens, unwrap, asset: only, splitters }: Claim,
  { wrapped_native: wrapped = "" }: Contracts,
  lockers: readonly string[] | null,
): boolean {
  const isToken = (address: string) => tokens.some((token) => isSame(token, address));
  const areAssets = (assets: readonly string[], native: string) =>
    assets.every((asset) => (isToken(asset) || isSame(asset, native)) && (only === undefined || isSame(asset, only)));
  const isLocker = lockers === null || lockers.some((locker) => isSame(locker, target));
  const isSplitter = splitters === undefined || splitters.some((splitter) => isSame(splitter, target));
  const call = decodeFunctionData({ abi: claimAbi, data });
  if (encodeCall({ abi: claimAbi, ...call }) !== data.toLowerCase()) return false;
  const { functionName, args } = call;
  switch (functionName) {
    case "collect":
      return isLocker && isToken(args[0]);
    case "settle":
      return isLocker && isToken(args[0]) && areAssets(args[1], wrapped);
    case "payOwed":
      return isLocker && areAssets([args[0]], wrapped);
    case "release":
      return isSplitter && areAssets(args[0], unwrap ? unwrapped : wrapped) && isSame(args[1], wallet);
    default:
      return false;
  }
}

/** Returns the name of the function that a part of a claim calls; null for calldata of another function. */
export function getClaimFunction(data: string): string | null {
  try {
    return decodeFunctionData({ abi: claimAbi, data: data as Hex }).functionName;
  } catch {
    return null;
  }
}

const claimAbi = [...feeLockerAbi, ...feeSplitterAbi];
