import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { decodeSwap, swapTopic } from "@slipway/protocol/swapLog";
import { addTrade } from "../reduce/addTrade.ts";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** A swap of a launch's pool: the pool's new state, and a trade when both amounts moved. */
export const poolSwap: EventModule = {
  topic: swapTopic,
  role: "pool",
  apply: (log, batch, emitter) => {
    const swap = decodeSwap(log);
    const token = emitter.pool!;
    // A price of zero is no price: no genuine pool has it.
    if (swap === null || swap.sqrtPriceX96 === 0n) return;
    touch(batch, token);
    const before = { tick: token.tick, liquidity: token.liquidity };
    token.sqrtPriceX96 = swap.sqrtPriceX96;
    token.tick = swap.tick;
    token.liquidity = swap.liquidity;
    const [tokenDelta, quoteDelta] = token.isToken0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
    if (tokenDelta === 0n || quoteDelta === 0n) return;
    addTrade(batch, token, {
      isBuy: tokenDelta < 0n,
      tokenAmount: tokenDelta < 0n ? -tokenDelta : tokenDelta,
      quoteAmount: quoteDelta < 0n ? -quoteDelta : quoteDelta,
      price: priceFromSqrtX96(swap.sqrtPriceX96, token.isToken0),
      recipient: swap.recipient,
      before,
    });
  },
};
