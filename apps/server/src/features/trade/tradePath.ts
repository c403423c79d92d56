import type { Manifest } from "@slipway/protocol/manifest";
import type { Hex } from "viem";
import type { Chain } from "../../chain/chain.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { requireTradeAsset, type TradeAsset } from "../../transactions/tradeAssets.ts";
import type { TradeOrder } from "./tradeOrder.ts";

/**
 * The direction of a trade through the launch's pool. A buy spends the wrapped native asset, a sell receives it; with an
 * asset, its pool exchanges the wrapped native for the asset.
 */
export type TradePath = {
  tokenIn: Hex;
  tokenOut: Hex;
  wrappedNative: Hex;
  /** Whether the launch's pool receives token0 and pays token1. */
  zeroForOne: boolean;
  /** The fee of the launch's pool, in hundredths of a basis point. */
  poolFee: number;
  asset: TradeAsset | null;
  /** The pools that receive the input and pay the output. */
  pools: { first: Hex; last: Hex };
};

/**
 * Creates the path of a trade.
 *
 * @throws SlipwayError `invalid_fields`, `asset_unavailable` for an asset that cannot be traded.
 */
export function createTradePath(
  chain: Pick<Chain, "manifestState">,
  launch: IndexedLaunch,
  manifest: Manifest,
  order: Pick<TradeOrder, "side" | "asset">,
): TradePath {
  const isSell = order.side === "sell";
  const wrappedNative = manifest.wrapped_native.address as Hex;
  const field = isSell ? "receive.asset" : "pay.asset";
  const asset = order.asset === null ? null : requireTradeAsset(chain.manifestState(), order.asset, field);
  const other = asset?.token ?? wrappedNative;
  const otherPool = asset?.pool ?? launch.pool;
  return {
    tokenIn: isSell ? launch.token : other,
    tokenOut: isSell ? other : launch.token,
    wrappedNative,
    zeroForOne: isSell === launch.isToken0,
    poolFee: launch.feeBps * 100,
    asset,
    pools: isSell ? { first: launch.pool, last: otherPool } : { first: otherPool, last: launch.pool },
  };
}
