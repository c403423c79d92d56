import { isDisplayableHandle } from "@slipway/protocol/handleGrammar";
import type { Intent } from "@slipway/protocol/intent";
import { parsePublishedUri } from "@slipway/protocol/publishedUri";
import type { Warning } from "@slipway/protocol/transaction";
import type { Label } from "./queries.ts";

/** Creates warnings for URIs of a draft that are allowed and still likely a mistake. */
export function createUriWarnings(intent: Pick<Intent, "image_uri" | "website">): Warning[] {
  return (["image_uri", "website"] as const).flatMap((field) => {
    const parsed = parsePublishedUri(intent[field] ?? "");
    if (!parsed.ok) return [];
    return parsed.warnings.map(({ code, message }) => ({ code, message: `${field}: ${message}` }));
  });
}

/**
 * Creates warnings for recipients with a handle that no account has verified together with the wallet. A handle that no
 * account of the provider can have is text of the drafter's choice and not shown.
 */
export function createHandleWarnings(labels: readonly Label[]): Warning[] {
  return labels
    .filter(({ provider, verified }) => provider !== "wallet" && !verified)
    .map(({ handle = "", provider, wallet }) => {
      const label = isDisplayableHandle(provider, handle) ? `${provider} handle ${handle}` : `${provider} handle`;
      return {
        code: "unverified_handle" as const,
        message: `The ${label} of ${wallet} is a label that no account has verified; the wallet is paid.`,
      };
    });
}
