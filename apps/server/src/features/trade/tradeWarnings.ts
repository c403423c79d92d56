import { positionAmounts } from "@slipway/protocol/positionAmounts";
import { sqrtPriceX96AtTick } from "@slipway/protocol/tickMath";
import type { Quote, Warning } from "@slipway/protocol/transaction";
import type { IndexedLaunch } from "../../transactions/queries.ts";
import type { QuoteAnswers } from "./quoteTrade.ts";

/** Below this much wrapped native in the locked position a sale of any size moves the price by much. */
const thinQuoteSideInWei = 10n ** 17n;
const highImpactBps = 500;

/** What a trader should know before signing. */
export function tradeWarnings(launch: IndexedLaunch, quote: Quote, slot0: QuoteAnswers["slot0"]): Warning[] {
  const warnings: Warning[] = [];
  const [sqrtPriceX96, , , , , protocolFee] = slot0;
  const held = positionAmounts(
    launch.liquidity,
    sqrtPriceX96,
    sqrtPriceX96AtTick(launch.tickLower),
    sqrtPriceX96AtTick(launch.tickUpper),
  );
  const quoteSide = launch.isToken0 ? held.amount1 : held.amount0;
  if (quoteSide < thinQuoteSideInWei) {
    warnings.push({
      code: "thin_liquidity",
      message: `The pool holds ${quoteSide} wei of the wrapped native asset; later sales may find little to take.`,
    });
  }
  if (quote.price_impact_bps !== null && quote.price_impact_bps > highImpactBps) {
    warnings.push({
      code: "high_price_impact",
      message: `The trade moves the price: it yields ${quote.price_impact_bps} bp less than the pool's price.`,
    });
  }
  if (protocolFee !== 0) {
    warnings.push({
      code: "pool_protocol_fee_active",
      message: "Uniswap's protocol fee is on for this pool: it comes out of the liquidity's share of the fee.",
    });
  }
  return warnings;
}
