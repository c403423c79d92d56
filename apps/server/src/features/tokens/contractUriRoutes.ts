import { SlipwayError } from "@slipway/protocol/errors";
import { readMetadataBytes } from "@slipway/protocol/metadataDocument";
import { contractDocument } from "@slipway/protocol/tokenList";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../route.ts";
import { requireIndexed, tokenParams } from "./pageRoutes.ts";
import { findContractUri } from "./queries.ts";

/** A token's document for readers that take https alone. Source: https://eips.ethereum.org/EIPS/eip-7572 */
export function contractUriRoutes(deps: Deps): Route[] {
  return [
    publicRoute({
      method: "GET",
      path: "/tokens/:address/contract-uri",
      name: "getContractDocument",
      tag: "Feeds",
      summary: "Get a token's ERC-7572 document as it is on the chain",
      description:
        "The bytes of the document that the launch contains, for readers that take https alone. A document that is not on the " +
        "chain, or no JSON object, is 404, and so is that of a blocked token: nothing is fetched, and no request is redirected.",
      schemas: { params: tokenParams },
      answers: { 200: { description: "The document", schema: contractDocument } },
      errors: ["token_not_indexed", "not_found", "index_unavailable", "storage_unavailable"],
      cache: "public-10s",
      handle: async ({ params }) => {
        const address = params.address.toLowerCase();
        const key = JSON.stringify(["contract-uri", address]);
        return await deps.readModel.getResponse(key, [toTokenTag(address)], async (db) => {
          const { uri, blocked } = requireIndexed(await findContractUri(db, address));
          const bytes = blocked ? null : readMetadataBytes(uri);
          if (bytes === null) throw new SlipwayError("not_found", "This token has no document on the chain.");
          return new CachedResponse(Buffer.from(bytes), strongEtag(bytes), "application/json");
        });
      },
    }),
  ];
}
