import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import { defaultFeeBps, findLaunchTier, listLaunchTiers, protocolFeeBps } from "@slipway/protocol/feeTiers";
import type { Intent } from "@slipway/protocol/intent";
import { type LaunchOptions, type LaunchOptionsRequest, launchOptionsRequest } from "@slipway/protocol/launchOptions";
import type { Manifest } from "@slipway/protocol/manifest";
import { prepareOnChainText } from "@slipway/protocol/onChainText";
import { parseInput } from "@slipway/protocol/parseInput";
import { parsePublishedUri } from "@slipway/protocol/publishedUri";
import { prepareOptions } from "./prepareOptions.ts";

/**
 * Asserts that a draft can be launched. The splitter step checks it too, because deploying a splitter that no launch
 * accepts would waste gas.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `invalid_fields` for a draft
 * of an earlier version whose name, URI or options this version would not store.
 */
export function requireLaunchableDraft({ intent, options }: LaunchedDraft, manifest: Manifest): void {
  if (intent.chain_id !== manifest.chain_id) throw new SlipwayError("chain_mismatch");
  const { feeBps } = requireLaunchTier(intent, manifest);
  if ((intent.recipients ?? []).length === 0 && feeBps !== protocolFeeBps) {
    throw new SlipwayError("recipients_required");
  }

  const name = prepareOnChainText(intent.name);
  if (!name.ok) throw createContentError("name", name.refusal.message);
  for (const field of ["image_uri", "website"] as const) {
    const uri = intent[field] === undefined ? null : parsePublishedUri(intent[field]);
    if (uri?.ok === false) throw createContentError(field, uri.message);
  }
  if (options !== null) requireStoredOptions(options);
}

/**
 * Returns the fee tier of a draft's launch.
 *
 * @throws SlipwayError `fee_tier_not_launchable`, with the tiers that the deployment launches.
 */
export function requireLaunchTier({ fee_bps: feeBps = defaultFeeBps }: Pick<Intent, "fee_bps">, { current }: Manifest) {
  const tier = findLaunchTier(current, feeBps);
  if (tier !== null) return tier;
  const launchable = listLaunchTiers(current);
  const message = `No token launches with fee_bps ${feeBps} on this chain; fee_bps can be ${launchable.join(" or ")}.`;
  throw new SlipwayError("fee_tier_not_launchable", message, {
    details: { fee_bps: feeBps, launchable_fee_bps: launchable },
  });
}

type LaunchedDraft = { intent: Intent; options: LaunchOptions | null };

/**
 * Asserts that stored options equal the options that this version would store, so that no other data becomes calldata.
 *
 * @throws SlipwayError `invalid_fields`.
 */
function requireStoredOptions(options: LaunchOptions): void {
  const parsed = parseInput(launchOptionsRequest, options, "They");
  const what = parsed.ok ? findRefusal(parsed.value, options) : parsed.problem.message;
  if (what === null) return;
  throw new SlipwayError("invalid_fields", `Store the draft's options again: ${what}`, { field: "options" });
}

/** Returns why this version would not store the options in this form; null if it would. */
function findRefusal(request: LaunchOptionsRequest, stored: LaunchOptions): string | null {
  try {
    return canonicalJson(prepareOptions(request)) === canonicalJson(stored)
      ? null
      : "They are not in their normal form.";
  } catch (error) {
    if (error instanceof SlipwayError) return error.message;
    throw error;
  }
}

function createContentError(field: string, message: string): SlipwayError {
  return new SlipwayError("invalid_fields", `The draft's ${field} ${message}; store another draft.`, { field });
}
