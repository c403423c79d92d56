import type { Manifest } from "@slipway/protocol/manifest";
import { plausibleEthUsd } from "@slipway/protocol/price";
import { checksummed } from "@slipway/protocol/primitives";
import type { OracleObservation } from "@slipway/protocol/settings";
import { toIsoTime } from "./format.ts";
import { getWindowPrice, windowSeconds } from "./getWindowPrice.ts";
import type { EthUsdRows, ObservationRow } from "./queries.ts";

/** Maximum deviation of the pool's last price from the window's price. A larger deviation indicates manipulation. */
const trustedDeviationBps = 500;

/** A pool is not trusted if fewer dollars move its price by one percent. */
const thinDepthUsd = 1_000;

/** The ETH/USD pool and its two assets. */
export type EthUsdSource = { pool: NonNullable<Manifest["eth_usd"]>; wrappedNative: string };

/** Returns the ETH/USD pool of a manifest, or null. */
export function getEthUsdSource(manifest: Manifest | null): EthUsdSource | null {
  if (manifest === null || manifest.eth_usd === null) return null;
  return { pool: manifest.eth_usd, wrappedNative: manifest.wrapped_native.address };
}

/**
 * Returns the oracle's current ETH/USD observation, priced as the index prices a trade of the next block. The
 * observation is stale if the index is not fresh; a pool without swaps does not make it stale.
 *
 * @param rows - Null while nothing is indexed.
 */
export function observeEthUsd(
  source: EthUsdSource | null,
  rows: EthUsdRows | null,
  indexIsFresh: boolean,
): OracleObservation {
  const last = rows?.observations.at(-1);
  const price = getIndexedPrice(rows);
  const identity = {
    pool: source === null ? null : checksummed(source.pool.pool),
    base_token: source === null ? null : checksummed(source.wrappedNative),
    quote_token: source === null ? null : checksummed(source.pool.stablecoin.address),
  };
  if (source === null || rows === null || last === undefined || price === null) {
    const noPool = source === null;
    return {
      ...identity,
      price: null,
      method: "spot",
      window_seconds: 0,
      block_number: null,
      observed_at: null,
      stale: !noPool,
      reason: noPool ? "no_pool" : "stale",
    };
  }

  const coveredSeconds = Math.min(windowSeconds, rows.indexTime - rows.observations[0]!.block_time);
  const deviationBps = Math.round(Math.abs(last.price / price - 1) * 10_000);
  const reason = !indexIsFresh
    ? "stale"
    : isThin(last, source)
      ? "thin_liquidity"
      : deviationBps > trustedDeviationBps
        ? "deviation"
        : null;
  return {
    ...identity,
    price: reason === null ? plausibleEthUsd(price) : null,
    method: coveredSeconds === 0 ? "spot" : "twap",
    window_seconds: coveredSeconds,
    block_number: last.block_number,
    observed_at: toIsoTime(last.block_time),
    stale: !indexIsFresh,
    reason,
    deviation_bps: deviationBps,
    ...(last.liquidity === null ? {} : { liquidity: last.liquidity }),
  };
}

/** Returns the window's price at the last indexed block; null when unknown. */
export function getIndexedPrice(rows: EthUsdRows | null): number | null {
  return rows === null ? null : getWindowPrice(rows.observations, rows.indexTime);
}

/**
 * Whether a pool is too thin to be trusted. False while the liquidity is unknown, before the first swap. A pool without
 * liquidity is thin: a swap of nothing moves its price.
 */
function isThin(row: ObservationRow, source: EthUsdSource): boolean {
  return row.liquidity !== null && getDepthInUsd(row, Number(row.liquidity), source) < thinDepthUsd;
}

/**
 * Returns the dollars that move the pool's price up by one percent at constant liquidity: the change of the
 * stablecoin's virtual reserve (whitepaper, 6.14 and 6.16).
 */
function getDepthInUsd(row: ObservationRow, liquidity: number, source: EthUsdSource): number {
  const root = Number(row.sqrt_price_x96) / 2 ** 96;
  const stablecoinIsToken1 = BigInt(source.wrappedNative) < BigInt(source.pool.stablecoin.address);
  const virtualReserve = stablecoinIsToken1 ? liquidity * root : liquidity / root;
  return (virtualReserve * (Math.sqrt(1.01) - 1)) / 10 ** source.pool.stablecoin_decimals;
}
