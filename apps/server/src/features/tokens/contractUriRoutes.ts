import { SlipwayError } from "@slipway/protocol/errors";
import { readMetadataBytes } from "@slipway/protocol/metadataDocument";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { requireIndexed } from "./pageRoutes.ts";
import { findContractUri } from "./queries.ts";

/**
 * Creates the route of a token's document, for clients that accept only https URLs.
 * Source: https://eips.ethereum.org/EIPS/eip-7572
 */
export function contractUriRoutes(deps: Deps): Route[] {
  return [
    createRoute("getContractDocument", {
      cache: "public-10s",
      handle: async ({ params }) => {
        const address = params.address.toLowerCase();
        const key = JSON.stringify(["contract-uri", address]);
        return await deps.readModel.getResponse(key, [toTokenTag(address)], async (db) => {
          const { uri, blocked } = requireIndexed(await findContractUri(db, address));
          const bytes = blocked ? null : readMetadataBytes(uri);
          if (bytes === null) throw new SlipwayError("not_found", "This token has no document stored on the chain.");
          return new CachedResponse(Buffer.from(bytes), strongEtag(bytes), "application/json");
        });
      },
    }),
  ];
}
