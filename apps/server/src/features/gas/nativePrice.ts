import { atPar, deviationBps, valueAtSqrtPrice, withMarkup } from "@slipway/protocol/gas";
import type { GasStationToken } from "@slipway/protocol/manifest";
import { maxTick, minTick, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import { formatUnits, type Hex } from "viem";
import type { Config } from "../../config.ts";
import { type AvailableStation, createStationUnavailable } from "./requireAvailableStation.ts";

type PriceConfig = Pick<
  Config,
  "GAS_STATION_MARKUP_BPS" | "GAS_STATION_MAX_DEVIATION_BPS" | "GAS_STATION_TWAP_SECONDS"
>;

/** The minimum cost, in dollars, of moving the pool's price by one percent; below this, manipulation is too cheap. */
const minDepthUsd = 1_000n;
/** Change of the virtual reserve for a price change of one percent: sqrt(1.01) - 1, in millionths. */
const depthPerReserve = 4_988n;
/** Prices are compared at this amount, so that rounding to base units is negligible. */
const comparisonAmount = 10n ** 36n;

/** Creates the reads for a price: the quoter, the pool's price and liquidity, its oracle. */
export function createPriceReads({ manifest, ethUsd }: AvailableStation, amountInWei: bigint, twapSeconds: number) {
  const pool = { address: ethUsd.pool as Hex, abi: poolAbi } as const;
  return [
    {
      address: manifest.uniswap.quoter.address as Hex,
      abi: quoterAbi,
      functionName: "quoteExactOutputSingle",
      args: [
        {
          tokenIn: ethUsd.stablecoin.address as Hex,
          tokenOut: manifest.wrapped_native.address as Hex,
          // The quoter rejects a zero amount.
          amount: amountInWei === 0n ? 1n : amountInWei,
          fee: ethUsd.fee,
          sqrtPriceLimitX96: 0n,
        },
      ],
    },
    { ...pool, functionName: "slot0" },
    { ...pool, functionName: "liquidity" },
    { ...pool, functionName: "observe", args: [[twapSeconds, 0]] },
  ] as const;
}

type Read<T> = { result?: T; error?: Error };

/** The results of `createPriceReads`. */
export type PriceAnswers = [
  Read<readonly [bigint, bigint, number, bigint]>,
  Read<readonly [bigint, number, number, number, number, number, boolean]>,
  Read<bigint>,
  Read<readonly [readonly bigint[], readonly bigint[]]>,
];

/** The price of an amount of native, in the token's base units. */
export type NativePrice = {
  /** The amount to pay: the fair amount and the markup, rounded up. */
  tokenAmount: bigint;
  /** The larger of the pool's quote and its time-weighted mean, so that lowering the pool's price gains nothing. */
  fairAmount: bigint;
  /** Dollars for one whole native, as decimal digits. */
  ethUsd: string;
  /** The value of `comparisonAmount` at the pool's mean, in base units of the stablecoin, to compare prices. */
  meanValue: bigint;
};

/**
 * Prices native in an accepted token by the quoter of the ETH/USD pool, checked against the pool's time-weighted mean.
 * The mean is checked against the indexed price. Another accepted token has the same value as the pool's stablecoin.
 *
 * @param indexedEthUsd - Dollars for one whole native, from the index.
 * @throws SlipwayError `gas_station_unavailable` if the pool has no reliable price.
 */
export function priceNative(
  config: PriceConfig,
  { manifest, ethUsd }: Pick<AvailableStation, "manifest" | "ethUsd">,
  token: GasStationToken,
  amountInWei: bigint,
  [quoted, slot0, liquidity, observed]: PriceAnswers,
  indexedEthUsd: number,
): NativePrice {
  if (!slot0.result || liquidity.result === undefined)
    throw createStationUnavailable("The ETH/USD pool does not answer.");
  if (!observed.result)
    throw createStationUnavailable("The ETH/USD pool is too new to have a mean price.", observed.error);
  const nativeIsToken0 = BigInt(manifest.wrapped_native.address) < BigInt(ethUsd.stablecoin.address);
  const spot = slot0.result[0];
  const mean = computeMeanSqrtPrice(observed.result[0], config.GAS_STATION_TWAP_SECONDS);
  const decimals = ethUsd.stablecoin_decimals;
  if (computeDepthUsd(liquidity.result, spot, !nativeIsToken0, decimals) < minDepthUsd) {
    throw createStationUnavailable("The ETH/USD pool has too little liquidity for a reliable price.");
  }
  const atSpot = valueAtSqrtPrice(comparisonAmount, spot, nativeIsToken0);
  const meanValue = valueAtSqrtPrice(comparisonAmount, mean, nativeIsToken0);
  if (deviationBps(atSpot, meanValue) > config.GAS_STATION_MAX_DEVIATION_BPS) {
    throw createStationUnavailable("The ETH/USD pool's price is too far from its mean; try again in some minutes.");
  }
  if (deviationBps(meanValue, toComparisonValue(indexedEthUsd, decimals)) > config.GAS_STATION_MAX_DEVIATION_BPS) {
    throw createStationUnavailable("The ETH/USD pool's price is too far from the indexed price; try again later.");
  }
  const value = valueAtSqrtPrice(amountInWei, mean, nativeIsToken0);
  const quote = amountInWei === 0n ? 0n : quoted.result?.[0];
  // Two base units allow for rounding.
  const maxQuote = withMarkup(value, config.GAS_STATION_MAX_DEVIATION_BPS + Math.ceil(ethUsd.fee / 100)) + 2n;
  if (quote === undefined || quote > maxQuote) {
    throw createStationUnavailable("The ETH/USD pool cannot price this amount.", quoted.error);
  }
  const fairAmount = atPar(quote > value ? quote : value, decimals, token.decimals);
  return {
    fairAmount,
    tokenAmount: withMarkup(fairAmount, config.GAS_STATION_MARKUP_BPS),
    ethUsd: formatUnits(valueAtSqrtPrice(10n ** 18n, spot, nativeIsToken0), decimals),
    meanValue,
  };
}

/** Converts dollars for one whole native to the value of `comparisonAmount`, in base units of the stablecoin. */
function toComparisonValue(ethUsd: number, decimals: number): bigint {
  const millionths = BigInt(Math.round(ethUsd * 1e6));
  return (millionths * comparisonAmount * 10n ** BigInt(decimals)) / 10n ** 24n;
}

/** Computes the square root of the geometric mean price over the window (whitepaper, 5.2), the mean tick rounded down. */
function computeMeanSqrtPrice(cumulatives: readonly bigint[], seconds: number): bigint {
  const change = (cumulatives[1] ?? 0n) - (cumulatives[0] ?? 0n);
  const span = BigInt(seconds);
  const tick = Number(change / span) - (change < 0n && change % span !== 0n ? 1 : 0);
  return sqrtPriceX96AtTick(Math.min(maxTick, Math.max(minTick, tick)));
}

/** Computes the whole dollars that move the price by one percent (whitepaper, 6.14 and 6.16). */
function computeDepthUsd(liquidity: bigint, root: bigint, stablecoinIsToken0: boolean, decimals: number): bigint {
  const reserve = stablecoinIsToken0 ? (liquidity << 96n) / root : (liquidity * root) >> 96n;
  return (reserve * depthPerReserve) / 10n ** BigInt(6 + decimals);
}
