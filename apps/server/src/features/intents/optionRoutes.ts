import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { prepareOptions } from "../../transactions/prepareOptions.ts";
import { findIntent, storeOptions } from "./queries.ts";
import { readProgress } from "./readProgress.ts";
import { toDraftWithOptions } from "./toDraft.ts";

/** Routes of one draft of the caller's account: its contents, options and launch progress. */
export function optionRoutes(deps: Deps): Route[] {
  return [
    createRoute("getIntent", {
      handle: async ({ params, principal }) => {
        const row = await findIntent(deps.db.api, principal.accountId, params.id);
        if (row === null) throw new SlipwayError("not_found");
        return await toDraftWithOptions(deps, row);
      },
    }),

    createRoute("getIntentProgress", {
      limit: "write",
      handle: async ({ params, principal }) => {
        const row = await findIntent(deps.db.api, principal.accountId, params.id);
        if (row === null) throw new SlipwayError("not_found");
        return await readProgress(deps, principal.accountId, row);
      },
    }),

    createRoute("putIntentOptions", {
      handle: async ({ params, body, principal }) => {
        const row = await storeOptions(deps.db.api, principal.accountId, params.id, prepareOptions(body));
        if (row === null) throw new SlipwayError("not_found");
        return await toDraftWithOptions(deps, row);
      },
    }),
  ];
}
