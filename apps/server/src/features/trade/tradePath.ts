import type { Manifest } from "@slipway/protocol/manifest";
import type { TradeRequest } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { IndexedLaunch } from "../../transactions/queries.ts";

/** Which way a trade goes through the launch's one pool. A buy spends the wrapped native asset, a sell receives it. */
export type TradePath = {
  tokenIn: Hex;
  tokenOut: Hex;
  /** The pool gets its token0 and gives token1. */
  zeroForOne: boolean;
  /** In hundredths of a basis point. */
  poolFee: number;
};

/** The path of a trade. */
export function tradePath(launch: IndexedLaunch, manifest: Manifest, side: TradeRequest["side"]): TradePath {
  const wrappedNative = manifest.wrapped_native.address as Hex;
  const isSell = side === "sell";
  return {
    tokenIn: isSell ? launch.token : wrappedNative,
    tokenOut: isSell ? wrappedNative : launch.token,
    zeroForOne: isSell === launch.isToken0,
    poolFee: launch.feeBps * 100,
  };
}
