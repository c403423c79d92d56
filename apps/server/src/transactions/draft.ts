import type { Intent, Recipient } from "@slipway/protocol/intent";
import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitterCode";
import type { Warning } from "@slipway/protocol/transaction";

/** A draft's recipients as the splitter's constructor takes them, in the draft's order. Handles play no part. */
export function allocationsOf(intent: Pick<Intent, "recipients">): Allocation[] {
  return (intent.recipients ?? []).map(({ wallet, share_bps }) => ({
    payee: checksummed(wallet),
    shareBps: share_bps,
  }));
}

/** Warns of recipients named by a handle that no account has proven together with the wallet. */
export function handleWarnings(labels: readonly (Recipient & { verified: boolean })[]): Warning[] {
  return labels
    .filter(({ provider, verified }) => provider !== "wallet" && !verified)
    .map(({ handle, provider, wallet }) => ({
      code: "unverified_handle" as const,
      message: `The ${provider} handle ${handle} of ${wallet} is a label that nobody has proven; the wallet is paid.`,
    }));
}
