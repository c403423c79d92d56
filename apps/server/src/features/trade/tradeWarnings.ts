import { positionAmounts, sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { Quote, Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import type { QuoteAnswers } from "./quoteTrade.ts";
import type { TradeOrder } from "./tradeOrder.ts";

/** Minimum wrapped native in the locked position: with less, any sale moves the price strongly. */
const minQuoteSideInWei = 10n ** 17n;
const highImpactBps = 500;

/** Creates the warnings of a quote. */
export function createTradeWarnings(
  launch: IndexedLaunch,
  quote: Pick<Quote, "price_impact_bps">,
  slot0: QuoteAnswers["slot0"],
): Warning[] {
  const warnings: Warning[] = [];
  const [sqrtPriceX96, , , , , protocolFee] = slot0;
  const position = positionAmounts(
    launch.liquidity,
    sqrtPriceX96,
    sqrtPriceX96AtTick(launch.tickLower),
    sqrtPriceX96AtTick(launch.tickUpper),
  );
  const quoteSide = launch.isToken0 ? position.amount1 : position.amount0;
  if (quoteSide < minQuoteSideInWei) {
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

/** Code prefix of an account that delegates (EIP-7702). Such an account can pass on received assets. */
const delegationPrefix = "0xef0100";

/** Creates the warning about a recipient with code, other than the wallet itself. */
export function createRecipientWarnings({ wallet, recipient }: TradeOrder, code: Hex): Warning[] {
  if (recipient === wallet || code === "0x" || code.toLowerCase().startsWith(delegationPrefix)) return [];
  return [
    {
      code: "recipient_is_contract",
      message: `The recipient ${recipient} is a contract: the payment is lost unless the contract can pass it on.`,
    },
  ];
}
