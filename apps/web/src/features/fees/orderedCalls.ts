import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { decodeFunctionData, type Hex, multicall3Abi, zeroAddress } from "viem";

/** A claim of a wallet's fees of some tokens; `unwrap` pays wrapped native as native. */
export type Claim = { wallet: string; tokens: readonly string[]; unwrap: boolean; stages: "all" | "release" };

/** The payout address of a recipient's part of a token; null: the recipient. `splitter` is the token's splitter. */
export type PayoutOrder = { token: string; splitter: string; wallet: string; payout: string | null };

type AskedCall = { to?: string | undefined; data: string; value: string };

const isSame = (a: string | undefined, b: string | undefined) =>
  a !== undefined && a.toLowerCase() === b?.toLowerCase();

/** Whether a call sets exactly the chosen payout address at the shown splitter. */
export function isOrderedPayout({ to, data, value }: AskedCall, { splitter, payout }: PayoutOrder): boolean {
  const chosen = (payout?.toLowerCase() ?? zeroAddress) as Hex;
  const call = encodeCall({ abi: feeSplitterAbi, functionName: "setPayout", args: [chosen] });
  return isSame(to, splitter) && BigInt(value) === 0n && data.toLowerCase() === call;
}

/** The contracts of the deployment, by the names of `GET /config`. */
type Contracts = Readonly<Record<string, string>>;

/** The asset of a release that pays wrapped native as native. Source: FeeSplitter.UNWRAPPED. */
const unwrapped = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/** Whether a call is part of a claim, or a call of the deployment's Multicall3 with only such calls. */
export function isOrderedClaim({ to, data, value }: AskedCall, claim: Claim, contracts: Contracts): boolean {
  if (to === undefined || BigInt(value) !== 0n) return false;
  try {
    if (!isSame(to, contracts.multicall3)) return isClaimPart(data as Hex, claim, contracts);
    const { args } = decodeFunctionData({ abi: multicall3Abi, data: data as Hex });
    const [parts] = args as readonly [readonly { callData: Hex }[]];
    return parts.every(({ callData }) => isClaimPart(callData, claim, contracts));
  } catch {
    // Calldata of another function.
    return false;
  }
}

/**
 * Whether calldata collect, settle or release fees of the claimed tokens. Each of these functions pays only the
 * recorded payees. The contract is not compared: the page does not know the lockers of earlier deployments.
 *
 * @throws viem's errors for calldata of another function
 */
function isClaimPart(data: Hex, { wallet, tokens, unwrap }: Claim, { wrapped_native: wrapped = "" }: Contracts) {
  const isToken = (address: string) => tokens.some((token) => isSame(token, address));
  const areAssets = (assets: readonly string[], native: string) =>
    assets.every((asset) => isToken(asset) || isSame(asset, native));
  const { functionName, args } = decodeFunctionData({ abi: claimAbi, data });
  switch (functionName) {
    case "collect":
      return isToken(args[0]);
    case "settle":
      return isToken(args[0]) && areAssets(args[1], wrapped);
    case "payOwed":
      return areAssets([args[0]], wrapped);
    case "release":
      return areAssets(args[0], unwrap ? unwrapped : wrapped) && isSame(args[1], wallet);
    default:
      return false;
  }
}

const claimAbi = [...feeLockerAbi, ...feeSplitterAbi];
