import type { IndexedToken } from "@slipway/protocol/indexed";
import { checksumOf } from "../../readModel/checksumOf.ts";
import { dollars } from "../../readModel/dollars.ts";
import { finite } from "../../readModel/finite.ts";
import { isoTime } from "../../readModel/isoTime.ts";
import { liquidityValue } from "./liquidityValue.ts";
import type { TokenRow } from "./queries.ts";
import { tokenWarnings } from "./tokenWarnings.ts";

/**
 * A token on the wire. USD figures are today's: the native figure at the last ETH/USD observation; volume is the sum
 * of what each trade was worth when it happened. Price changes are of the pool's price in wrapped native.
 *
 * @param about.ethUsd - Null when it is not known or not trusted: figures that need it are null.
 */
export function toIndexedToken(
  row: TokenRow,
  about: { chainId: number; ethUsd: number | null; featured: boolean },
): IndexedToken {
  const inUsd = (native: number) => (about.ethUsd === null ? null : finite(native * about.ethUsd));
  return {
    address: checksumOf(row.address),
    chain_id: about.chainId,
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    image_url: row.image,
    pool: checksumOf(row.pool),
    quote_token: checksumOf(row.quote_token),
    fee_bps: row.fee_bps,
    fee_policy: {
      total_bps: row.fee_bps,
      protocol_bps: row.protocol_fee_bps,
      collaborators_bps: row.fee_bps - row.protocol_fee_bps,
    },
    creator: checksumOf(row.creator),
    launched_at: isoTime(row.block_time),
    block_number: row.block_number,
    tx_hash: row.tx_hash,
    source: row.legacy ? "legacy" : "own",
    featured: about.featured,
    price_usd: inUsd(row.price),
    price_eth: finite(row.price),
    market_cap_usd: inUsd(row.market_cap),
    fdv_usd: inUsd((row.price * Number(row.total_supply)) / 10 ** row.decimals),
    liquidity_usd: inUsd(liquidityValue(row)),
    volume_24h_usd: dollars(row.volume_24h_usd),
    price_change_24h_pct: finite(row.change_24h_pct),
    buys_24h: row.buys_24h,
    sells_24h: row.trades_24h - row.buys_24h,
    traders_24h: row.traders_24h,
    holders: row.holders,
    warnings: tokenWarnings(row),
  };
}
