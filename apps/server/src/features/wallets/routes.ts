import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { createRoute, type Route } from "../../route.ts";
import { readWallet, type WalletCursor } from "./queries.ts";
import { toWallet } from "./toWallet.ts";

/** Creates the route of a wallet's indexed data. */
export function walletsRoutes(deps: Deps): Route[] {
  const mediaUrl = getMediaUrl(deps.config);
  return [
    createRoute("getWallet", {
      cache: "public-10s",
      handle: async ({ params, query }) => {
        const wallet = params.address.toLowerCase();
        const cursor = parseCursor(query.cursor);
        const key = JSON.stringify(["wallet", wallet, query.cursor]);
        // With the tag `block`, because a release changes claimable amounts without a change of a token.
        return await deps.readModel.getResponse(key, ["tokens", "eth_usd", "block"], async (db, readContext) => {
          const row = await readWallet(db, wallet, cursor);
          if (!row.is_cursor_valid) throw new SlipwayError("cursor_expired");
          const official = getOfficialAssets(deps.config, deps.chain.manifestState().manifest);
          return toWallet(row, cursor, readContext, { mediaUrl, official });
        });
      },
    }),
  ];
}

function parseCursor(cursor = "~~~"): WalletCursor {
  const [holdings, launches, receipts, trades] = cursor.split("~") as [string, string, string, string];
  return { holdings, launches, receipts, trades };
}
