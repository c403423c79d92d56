import { SlipwayError } from "@slipway/protocol/errors";
import { type Hex, hexToBigInt, zeroAddress } from "viem";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import type { BatchSimulation } from "../../transactions/simulate.ts";
import { getLargestInput, type TradeOrder } from "./tradeOrder.ts";
import type { TradePath } from "./tradePath.ts";

/**
 * Asserts the transfers of a simulated trade: the wallet spends at most the largest input and no other asset, the
 * recipient receives at least the minimum, and the router keeps nothing. The router also spends assets that other
 * accounts have left in it, so the wallet can pay less and the recipient can receive more. If the node reports no
 * transfers, only the router's own checks apply, and the result has the warning `asset_changes_unknown`.
 *
 * @param before - The router's balances before the trade; `simulation.readData` contains the balances after it.
 * @param minimumOut - In base units of the received asset.
 * @throws SlipwayError `simulation_reverted`.
 */
export function assertTradeEffects(
  simulation: BatchSimulation,
  order: TradeOrder,
  path: Pick<TradePath, "tokenIn" | "tokenOut">,
  router: Hex,
  before: readonly { asset: Hex; amount: bigint }[],
  minimumOut: bigint,
): void {
  if (!simulation.areAssetChangesKnown) return;
  const [paid, received] = getSettledAssets(order, path);
  let spent = 0n;
  let gained = 0n;
  let routerNative = 0n;
  let movesOtherAsset = false;
  for (const { asset, from, to, amount } of simulation.assetChanges) {
    const value = BigInt(amount);
    if (isSameAddress(from, order.wallet)) {
      if (isSameAddress(asset, paid)) spent += value;
      else movesOtherAsset = true;
    }
    // The refund of the unspent input of an exact output.
    if (isSameAddress(to, order.wallet) && isSameAddress(asset, paid)) spent -= value;
    if (isSameAddress(to, order.recipient) && isSameAddress(asset, received)) gained += value;
    if (asset !== zeroAddress) continue;
    if (isSameAddress(to, router)) routerNative += value;
    if (isSameAddress(from, router)) routerNative -= value;
  }
  const keeps = before.filter(({ amount }, index) => hexToBigInt(simulation.readData[index]!) > amount);
  if (routerNative > 0n) keeps.push({ asset: zeroAddress, amount: 0n });
  if (!movesOtherAsset && spent <= getLargestInput(order) && gained >= minimumOut && keeps.length === 0) return;
  throw new SlipwayError("simulation_reverted", "The simulated trade makes other transfers than requested.", {
    details: { spent: spent.toString(), received: gained.toString(), kept_by_router: keeps.map(({ asset }) => asset) },
  });
}

/** Returns the asset that the wallet pays and the one that the recipient receives; native is the zero address. */
function getSettledAssets(
  { side, isNative }: TradeOrder,
  { tokenIn, tokenOut }: Pick<TradePath, "tokenIn" | "tokenOut">,
): [Hex, Hex] {
  if (!isNative) return [tokenIn, tokenOut];
  return side === "buy" ? [zeroAddress, tokenOut] : [tokenIn, zeroAddress];
}
