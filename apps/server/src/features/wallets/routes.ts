import { SlipwayError } from "@slipway/protocol/errors";
import { indexedWallet, walletParams, walletQuery } from "@slipway/protocol/people";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { publicRoute, type Route } from "../../route.ts";
import { readWallet, type WalletCursor } from "./queries.ts";
import { toWallet } from "./toWallet.ts";

/** A wallet as the index knows it. */
export function walletsRoutes(deps: Deps): Route[] {
  const mediaUrl = getMediaUrl(deps.config);
  return [
    publicRoute({
      method: "GET",
      path: "/wallets/:address",
      name: "getWallet",
      tag: "Tokens",
      cache: "public-10s",
      summary: "Get a wallet's holdings, launches, receipts, trades and profit",
      description:
        "Launched tokens only. Each list has up to 50 entries, newest token or trade first; `next_cursor` asks for the next " +
        "50 of all four. `trades` are those whose transaction the wallet sent. `profit` is that of all of them by moving " +
        "average cost; null where a value in USD was unknown. Any address has an answer.",
      schemas: { params: walletParams, query: walletQuery },
      answers: { 200: { description: "A page of the wallet's lists", schema: indexedWallet } },
      errors: ["cursor_expired", "index_unavailable", "storage_unavailable"],
      handle: async ({ params, query }) => {
        const wallet = params.address.toLowerCase();
        const cursor = parseCursor(query.cursor);
        const key = JSON.stringify(["wallet", wallet, query.cursor]);
        // A release changes what is claimable, and no token.
        return await deps.readModel.getResponse(key, ["tokens", "eth_usd", "block"], async (db, present) => {
          const row = await readWallet(db, wallet, cursor);
          if (!row.is_cursor_valid) throw new SlipwayError("cursor_expired");
          return toWallet(row, cursor, present, mediaUrl);
        });
      },
    }),
  ];
}

function parseCursor(cursor = "~~~"): WalletCursor {
  const [holdings, launches, receipts, trades] = cursor.split("~") as [string, string, string, string];
  return { holdings, launches, receipts, trades };
}
