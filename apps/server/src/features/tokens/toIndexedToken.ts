import { formatSqrtPrice } from "@slipway/protocol/decimalText";
import type { IndexedToken, IndexedTokens } from "@slipway/protocol/indexed";
import { findOfficialAsset, type OfficialAssets } from "@slipway/protocol/officialAssets";
import { toPublishedUri } from "@slipway/protocol/publishedUri";
import type { ReadContext } from "../../cache/createReadModel.ts";
import { finiteOrNull, toChecksumAddress, toDollars, toIsoTime } from "../../pricing/format.ts";
import { createImageWarning, createNameWarning } from "../../transactions/resemblanceWarnings.ts";
import { toFactsSummary } from "./facts/toTokenFacts.ts";
import { computeLiquidityValue } from "./positionValue.ts";
import type { TokenListRow, TokenRow } from "./queries.ts";
import { type TokenImage, toTokenImage } from "./toTokenImage.ts";

/** The settings with which every token of a response is converted. */
export type TokenContext = { chainId: number; mediaUrl: string | null; official: OfficialAssets };

/**
 * Converts a token to the wire format. USD figures are current: the native figure at the latest ETH/USD price; volume
 * is the sum of the trades' values at their time. Price changes are changes of the pool's price in wrapped native.
 *
 * @param context.ethUsd - Null when unknown or unreliable: figures that need it are null.
 * @param context.mediaUrl - From `getMediaUrl`; null: no picture is served, and `image_url` is the launch's URI.
 * @param context.official - From `getOfficialAssets`.
 */
export function toIndexedToken(
  row: TokenRow,
  context: TokenContext & { ethUsd: number | null; featured: boolean },
): IndexedToken {
  const inUsd = (native: number) => (context.ethUsd === null ? null : finiteOrNull(native * context.ethUsd));
  const image = toImage(row, context.mediaUrl);
  return {
    address: toChecksumAddress(row.address),
    chain_id: context.chainId,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    // Rows of earlier versions are not in normal form.
    image_url: image?.urls[256] ?? toPublishedUri(row.image),
    image,
    pool: toChecksumAddress(row.pool),
    quote_token: toChecksumAddress(row.quote_token),
    fee_bps: row.fee_bps,
    fee_policy: {
      total_bps: row.fee_bps,
      protocol_bps: row.protocol_fee_bps,
      collaborators_bps: row.fee_bps - row.protocol_fee_bps,
    },
    creator: toChecksumAddress(row.creator),
    launched_at: toIsoTime(row.block_time),
    block_number: row.block_number,
    tx_hash: row.tx_hash,
    source: row.legacy ? "legacy" : "own",
    featured: context.featured,
    price_usd: inUsd(row.price),
    price_eth: finiteOrNull(row.price),
    price_eth_exact: formatSqrtPrice(BigInt(row.sqrt_price_x96), row.is_token0),
    market_cap_usd: inUsd(row.market_cap),
    fdv_usd: inUsd((row.price * Number(row.total_supply)) / 10 ** row.decimals),
    liquidity_usd: inUsd(computeLiquidityValue(row)),
    volume_24h_usd: toDollars(row.volume_24h_usd),
    price_change_24h_pct: finiteOrNull(row.change_24h_pct),
    buys_24h: row.buys_24h,
    sells_24h: row.trades_24h - row.buys_24h,
    traders_24h: row.traders_24h,
    holders: row.holders,
    facts: toFactsSummary(row),
    warnings: createTokenWarnings(row, context.official),
  };
}

function toImage(row: TokenRow, mediaUrl: string | null): TokenImage | null {
  if (row.image_sha256 === null || mediaUrl === null) return null;
  const image = {
    sha256: row.image_sha256,
    width: row.image_width,
    height: row.image_height,
    animated: row.image_animated,
    blurhash: row.image_blurhash,
    dominant_color: row.image_dominant_color,
  };
  return toTokenImage({ ...image, name: row.name, symbol: row.symbol }, mediaUrl);
}

/** Creates the warnings of a token. */
export function createTokenWarnings(
  row: Pick<
    TokenRow,
    | "name"
    | "symbol"
    | "splitter_proven"
    | "pool_protocol_fee"
    | "manifest"
    | "manifest_error"
    | "resembles"
    | "image_resembles"
    | "blocked"
  >,
  official: OfficialAssets,
): IndexedToken["warnings"] {
  const warnings: IndexedToken["warnings"] = [];
  if (row.blocked) {
    warnings.push({
      code: "blocked",
      message: "The operator removed this token from all lists. It can still be sold, and its fees claimed.",
    });
  }
  if (row.splitter_proven === false) {
    warnings.push({
      code: "splitter_unproven",
      message: "The fee splitter was not created by the pinned code; its shares are unverified.",
    });
  } else if (row.splitter_proven === null) {
    warnings.push({ code: "splitter_unchecked", message: "The fee splitter's creation has not been verified yet." });
  }
  if (row.pool_protocol_fee !== 0) {
    warnings.push({
      code: "pool_protocol_fee",
      message: "Uniswap takes a part of this pool's fee; protocol and collaborators share the rest.",
    });
  }
  const nameWarning = createNameWarning(row, official);
  if (nameWarning !== null) warnings.push(nameWarning);
  if (row.image_resembles !== null) warnings.push(createImageWarning(row.image_resembles));
  if (row.manifest === "fetched") {
    warnings.push({
      code: "foreign_metadata",
      message: "Image, description and website come from a document outside the chain; its publisher can change it.",
    });
  } else if (row.manifest_error !== null) {
    warnings.push({
      code: "metadata_unavailable",
      message: `The launch names a document outside the chain, which could not be fetched: ${row.manifest_error}.`,
    });
  }
  return warnings;
}

/**
 * Converts a page of the token list to the wire format. `as_of` is the latest change of its tokens or of the ETH/USD
 * price of its figures.
 */
export function toIndexedTokens(
  rows: readonly TokenListRow[],
  context: TokenContext,
  readContext: ReadContext,
  search: string | null,
): IndexedTokens {
  const { ethUsd } = readContext;
  const asset = search === null ? null : findOfficialAsset(context.official, [search]);
  const tokens = rows.filter((row): row is TokenListRow & { featured: boolean } & TokenRow => row.featured !== null);
  return {
    items: tokens.map((row) =>
      toIndexedToken(row, { ...context, ethUsd: ethUsd?.price ?? null, featured: row.featured }),
    ),
    total: rows[0]!.total,
    quote: ethUsd === null ? "eth" : "usd",
    as_of: getLastChange(tokens, readContext),
    ...(asset === null ? {} : { official_asset: asset }),
  };
}

/** Returns the latest change of tokens or of the ETH/USD price of their figures; without a token the indexed block. */
export function getLastChange(
  tokens: readonly Pick<TokenRow, "changed_block" | "changed_time">[],
  { ethUsd, index }: ReadContext,
): IndexedTokens["as_of"] {
  const changes = tokens.map((row) => ({ block: row.changed_block, time: row.changed_time }));
  if (ethUsd !== null && tokens.length > 0) changes.push({ block: ethUsd.block, time: ethUsd.time });
  const last = changes.reduce(
    (a, b) => (b.block > a.block ? b : a),
    changes[0] ?? { block: index.indexedBlock, time: index.indexedTime },
  );
  return { block_number: last.block, timestamp: toIsoTime(last.time) };
}
