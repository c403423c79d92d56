import { getErrorText, type Provider } from "./provider.ts";
import type { TransactionToSend } from "./send.ts";

/** Why a mined transaction had no effect. */
export type Revert = { reason: "price_moved" | "too_late" | "unknown"; detail: string | null };

/** Revert texts of the pinned routers, and of the launch factory's own buy. */
const reasons: readonly [RegExp, Revert["reason"]][] = [
  [/too little received|too much requested/i, "price_moved"],
  [/transaction too old/i, "too_late"],
];

/** Repeats a reverted transaction as a call at the block before it, and reads the revert reason. */
export async function explainRevert(
  provider: Provider,
  transaction: TransactionToSend,
  block: number,
): Promise<Revert> {
  const { from, to, data, value, gas } = transaction;
  try {
    await provider.request({
      method: "eth_call",
      params: [{ from, ...(to === undefined ? {} : { to }), data, value, gas }, `0x${(block - 1).toString(16)}`],
    });
    // The call succeeds one block earlier, so an earlier transaction of the same block caused the revert.
    return { reason: "unknown", detail: null };
  } catch (error) {
    const detail = decodeErrorData(error) ?? getErrorText(error);
    const known = reasons.find(([pattern]) => pattern.test(detail ?? ""));
    return { reason: known?.[1] ?? "unknown", detail };
  }
}

/** Returns the text of Solidity's `Error(string)` from the error's data, if the provider includes them. */
function decodeErrorData(error: unknown): string | null {
  const { data } = error as { data?: unknown };
  const hex = typeof data === "string" ? data : (data as { data?: unknown } | null | undefined)?.data;
  if (typeof hex !== "string" || !/^0x08c379a0[0-9a-fA-F]*$/.test(hex)) return null;
  const words = hex.slice(10);
  const length = Number(`0x${words.slice(64, 128) || "0"}`);
  if (!Number.isSafeInteger(length) || length > 1_000) return null;
  const bytes = words.slice(128, 128 + 2 * length).match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
