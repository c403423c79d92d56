import { SlipwayError } from "@slipway/protocol/errors";
import { checksummed } from "@slipway/protocol/primitives";
import { toTokenTag } from "../../cache/cacheTag.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { loadDraft } from "../../transactions/queries.ts";
import { prepareRelease } from "./prepareRelease.ts";
import { createVestingOrder, prepareVesting } from "./prepareVesting.ts";
import { getReleasable, readTokenVesting, readVesting } from "./readVesting.ts";
import { findInitialBuy } from "./vestingQueries.ts";

/** Routes that create, show and release the vesting of an initial buy. */
export function vestingsRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareVesting", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        const order = createVestingOrder(proven.manifest, draft, checksummed(body.wallet));
        return await prepareVesting(deps, proven, order, requestId);
      },
    }),

    createRoute("prepareVestingRelease", {
      handle: async ({ body, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const row = await findInitialBuy(deps.db.read, body.token.toLowerCase());
        if (row === null) throw new SlipwayError("pool_not_supported", undefined, { field: "token" });
        const vesting = await readVesting(deps.chain, proven.manifest, row);
        if (vesting === null) throw new SlipwayError("no_vesting", undefined, { field: "token" });
        const order = {
          token: row.token,
          wallet: checksummed(body.wallet),
          vesting: { address: vesting.address, beneficiary: vesting.beneficiary },
          releasable: getReleasable(vesting),
        };
        return await prepareRelease(deps, proven, order, requestId);
      },
    }),

    createRoute("getTokenVesting", {
      cache: "public-10s",
      limit: "write",
      handle: async ({ params }) => {
        const address = params.address.toLowerCase();
        // The vested part grows without an event: at most one read of the chain a token and period of the cache.
        const tags = [toTokenTag(address), "minute"] as const;
        return await deps.readModel.getResponse(JSON.stringify(["vesting", address]), tags, async (db) => {
          const row = await findInitialBuy(db, address);
          if (row === null) throw new SlipwayError("token_not_indexed");
          return await readTokenVesting(deps.chain, row);
        });
      },
    }),
  ];
}
