import type { Recipient } from "@slipway/protocol/intent";
import type { Warning } from "@slipway/protocol/transaction";

/** Warns of recipients named by a handle that no account has proven together with the wallet. */
export function handleWarnings(labels: readonly (Recipient & { verified: boolean })[]): Warning[] {
  return labels
    .filter(({ provider, verified }) => provider !== "wallet" && !verified)
    .map(({ handle, provider, wallet }) => ({
      code: "unverified_handle" as const,
      message: `The ${provider} handle ${handle} of ${wallet} is a label that nobody has proven; the wallet is paid.`,
    }));
}
