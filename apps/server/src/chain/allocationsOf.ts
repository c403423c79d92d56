import type { Intent } from "@slipway/protocol/intent";
import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitterCode";

/** A draft's recipients as the splitter's constructor takes them, in the draft's order. Handles play no part. */
export function allocationsOf(intent: Pick<Intent, "recipients">): Allocation[] {
  return (intent.recipients ?? []).map(({ wallet, share_bps }) => ({
    payee: checksummed(wallet),
    shareBps: share_bps,
  }));
}
