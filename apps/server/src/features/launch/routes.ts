import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Principal } from "../../accounts/principal.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import {
  findLaunchedTokens,
  insertPreparedLaunch,
  insertPreparedSplitter,
  loadDraft,
} from "../../transactions/queries.ts";
import { getCreator } from "./launchTerms.ts";
import { prepareLaunch } from "./prepareLaunch.ts";
import { prepareLaunchCalls } from "./prepareLaunchCalls.ts";
import { previewLaunch } from "./previewLaunch.ts";

/** The routes that prepare the launch of a draft's token. */
export function launchRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareLaunch", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const [draft, launchedBefore] = await loadDraftWithTokens(deps, principal, body.intent_id);
        const order = {
          wallet: checksummed(body.wallet),
          splitter: checksummed(body.splitter),
          salt: body.salt.toLowerCase() as Hex,
        };
        const result = await prepareLaunch(deps, proven, draft, order, launchedBefore, requestId);
        await insertPreparedLaunch(deps.db.api, {
          token: result.expected!.token!,
          intentId: draft.id,
          accountId: principal.accountId,
          wallet: order.wallet,
          splitter: order.splitter,
          optionsChangedAt: draft.optionsChangedAt,
        });
        return result;
      },
    }),

    createRoute("prepareLaunchCalls", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const [draft, launchedBefore] = await loadDraftWithTokens(deps, principal, body.intent_id);
        const { authorization = null, splitter = null } = body;
        const order = {
          wallet: checksummed(body.wallet),
          splitter: splitter === null ? null : checksummed(splitter),
          salt: body.salt.toLowerCase() as Hex,
          authorization:
            authorization === null
              ? null
              : { deadline: BigInt(authorization.deadline), signature: authorization.signature.toLowerCase() as Hex },
        };
        const result = await prepareLaunchCalls(deps, proven, draft, order, launchedBefore, requestId);
        if (splitter === null) {
          const made = { intentId: draft.id, wallet: order.wallet, method: "factory" as const, accountNonce: 0 };
          await insertPreparedSplitter(deps.db.api, made);
        }
        // Also before there is a signature: with it, the creator or anyone can send the launch without this service.
        await insertPreparedLaunch(deps.db.api, {
          token: result.expected!.token!,
          intentId: draft.id,
          accountId: principal.accountId,
          wallet: getCreator(draft, order.wallet),
          splitter: result.expected!.splitter!,
          optionsChangedAt: draft.optionsChangedAt,
        });
        return result;
      },
    }),

    createRoute("previewLaunch", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const [draft, launchedBefore] = await loadDraftWithTokens(deps, principal, body.intent_id);
        return await previewLaunch(deps, proven, draft, checksummed(body.wallet), launchedBefore, requestId);
      },
    }),
  ];
}

/**
 * Loads a draft of the account and, in the same time, the tokens that it was launched as before.
 *
 * @throws SlipwayError `draft_not_found`, also for a draft of another account.
 */
async function loadDraftWithTokens({ db }: Deps, { accountId }: Pick<Principal, "accountId">, intentId: string) {
  return await Promise.all([loadDraft(db.api, accountId, intentId), findLaunchedTokens(db.api, intentId)]);
}
