import type { Manifest } from "@slipway/protocol/manifest";
import { plausibleEthUsd } from "@slipway/protocol/price";
import { checksummed } from "@slipway/protocol/primitives";
import type { OracleObservation } from "@slipway/protocol/settings";
import { toIsoTime } from "./format.ts";
import type { EthUsdRows, ObservationRow } from "./queries.ts";

/** The window that the price is averaged over, in seconds. */
export const oracleWindowSeconds = 600;

/** The last price may be this far from the average; further away the pool is being manipulated. */
const trustedDeviationBps = 500;

/** A pool whose price fewer dollars move by one percent is too thin to be trusted. */
const thinDepthUsd = 1_000;

/** The pool that prices the native asset, and its two assets. */
export type EthUsdSource = { pool: NonNullable<Manifest["eth_usd"]>; wrappedNative: string };

/** The pool that a manifest names, or null. */
export function getEthUsdSource(manifest: Manifest | null): EthUsdSource | null {
  if (manifest === null || manifest.eth_usd === null) return null;
  return { pool: manifest.eth_usd, wrappedNative: manifest.wrapped_native.address };
}

/**
 * The oracle's observation of ETH/USD now: the mean of ten minutes, or the last price until ten minutes are covered. A
 * pool without swaps is not stale; an index that is not fresh is.
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

/** The price of a pool without a swap is known, its liquidity is not: 0, which says nothing of its depth. */
function isThin(row: ObservationRow, source: EthUsdSource): boolean {
  return row.liquidity !== "0" && getDepthInUsd(row, source) < thinDepthUsd;
}

/**
 * How many dollars move the pool's price up by one percent, while its liquidity stays what it is: the change of the
 * stablecoin's virtual reserve (whitepaper, 6.14 and 6.16).
 */
function getDepthInUsd(row: ObservationRow, source: EthUsdSource): number {
  const liquidity = Number(row.liquidity);
  const root = Number(row.sqrt_price_x96) / 2 ** 96;
  const stablecoinIsToken1 = BigInt(source.wrappedNative) < BigInt(source.pool.stablecoin.address);
  const virtualReserve = stablecoinIsToken1 ? liquidity * root : liquidity / root;
  return (virtualReserve * (Math.sqrt(1.01) - 1)) / 10 ** source.pool.stablecoin_decimals;
}

/** A price since a time in Unix seconds. */
type PricePoint = { time: number; price: number };

/**
 * The time-weighted geometric mean of a price over [start, end], as Uniswap v3's oracle weighs ticks (whitepaper, 5.2);
 * null when the first point is later than `start`: the window is not covered.
 *
 * @param points - Oldest first; times may repeat, then the last one counts.
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
