import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import { checksummed } from "@slipway/protocol/primitives";
import type { Principal } from "../../accounts/principal.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import type { PreparedResult } from "../../transactions/preparation.ts";
import {
  findLaunchedTokens,
  insertPreparedLaunch,
  insertPreparedSplitter,
  loadDraft,
} from "../../transactions/queries.ts";
import { createLaunchOrder, type LaunchOrder } from "./launchOrder.ts";
import { prepareCancellation } from "./prepareCancellation.ts";
import { prepareLaunch } from "./prepareLaunch.ts";
import { previewLaunch } from "./previewLaunch.ts";

/** Creates the routes that prepare the launch of a draft's token. */
export function launchRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareLaunch", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const drafted = await loadDraftWithTokens(deps, principal, body.intent_id);
        const order = createLaunchOrder(deps.chain, proven.manifest, { shape: "transaction", ...drafted, body });
        const result = await prepareLaunch(deps, proven, order, requestId);
        await storeLaunch(deps, principal, order, result);
        return result;
      },
    }),

    createRoute("prepareLaunchCalls", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const drafted = await loadDraftWithTokens(deps, principal, body.intent_id);
        const order = createLaunchOrder(deps.chain, proven.manifest, { shape: "batch", ...drafted, body });
        const result = await prepareLaunch(deps, proven, order, requestId);
        if (!order.splitter.isNamed) {
          await insertPreparedSplitter(deps.db.api, {
            intentId: order.draft.id,
            wallet: order.wallet,
            method: "factory",
            accountNonce: 0,
          });
        }
        // Stored even without a signature: with one, any account can send the launch without this service.
        await storeLaunch(deps, principal, order, result);
        return result as LaunchCallsResult;
      },
    }),

    createRoute("prepareLaunchCancellation", {
      handle: async ({ body, requestId }) =>
        await prepareCancellation(deps, getProvenManifest(deps.chain), { wallet: checksummed(body.wallet) }, requestId),
    }),

    createRoute("previewLaunch", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const { draft, launchedBefore } = await loadDraftWithTokens(deps, principal, body.intent_id);
        return await previewLaunch(deps, proven, draft, checksummed(body.wallet), launchedBefore, requestId);
      },
    }),
  ];
}

/**
 * Loads a draft of the account and, concurrently, the tokens of its earlier launches.
 *
 * @throws SlipwayError `draft_not_found`, also for a draft of another account.
 */
async function loadDraftWithTokens({ db }: Deps, { accountId }: Pick<Principal, "accountId">, intentId: string) {
  const [draft, launchedBefore] = await Promise.all([
    loadDraft(db.api, accountId, intentId),
    findLaunchedTokens(db.api, intentId),
  ]);
  return { draft, launchedBefore };
}

/** Stores which draft a launch was prepared from. @throws SlipwayError `draft_not_found`, `invalid_fields`. */
async function storeLaunch(
  { db }: Deps,
  { accountId }: Pick<Principal, "accountId">,
  { draft, terms }: LaunchOrder,
  { expected }: PreparedResult,
): Promise<void> {
  await insertPreparedLaunch(db.api, {
    token: expected!.token!,
    intentId: draft.id,
    accountId,
    wallet: terms.creator,
    splitter: terms.params.splitter,
    optionsChangedAt: draft.optionsChangedAt,
  });
}
