import type { Intent } from "@slipway/protocol/intent";
import type { Warning } from "@slipway/protocol/transaction";

/** Warns of recipients named by a handle: nobody has checked that the wallet is theirs. */
export function handleWarnings(intent: Pick<Intent, "recipients">): Warning[] {
  return (intent.recipients ?? [])
    .filter(({ provider }) => provider !== "wallet")
    .map(({ handle, provider, wallet }) => ({
      code: "unverified_handle" as const,
      message: `The ${provider} handle ${handle} of ${wallet} is a label that nobody has checked; the wallet is paid.`,
    }));
}
