import type { AskedCall } from "@slipway/protocol/verify/check";
import { areReviewedCalls, type ReviewedDraft, type ReviewedParts } from "@slipway/protocol/verify/reviewedLaunch";
import { WalletError } from "../../wallet/provider.ts";

/**
 * Asserts that calls launch only the reviewed draft (`areReviewedCalls`).
 *
 * @throws WalletError `not_as_asked`
 */
export function requireReviewed(calls: readonly AskedCall[], draft: ReviewedDraft, parts: ReviewedParts): void {
  if (!areReviewedCalls(calls, draft, parts)) throw new WalletError("not_as_asked");
}
