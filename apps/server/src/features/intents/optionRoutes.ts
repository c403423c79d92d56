import { SlipwayError } from "@slipway/protocol/errors";
import { draftWithOptions, launchOptionsRequest } from "@slipway/protocol/launchOptions";
import { launchProgress } from "@slipway/protocol/launchProgress";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { prepareOptions } from "../../transactions/prepareOptions.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { findIntent, storeOptions } from "./queries.ts";
import { readProgress } from "./readProgress.ts";
import { toDraftWithOptions } from "./toDraft.ts";

const params = z.object({ id: z.uuid().describe("The id of one of the account's drafts.") });

/** Routes of one draft of the caller's account: its options, and what became of it. */
export function optionRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "GET",
      path: "/intents/:id",
      name: "getIntent",
      tag: "Launch",
      summary: "Get a draft with its options",
      description: "`options` is null when none were put. The id of another account's draft is unknown here.",
      schemas: { params },
      answers: { 200: { description: "The draft", schema: draftWithOptions } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        const row = await findIntent(deps.db.api, principal.accountId, params.id);
        if (row === null) throw new SlipwayError("not_found");
        return await toDraftWithOptions(deps, row);
      },
    }),

    guardedRoute({
      method: "GET",
      path: "/intents/:id/progress",
      name: "getIntentProgress",
      tag: "Launch",
      summary: "Find the splitters and launches of a draft on the chain",
      description:
        "So that a launch goes on where a browser was closed. `launches` has what the index has. `splitters` has those " +
        "that a launch would accept: proven by their creation, with exactly the draft's recipients, and made by a wallet " +
        "that the account has linked or has prepared this draft with. What a reorganisation removes is not listed " +
        "any more. At most the newest 100 launches and 10 splitters are listed.",
      // It reads the chain, more than other GETs do.
      limit: "write",
      schemas: { params },
      answers: { 200: { description: "What is on the canonical chain", schema: launchProgress } },
      errors: ["invalid_request", "not_found", "index_unavailable", ...chainErrors],
      handle: async ({ params, principal }) => {
        const row = await findIntent(deps.db.api, principal.accountId, params.id);
        if (row === null) throw new SlipwayError("not_found");
        return await readProgress(deps, principal.accountId, row);
      },
    }),

    guardedRoute({
      method: "PUT",
      path: "/intents/:id/options",
      name: "putIntentOptions",
      tag: "Launch",
      summary: "Store the options of a draft: initial buy, partner, links, banner, creator",
      description:
        "Replaces all options of the draft; what is left out is null. `POST /launch/transactions` builds what is stored " +
        "at that time. The answer holds what a launch writes on chain: links and `banner_uri` are normalised, and a link " +
        "must be on its own host. A transaction that was prepared before stays valid with the earlier options: the draft " +
        "then carries the warning `options_changed`.",
      schemas: { params, body: launchOptionsRequest },
      answers: { 200: { description: "The draft with the options that are stored now", schema: draftWithOptions } },
      errors: ["not_found", "address_checksum", "storage_unavailable"],
      handle: async ({ params, body, principal }) => {
        const row = await storeOptions(deps.db.api, principal.accountId, params.id, prepareOptions(body));
        if (row === null) throw new SlipwayError("not_found");
        return await toDraftWithOptions(deps, row);
      },
    }),
  ];
}
