import type { Manifest } from "@slipway/protocol/manifest";
import { plausibleEthUsd } from "@slipway/protocol/price";
import { checksummed } from "@slipway/protocol/primitives";
import type { OracleObservation } from "@slipway/protocol/settings";
import { toIsoTime } from "./format.ts";
import type { EthUsdRows, ObservationRow } from "./queries.ts";

/** Window of the average price, in seconds. */
export const oracleWindowSeconds = 600;

/** Maximum deviation of the last price from the average. A larger deviation indicates manipulation of the pool. */
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
 * Returns the oracle's current ETH/USD observation: the mean of ten minutes, or the last price if the observations
 * cover less. The observation is stale if the index is not fresh; a pool without swaps does not make it stale.
 *
 * @param rows - Null while nothing is indexed.
 */
export function observeEthUsd(
  source: EthUsdSource | null,
  rows: EthUsdRows | null,
  indexIsFresh: boolean,
): OracleObservation {
  const last = rows?.observations.at(-1);
  const identity = {
    pool: source === null ? null : checksummed(source.pool.pool),
    base_token: source === null ? null : checksummed(source.wrappedNative),
    quote_token: source === null ? null : checksummed(source.pool.stablecoin.address),
  };
  if (source === null || rows === null || last === undefined) {
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

  const start = rows.indexTime - oracleWindowSeconds;
  const points = rows.observations.map((row) => ({ time: row.block_time, price: row.price }));
  const mean = timeWeightedPrice(points, start, rows.indexTime);
  const deviationBps = mean === null ? 0 : Math.round(Math.abs(last.price / mean - 1) * 10_000);
  const reason = !indexIsFresh
    ? "stale"
    : isThin(last, source)
      ? "thin_liquidity"
      : deviationBps > trustedDeviationBps
        ? "deviation"
        : null;
  return {
    ...identity,
    price: reason === null ? plausibleEthUsd(mean ?? last.price) : null,
    method: mean === null ? "spot" : "twap",
    window_seconds: mean === null ? 0 : oracleWindowSeconds,
    block_number: last.block_number,
    observed_at: toIsoTime(last.block_time),
    stale: !indexIsFresh,
    reason,
    deviation_bps: deviationBps,
    ...(last.liquidity === "0" ? {} : { liquidity: last.liquidity }),
  };
}

/** Whether a pool is too thin to be trusted. Before the first swap the liquidity is unknown (stored as 0). */
function isThin(row: ObservationRow, source: EthUsdSource): boolean {
  return row.liquidity !== "0" && getDepthInUsd(row, source) < thinDepthUsd;
}

/**
 * Returns the dollars that move the pool's price up by one percent at constant liquidity: the change of the
 * stablecoin's virtual reserve (whitepaper, 6.14 and 6.16).
 */
function getDepthInUsd(row: ObservationRow, source: EthUsdSource): number {
  const liquidity = Number(row.liquidity);
  const root = Number(row.sqrt_price_x96) / 2 ** 96;
  const stablecoinIsToken1 = BigInt(source.wrappedNative) < BigInt(source.pool.stablecoin.address);
  const virtualReserve = stablecoinIsToken1 ? liquidity * root : liquidity / root;
  return (virtualReserve * (Math.sqrt(1.01) - 1)) / 10 ** source.pool.stablecoin_decimals;
}

/** A price, and the Unix seconds from which it applies. */
type PricePoint = { time: number; price: number };

/**
 * Returns the time-weighted geometric mean of a price over [start, end], as Uniswap v3's oracle weighs ticks
 * (whitepaper, 5.2); null if the first point is later than `start`, so that the window is not covered.
 *
 * @param points - Oldest first. For equal times, the last point counts.
 */
export function timeWeightedPrice(points: readonly PricePoint[], start: number, end: number): number | null {
  const first = points[0];
  if (first === undefined || first.time > start || end <= start) return null;
  let weighted = 0;
  for (const [index, point] of points.entries()) {
    const from = Math.max(point.time, start);
    const to = Math.min(points[index + 1]?.time ?? end, end);
    if (to > from) weighted += Math.log(point.price) * (to - from);
  }
  return Math.exp(weighted / (end - start));
}
