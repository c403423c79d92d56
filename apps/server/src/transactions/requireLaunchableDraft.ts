import { SlipwayError } from "@slipway/protocol/errors";
import type { Intent } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";

/**
 * Asserts that a draft can be launched. Both steps check it: a splitter that no launch accepts would cost gas for nothing.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`.
 */
export function requireLaunchableDraft(intent: Intent, manifest: Manifest): void {
  if (intent.chain_id !== manifest.chain_id) throw new SlipwayError("chain_mismatch");
  const feeBps = intent.fee_bps ?? 100;
  const tier = manifest.current.fee_policy.tiers.find(({ fee_bps }) => fee_bps === feeBps);
  if (!tier?.launchable) {
    throw new SlipwayError("fee_tier_not_launchable", undefined, { details: { fee_bps: feeBps } });
  }
  if ((intent.recipients ?? []).length === 0) throw new SlipwayError("recipients_required");
}
