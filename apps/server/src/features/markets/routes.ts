import { intervalSeconds } from "@slipway/protocol/candle";
import { SlipwayError } from "@slipway/protocol/errors";
import type { BarLength, MarketItem } from "@slipway/protocol/markets";
import { createVersionedCache } from "../../cache/createVersionedCache.ts";
import type { Deps } from "../../deps.ts";
import type { Market } from "../../markets/market.ts";
import { type Bar, readBars } from "../../markets/readBars.ts";
import { findMarket, listMarkets, readMarketVersion } from "../../markets/readMarkets.ts";
import { finiteOrNull, toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { type FigureRow, gapDays, listFigures } from "./queries.ts";

/** Creates the routes of markets: the list with figures, and the bars of a market. */
export function marketsRoutes(deps: Deps): Route[] {
  const { clock, config, db } = deps;
  const getNow = () => Math.floor(clock.now() / 1000);
  const readVersion = () => db.readNewest(readMarketVersion);
  const cache = createVersionedCache({ clock, maxBytes: config.READ_CACHE_BYTES, readVersion });

  const build = async () => {
    const found = await listMarkets(db.read, getNow());
    const figures = new Map(
      (
        await listFigures(
          db.read,
          found.map(({ id }) => id),
        )
      ).map((row) => [row.id, row]),
    );
    return { items: found.map((market) => toMarketItem(market, figures.get(market.id))) };
  };

  return [
    createRoute("listMarkets", {
      cache: "public-10s",
      handle: async () => await cache.getResponse("markets", build),
    }),

    createRoute("listMarketBars", {
      cache: "public-10s",
      handle: async ({ params: { pair }, query: { interval, limit, before } }) =>
        await cache.getResponse(JSON.stringify([pair, interval, limit, before]), async () => {
          const found = await findMarket(db.read, pair, getNow());
          if (found === null) throw new SlipwayError("pair_not_found");
          const seconds = intervalSeconds[interval] as 60 | 3600;
          const range = { ...(before !== undefined && { to: before - 1 }), limit: limit + 1 };
          return toMarketBars(found, interval, await readBars(db.read, found, seconds, range), limit);
        }),
    }),
  ];
}

/** Converts a market to the wire format. Prices of an unavailable market are null. */
function toMarketItem(found: Market, figures: FigureRow | undefined): MarketItem {
  const { pair, base, quote, symbol, token, source, exchange, status, reason, firstBarAt, lastBarAt } = found;
  const isKnown = status !== "unavailable" && figures !== undefined;
  const price = isKnown ? figures.price : null;
  const earlier = isKnown ? figures.earlier : null;
  return {
    ...{ pair, base, quote, symbol, source, exchange, status, reason },
    token: token === null ? null : (toChecksumAddress(token) as `0x${string}`),
    last_bar_at: lastBarAt === null ? null : toIsoTime(lastBarAt),
    first_bar_at: firstBarAt === null ? null : toIsoTime(firstBarAt),
    bars_1h: figures?.bars_1h ?? 0,
    gaps_30d: countGaps(found, figures),
    price: finiteOrNull(price),
    change_24h: price === null || earlier === null ? null : finiteOrNull(price / earlier - 1),
  };
}

/** Counts the missing hours between the first stored hour, or 30 days back, and the last one. */
function countGaps({ source, firstBarAt, lastBarAt }: Market, figures: FigureRow | undefined): number | null {
  if (source === "pool" || firstBarAt === null || lastBarAt === null || figures === undefined) return null;
  const hours = Math.min(gapDays * 24, (lastBarAt - firstBarAt) / 3600 + 1);
  return Math.max(0, hours - figures.recent);
}

/** Converts a page of bars to the wire format. @param rows - Ascending; one more than `limit` when older bars exist. */
function toMarketBars(found: Market, interval: BarLength, rows: readonly Bar[], limit: number) {
  const page = rows.slice(-limit);
  return {
    ...{ pair: found.pair, interval, quote: found.quote },
    items: page.map(({ time: t, open: o, high: h, low: l, close: c, volume, quoteVolume, trades }) => {
      const vq = finiteOrNull(quoteVolume);
      return { t, o, h, l, c, v: found.quote === "USD" ? vq : null, vq, n: trades, vb: volume };
    }),
    next_before: rows.length > limit ? page[0]!.time : null,
  };
}
