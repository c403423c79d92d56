import { intervalSeconds } from "@slipway/protocol/candle";
import type { CandleInterval, IndexedCandles } from "@slipway/protocol/indexed";
import { toTokenTag } from "../../cache/cacheTag.ts";
import { getServedChainId } from "../../chain/chain.ts";
import type { Deps } from "../../deps.ts";
import type { SeriesRow } from "../../history/candleQueries.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { type CandleRow, toIndexedCandle } from "../../pricing/toIndexedCandle.ts";
import { createRoute, type Route } from "../../route.ts";
import { factRoutes } from "./facts/factRoutes.ts";
import { pageRoutes, requireIndexed } from "./pageRoutes.ts";
import { findToken, findTokenOfPool, listTokens } from "./queries.ts";
import { toIndexedTokens } from "./toIndexedToken.ts";
import { toTokenDetail } from "./toTokenDetail.ts";

/** Number of trades in a token's details. */
const detailTrades = 50;

/** Default of `before`: later than any block. */
const maxTime = 10 ** 12;

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
      async (db, { ethUsd }) =>
        toTokenDetail(requireIndexed(await findToken(db, deps.history, { address, trades: detailTrades })), {
          chainId,
          mediaUrl,
          official: getOfficialAssets(deps.config, manifest),
          explorerUrl: manifest?.explorer_url ?? null,
          ethUsd: ethUsd?.price ?? null,
          featured: featured.includes(address),
        }),
    );
  };

  return [
    createRoute("listTokens", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const { manifest } = deps.chain.manifestState();
        const context = {
          chainId: getServedChainId(deps),
          mediaUrl,
          official: getOfficialAssets(deps.config, manifest),
        };
        // Without a USD pool every USD volume is null: sort by the native volume.
        const sort = query.sort === "volume" && !manifest?.eth_usd ? "volume_quote" : query.sort;
        const search = query.q ? query.q.toLowerCase() : null;
        const key = JSON.stringify(["tokens", sort, query.limit, search]);
        return await reads.getResponse(key, ["tokens", "eth_usd", "minute"], async (db, readContext) => {
          const rows = await listTokens(db, { sort, featured, search, limit: query.limit });
          return toIndexedTokens(rows, context, readContext, search);
        });
      },
    }),

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

    createRoute("listTokenCandles", {
      cache: "public-10s",
      handle: async ({ params: { address: requested }, query: { interval, limit, before = maxTime } }) => {
        const address = requested.toLowerCase();
        const key = JSON.stringify(["candles", address, interval, limit, before]);
        return await reads.getResponse(key, [toTokenTag(address)], async (db) => {
          const page = { address, seconds: intervalSeconds[interval], before, limit: limit + 1 };
          return toIndexedCandles(requireIndexed(await deps.history.candles(db, page)), interval, limit);
        });
      },
    }),
  ];
}

/**
 * Converts a page of candles to the wire format, oldest first. A series has one quote for all its pages: USD when the
 * value of every trade of the token is known, otherwise wrapped native with `v` null.
 *
 * @param rows - Newest first; one more than `limit` when older ones exist.
 */
export function toIndexedCandles(rows: readonly SeriesRow[], interval: CandleInterval, limit: number): IndexedCandles {
  const found = rows.filter((row): row is SeriesRow & CandleRow => row.t !== null);
  const page = found.slice(0, limit);
  const inUsd = page.map((row) => toIndexedCandle(row, "usd"));
  const usd = rows[0]!.usd_known && !inUsd.includes(null);
  const candles = usd ? inUsd : page.map((row) => toIndexedCandle(row, "eth"));
  return {
    interval,
    items: candles.filter((candle) => candle !== null).toReversed(),
    price_usd_available: usd,
    quote: usd ? "usd" : "eth",
    next_before: found.length > limit ? page.at(-1)!.t : null,
  };
}
