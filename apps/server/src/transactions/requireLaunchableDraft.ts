import { SlipwayError } from "@slipway/protocol/errors";
import type { Intent } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import { prepareOnChainText } from "@slipway/protocol/onChainText";
import { parsePublishedUri } from "@slipway/protocol/publishedUri";

/**
 * Asserts that a draft can be launched. Both steps check it: a splitter that no launch accepts would cost gas for nothing.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `invalid_fields` for a draft of
 * an earlier version whose name or URI is not stored any more.
 */
export function requireLaunchableDraft(intent: Intent, manifest: Manifest): void {
  if (intent.chain_id !== manifest.chain_id) throw new SlipwayError("chain_mismatch");
  const feeBps = intent.fee_bps ?? 100;
  const tier = manifest.current.fee_policy.tiers.find(({ fee_bps }) => fee_bps === feeBps);
  if (!tier?.launchable) {
    throw new SlipwayError("fee_tier_not_launchable", undefined, { details: { fee_bps: feeBps } });
  }
  if ((intent.recipients ?? []).length === 0) throw new SlipwayError("recipients_required");

  const name = prepareOnChainText(intent.name);
  if (!name.ok) throw createContentError("name", name.refusal.message);
  for (const field of ["image_uri", "website"] as const) {
    const uri = intent[field] === undefined ? null : parsePublishedUri(intent[field]);
    if (uri?.ok === false) throw createContentError(field, uri.message);
  }
}

function createContentError(field: string, message: string): SlipwayError {
  return new SlipwayError("invalid_fields", `The draft's ${field} ${message}; store another draft.`, { field });
}
