import { SlipwayError } from "@slipway/protocol/errors";
import type { IndexedTokens } from "@slipway/protocol/indexed";
import { findOfficialAsset } from "@slipway/protocol/officialAssets";
import type { Operations } from "@slipway/protocol/operations";
import type { z } from "zod";
import { getServedChainId } from "../../chain/chain.ts";
import { createSignedCursors, type SignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { type TokenContext, toIndexedTokens } from "./toIndexedToken.ts";
import type { TokenFilters } from "./tokenFilterQueries.ts";
import { findTokens, type ListPlace, listTokens, type TokenListQuery } from "./tokenListQueries.ts";
import { tokenOrders } from "./tokenOrderQueries.ts";

type Query = z.output<Operations["listTokens"]["query"]>;

/** Creates the route of the token list. */
export function tokenListRoute(deps: Deps): Route {
  const reads = deps.readModel;
  const cursors = createSignedCursors(deps.db, deps.ids);
  const mediaUrl = getMediaUrl(deps.config);
  const featured = deps.config.FEATURED_TOKENS.map((address) => address.toLowerCase());
  const tags = ["tokens", "eth_usd", "minute"] as const;

  const listByAddress = async (addresses: readonly string[], context: TokenContext) =>
    await reads.getResponse(JSON.stringify(["tokens by address", addresses]), tags, async (db, readContext) => {
      const tokens = await findTokens(db, { addresses, featured });
      const found = new Set(tokens.map(({ address }) => address));
      return {
        ...toIndexedTokens(tokens, context, readContext),
        total: tokens.length,
        next_cursor: null,
        unknown: addresses.filter((address) => !found.has(address)).map(toChecksumAddress),
      } satisfies IndexedTokens;
    });

  return createRoute("listTokens", {
    cache: "public-10s",
    handle: async ({ query }) => {
      const { manifest } = deps.chain.manifestState();
      const context = { chainId: getServedChainId(deps), mediaUrl, official: getOfficialAssets(deps.config, manifest) };
      if (query.addresses !== undefined) return await listByAddress(readAddresses(query, query.addresses), context);
      // Without a USD pool every USD volume is null: sort by the native volume.
      const sort = query.sort === "volume" && !manifest?.eth_usd ? "volume_quote" : query.sort;
      const search = query.q ? query.q.toLowerCase() : null;
      const { limit } = query;
      const direction = query.direction === tokenOrders[sort].direction ? undefined : query.direction;
      const listed = [sort, search, toConditions({ ...query, direction })];
      const after = query.cursor === undefined ? null : await openCursor(cursors, listed, query.cursor);
      const key = JSON.stringify(["tokens", listed, limit, after]);
      return await reads.getResponse(key, tags, async (db, readContext) => {
        const filters = toFilters(query, readContext.ethUsd?.price ?? null);
        const request: TokenListQuery = { sort, direction, featured, search, filters, limit, after };
        const page = await listTokens(db, request);
        if (page === "expired") throw new SlipwayError("cursor_expired");
        const asset = search === null ? null : findOfficialAsset(context.official, [search]);
        return {
          ...toIndexedTokens(page.tokens, context, readContext),
          total: page.total,
          next_cursor: page.next === null ? null : await sealCursor(cursors, listed, page.next),
          ...(asset === null ? {} : { official_asset: asset }),
        } satisfies IndexedTokens;
      });
    },
  });
}

/** Returns the parameters besides the order and the search: a cursor belongs to them, and a cached response. */
function toConditions({ sort: _sort, q: _q, limit: _limit, cursor: _cursor, ...conditions }: Query) {
  const used = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return used.map(([name, value]) => [name, typeof value === "string" ? value.toLowerCase() : value]);
}

/** @throws SlipwayError `invalid_query` for a parameter that `addresses` excludes, or a repeated address. */
function readAddresses(query: Query, list: string): string[] {
  const refuse = (message: string) => new SlipwayError("invalid_query", message, { field: "addresses" });
  const { addresses: _list, sort: _sort, limit: _limit, ...others } = query;
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw refuse(`addresses cannot be combined with ${name}: send one of them.`);
  }
  const addresses = list.toLowerCase().split(",");
  if (new Set(addresses).size < addresses.length) throw refuse("addresses has an address twice: send it once.");
  return addresses;
}

/** Converts the filters. Without an ETH/USD price no token has a known liquidity in USD, so none is listed. */
function toFilters(query: Query, ethUsd: number | null): TokenFilters {
  const { min_liquidity_usd: minLiquidityUsd, min_volume_usd_24h: minVolumeUsd } = query;
  return {
    creator: query.creator?.toLowerCase() ?? null,
    partner: query.partner?.toLowerCase() ?? null,
    maxAgeSeconds: query.max_age_seconds ?? null,
    minLiquidityQuote:
      minLiquidityUsd === undefined ? null : ethUsd === null ? Number.POSITIVE_INFINITY : minLiquidityUsd / ethUsd,
    minVolumeMicros: minVolumeUsd === undefined ? null : (BigInt(minVolumeUsd) * 1_000_000n).toString(),
  };
}

async function sealCursor(cursors: SignedCursors, query: unknown, next: ListPlace): Promise<string> {
  const { featured, address, value } = next;
  return await cursors.seal(["tokens", query], [featured ? 1 : 0, address, ...(value === null ? [] : [value])]);
}

async function openCursor(cursors: SignedCursors, query: unknown, cursor: string): Promise<ListPlace> {
  const opened = await cursors.open(["tokens", query], cursor);
  if (opened === null) {
    throw new SlipwayError("invalid_query", "cursor must be next_cursor of a page of this query.", { field: "cursor" });
  }
  const [featured, address, value = null] = opened;
  return { featured: featured === 1, address: String(address), value: value === null ? null : String(value) };
}
