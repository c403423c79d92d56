import { SlipwayError } from "@slipway/protocol/errors";
import type { RouterKind } from "@slipway/protocol/swapCall";
import { swapRouter02Abi, swapRouterAbi } from "@slipway/protocol/uniswap";
import { decodeFunctionResult, type Hex } from "viem";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import type { BatchSimulation } from "../../transactions/simulate.ts";
import type { UnpricedQuote } from "./quoteTrade.ts";
import type { TradePath } from "./tradePath.ts";

type Simulated = Pick<BatchSimulation, "areAssetChangesKnown" | "assetChanges" | "returnData">;
type SwapAssets = Pick<TradePath, "tokenIn" | "tokenOut" | "pools">;

/**
 * Asserts that the simulated swap pays and yields exactly the quoted amounts. Quote and simulation are integer
 * calculations on the same state of the pool, so a difference means that an RPC endpoint returned a wrong result. The
 * limits of the transaction follow from the quote: with a quote that is too low, another account could take the
 * difference between the real output and `minimum_out`.
 *
 * Compares the transfers of the pools, because assets that others left in the router change the amounts of the wallet.
 * If the node reports no transfers, compares the router's return value.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export function assertQuotedAmounts(
  simulation: Simulated,
  path: SwapAssets,
  routerKind: RouterKind,
  quote: Pick<UnpricedQuote, "amount_in" | "amount_out">,
): void {
  const quoted = { amountIn: BigInt(quote.amount_in), amountOut: BigInt(quote.amount_out) };
  const simulated = simulation.areAssetChangesKnown
    ? sumPoolTransfers(simulation, path)
    : { ...quoted, amountOut: decodeAmountOut(simulation.returnData, routerKind) };
  if (simulated.amountIn === quoted.amountIn && simulated.amountOut === quoted.amountOut) return;
  throw new SlipwayError(
    "chain_unavailable",
    "The simulated swap differs from its quote, because an RPC endpoint returned a wrong result. Send no transaction; " +
      "repeat the request.",
    {
      details: {
        quoted: { amount_in: quote.amount_in, amount_out: quote.amount_out },
        simulated: {
          amount_in: simulated.amountIn.toString(),
          amount_out: simulated.amountOut === null ? null : simulated.amountOut.toString(),
        },
      },
    },
  );
}

/** Sums what the first pool receives and the last pool pays. */
function sumPoolTransfers({ assetChanges }: Simulated, { tokenIn, tokenOut, pools }: SwapAssets) {
  let amountIn = 0n;
  let amountOut = 0n;
  for (const { asset, from, to, amount } of assetChanges) {
    if (isSameAddress(asset, tokenIn) && isSameAddress(to, pools.first)) amountIn += BigInt(amount);
    if (isSameAddress(asset, tokenOut) && isSameAddress(from, pools.last)) amountOut += BigInt(amount);
  }
  return { amountIn, amountOut };
}

/**
 * Decodes the output that the router returns for an exact input without permit and native, which is the only swap that
 * is simulated without transfers. Null if the data is not the router's.
 */
function decodeAmountOut(returnData: Hex, routerKind: RouterKind): bigint | null {
  try {
    const swap = { abi: swapRouterAbi, functionName: "exactInputSingle" } as const;
    if (routerKind === "swap_router") return decodeFunctionResult({ ...swap, data: returnData });
    const [data] = decodeFunctionResult({ abi: swapRouter02Abi, functionName: "multicall", data: returnData });
    return decodeFunctionResult({ ...swap, data: data! });
  } catch {
    return null;
  }
}
