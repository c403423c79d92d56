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

/** Less than this many dollars move the pool's price by one percent: anybody can set it. */
const thinDepthUsd = 1_000n;
/** By how much the virtual reserve changes when the price moves by one percent: sqrt(1.01) - 1, in millionths. */
const depthPerReserve = 4_988n;
/** Amounts are compared at this size, so that rounding to base units does not count. */
const comparedAmount = 10n ** 36n;

/** The reads that a price is made of: the quoter's, the pool's last price and liquidity, its oracle. */
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
          // The quoter refuses to quote nothing.
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

/** What the reads of `priceReads` answered. */
export type PriceAnswers = [
  Read<readonly [bigint, bigint, number, bigint]>,
  Read<readonly [bigint, number, number, number, number, number, boolean]>,
  Read<bigint>,
  Read<readonly [readonly bigint[], readonly bigint[]]>,
];

/** What an amount of native costs, in the token's base units. */
export type NativePrice = {
  /** What is asked: the fair amount and the markup, rounded up. */
  tokenAmount: bigint;
  /** What the native is worth: the larger of what the pool asks and its mean, so that pushing the pool down gains nothing. */
  fairAmount: bigint;
  /** Dollars for one whole native, as decimal digits. */
  ethUsd: string;
};

/**
 * Prices native in an accepted token: the quoter's price of the ETH/USD pool, held against the pool's own mean. A token
 * other than the pool's stablecoin counts as worth the same.
 *
 * @throws SlipwayError `gas_station_unavailable` when the pool does not say a price that can be trusted.
 */
export function priceNative(
  config: PriceConfig,
  { manifest, ethUsd }: Pick<AvailableStation, "manifest" | "ethUsd">,
  token: GasStationToken,
  amountInWei: bigint,
  [quoted, slot0, liquidity, observed]: PriceAnswers,
): NativePrice {
  if (!slot0.result || liquidity.result === undefined)
    throw createStationUnavailable("The ETH/USD pool does not answer.");
  if (!observed.result)
    throw createStationUnavailable("The ETH/USD pool is too young to say a mean price.", observed.error);
  const nativeIsToken0 = BigInt(manifest.wrapped_native.address) < BigInt(ethUsd.stablecoin.address);
  const spot = slot0.result[0];
  const mean = meanSqrtPrice(observed.result[0], config.GAS_STATION_TWAP_SECONDS);
  const decimals = ethUsd.stablecoin_decimals;
  if (depthInUsd(liquidity.result, spot, !nativeIsToken0, decimals) < thinDepthUsd) {
    throw createStationUnavailable("The ETH/USD pool is too thin to price by.");
  }
  const [atSpot, atMean] = [spot, mean].map((root) => valueAtSqrtPrice(comparedAmount, root, nativeIsToken0));
  if (deviationBps(atSpot!, atMean!) > config.GAS_STATION_MAX_DEVIATION_BPS) {
    throw createStationUnavailable("The ETH/USD pool's price is too far from its mean; try again in some minutes.");
  }
  const worth = valueAtSqrtPrice(amountInWei, mean, nativeIsToken0);
  const asked = amountInWei === 0n ? 0n : quoted.result?.[0];
  // Two base units apart is rounding.
  const mostAsked = withMarkup(worth, config.GAS_STATION_MAX_DEVIATION_BPS + Math.ceil(ethUsd.fee / 100)) + 2n;
  if (asked === undefined || asked > mostAsked) {
    throw createStationUnavailable("The ETH/USD pool cannot price this much.", quoted.error);
  }
  const fairAmount = atPar(asked > worth ? asked : worth, decimals, token.decimals);
  return {
    fairAmount,
    tokenAmount: withMarkup(fairAmount, config.GAS_STATION_MARKUP_BPS),
    ethUsd: formatUnits(valueAtSqrtPrice(10n ** 18n, spot, nativeIsToken0), decimals),
  };
}

/** The square root of the geometric mean price over the window (whitepaper, 5.2); the mean tick is rounded down. */
function meanSqrtPrice(cumulatives: readonly bigint[], seconds: number): bigint {
  const change = (cumulatives[1] ?? 0n) - (cumulatives[0] ?? 0n);
  const span = BigInt(seconds);
  const tick = Number(change / span) - (change < 0n && change % span !== 0n ? 1 : 0);
  return sqrtPriceX96AtTick(Math.min(maxTick, Math.max(minTick, tick)));
}

/** How many whole dollars move the price by one percent (whitepaper, 6.14 and 6.16). */
function depthInUsd(liquidity: bigint, root: bigint, stablecoinIsToken0: boolean, decimals: number): bigint {
  const reserve = stablecoinIsToken0 ? (liquidity << 96n) / root : (liquidity * root) >> 96n;
  return (reserve * depthPerReserve) / 10n ** BigInt(6 + decimals);
}
