import { toTokenTag } from "../../cache/cacheTag.ts";
import { getServedChainId } from "../../chain/chain.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { createRoute, type Route } from "../../route.ts";
import { candleRoute } from "./candleRoute.ts";
import { factRoutes } from "./facts/factRoutes.ts";
import { figureRoutes } from "./figureRoutes.ts";
import { pageRoutes, requireIndexed } from "./pageRoutes.ts";
import { findToken, findTokenOfPool } from "./queries.ts";
import { tokenListRoute } from "./tokenListRoute.ts";
import { toTokenDetail } from "./toTokenDetail.ts";

/** Number of trades in a token's details. */
const detailTrades = 50;

/** Creates the routes of indexed launches: the list, a token's details, its trades and candles. */
export function tokensRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;
  const mediaUrl = getMediaUrl(deps.config);
  const featured = deps.config.FEATURED_TOKENS.map((address) => address.toLowerCase());

  const readDetail = async (address: string) => {
    const chainId = getServedChainId(deps);
    const { manifest } = deps.chain.manifestState();
    return await reads.getResponse(
      JSON.stringify(["token", address]),
      [toTokenTag(address), "eth_usd", "minute"],
      async (db, { ethUsd, index }) =>
        toTokenDetail(requireIndexed(await findToken(db, deps.history, { address, trades: detailTrades })), {
          chainId,
          mediaUrl,
          official: getOfficialAssets(deps.config, manifest),
          explorerUrl: manifest?.explorer_url ?? null,
          ethUsd: ethUsd?.price ?? null,
          index,
          featured: featured.includes(address),
        }),
    );
  };

  return [
    tokenListRoute(deps),
    createRoute("getToken", {
      cache: "public-10s",
      handle: async ({ params }) => await readDetail(params.address.toLowerCase()),
    }),

    createRoute("getPool", {
      cache: "public-10s",
      handle: async ({ params }) => {
        await reads.getFreshIndex();
        return await readDetail(requireIndexed(await findTokenOfPool(deps.db.read, params.address.toLowerCase())));
      },
    }),

    ...pageRoutes(deps),
    ...factRoutes(deps),

    candleRoute(deps),
    ...figureRoutes(deps),
  ];
}
