import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { type Hex, zeroAddress } from "viem";
import type { PayoutOrder } from "./claimFlow.ts";

type AskedCall = { to?: string | undefined; data: string; value: string };

const isSame = (a: string | undefined, b: string | undefined) =>
  a !== undefined && a.toLowerCase() === b?.toLowerCase();

/** Whether a call sets exactly the chosen payout address at the shown splitter. */
export function isOrderedPayout({ to, data, value }: AskedCall, { splitter, payout }: PayoutOrder): boolean {
  const chosen = (payout?.toLowerCase() ?? zeroAddress) as Hex;
  const call = encodeCall({ abi: feeSplitterAbi, functionName: "setPayout", args: [chosen] });
  return isSame(to, splitter) && BigInt(value) === 0n && data.toLowerCase() === call;
}
