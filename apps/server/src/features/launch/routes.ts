import { launchCallsRequest, launchCallsResult } from "@slipway/protocol/launchCalls";
import { launchPreview, launchPreviewRequest } from "@slipway/protocol/launchPreview";
import { checksummed } from "@slipway/protocol/primitives";
import { launchRequest, unsignedResult } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { Principal } from "../../accounts/principal.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import {
  findLaunchedTokens,
  insertPreparedLaunch,
  insertPreparedSplitter,
  loadDraft,
} from "../../transactions/queries.ts";
import { draftErrors } from "../../transactions/requireLaunchableDraft.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { getCreator } from "./launchTerms.ts";
import { prepareLaunch } from "./prepareLaunch.ts";
import { prepareLaunchCalls } from "./prepareLaunchCalls.ts";
import { previewLaunch } from "./previewLaunch.ts";

/** The routes that prepare the launch of a draft's token. */
export function launchRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/launch/transactions",
      scope: "transactions",
      name: "prepareLaunch",
      tag: "Launch",
      summary: "Prepare the launch of a draft's token",
      description:
        "The splitter must be deployed and is proven by its deployment: the pinned code with exactly the draft's " +
        "recipients, in the draft's order. `expected` names the token and the pool that the launch will have; they " +
        "hold for this wallet and this salt. The draft's options are built in: the initial buy with its minimum and its " +
        "value (`expected.amount_out` is exact), the partner, links and banner. Where they name another creator than " +
        "`wallet`, the answer is 422: `POST /launch/calls` prepares that launch.",
      schemas: { body: launchRequest },
      answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
      errors: [
        ...draftErrors,
        "recipient_cannot_receive",
        "amount_too_small",
        "insufficient_balance",
        "splitter_not_deployed",
        "splitter_mismatch",
        "pool_taken",
        "salt_taken",
        "simulation_reverted",
        ...chainErrors,
      ],
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

    guardedRoute({
      method: "POST",
      path: "/launch/calls",
      scope: "transactions",
      name: "prepareLaunchCalls",
      tag: "Launch",
      summary: "Prepare a launch with its splitter as one batch, by another account than the creator if wanted",
      description:
        "`calls` is the whole launch, for `wallet_sendCalls` (EIP-5792, atomic): where `splitter` is null, the call of " +
        "the splitter factory that makes the draft's splitter, unless it exists, and the launch. `transaction` is the " +
        "same as one transaction, or null where there are two calls. Where the draft's `creator` is another address than " +
        "`wallet`, the wallet sends and pays the launch and the creator signs it: without `authorization` the answer " +
        "has the status `signature_required`, `typed_data`, and neither `calls` nor `transaction`. Ask again with its " +
        "`deadline` and the signature: of a key 65 bytes, of a contract wallet what its code accepts (ERC-1271). The " +
        "whole batch is simulated at `block_number`, the signature included.",
      schemas: { body: launchCallsRequest },
      answers: { 200: { description: "The batch to send, or what the creator signs", schema: launchCallsResult } },
      errors: [
        ...draftErrors,
        "address_checksum",
        "recipient_cannot_receive",
        "splitter_not_deployed",
        "splitter_mismatch",
        "signature_invalid",
        "quote_expired",
        "amount_too_small",
        "insufficient_balance",
        "pool_taken",
        "salt_taken",
        "simulation_reverted",
        ...chainErrors,
      ],
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

    guardedRoute({
      method: "POST",
      path: "/launch/preview",
      scope: "read",
      name: "previewLaunch",
      tag: "Launch",
      summary: "Preview a launch: prices, what buys get, gas, fees",
      description:
        "Market cap and FDV at the start price; the price after first buys of 0.1, 1 and 10 native; what the draft's " +
        "initial buy gets; the gas of each step now; the fees of a trade, less what Uniswap's own fee takes of them. " +
        "Amounts are computed as the pool computes them, and the whole launch is simulated at `block_number` as if the " +
        "wallet held what it needs. The token's address, and with it the order of the pool's tokens, depends on the " +
        "launch's salt: an amount of the launch itself can differ from the previewed one in its last digits.",
      schemas: { body: launchPreviewRequest },
      answers: { 200: { description: "The preview", schema: launchPreview } },
      errors: [
        ...draftErrors,
        "address_checksum",
        "recipient_cannot_receive",
        "amount_too_small",
        "simulation_reverted",
        ...chainErrors,
      ],
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
