import { SlipwayError } from "@slipway/protocol/errors";
import { type RouterKind, swapCall } from "@slipway/protocol/swapCall";
import type { Quote, TradeRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { erc20Abi } from "@slipway/protocol/uniswapAbi";
import type { Hex } from "viem";
import type { ProvenManifest } from "../../chain/provenManifest.ts";
import { readAccount } from "../../chain/readAccount.ts";
import { tryReadContracts } from "../../chain/readContracts.ts";
import { readHead } from "../../chain/readHead.ts";
import { simulate } from "../../chain/simulate.ts";
import { supportedLaunch } from "../../chain/supportedLaunch.ts";
import { readL1Gas } from "../../chain/transactionFees.ts";
import { readyResult, validitySeconds } from "../../chain/unsignedResult.ts";
import { findLaunch } from "../../db/findLaunch.ts";
import { latestEthUsd } from "../../db/latestEthUsd.ts";
import type { Deps } from "../../deps.ts";
import { assertOnlySwaps } from "./assertOnlySwaps.ts";
import { quoteReads, quoteTrade } from "./quoteTrade.ts";
import { simulateApproval } from "./simulateApproval.ts";
import { tradePath } from "./tradePath.ts";
import { tradeWarnings } from "./tradeWarnings.ts";

export type TradeOrder = Omit<TradeRequest, "token" | "wallet"> & { token: Hex; wallet: Hex };

/**
 * Builds the next transaction of a trade: the exact approval while the router may not take the amount, then the swap.
 * Three round trips: the head; quote, allowance and balances at its block; the simulation.
 *
 * @throws SlipwayError `pool_not_supported`, `insufficient_balance`, `amount_too_small`, `simulation_reverted`,
 * `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareTrade(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: TradeOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const { launch } = supportedLaunch(await findLaunch(deps.db.read, order.token), manifest);
  const path = tradePath(launch, manifest, order.side);
  const router = manifest.uniswap.router.address as Hex;
  const amountIn = BigInt(order.amount_in);

  const [head, ethUsd] = await Promise.all([readHead(deps.chain, manifest.chain_id), latestEthUsd(deps.db.read)]);
  const tokenIn = { address: path.tokenIn, abi: erc20Abi } as const;
  const [[quoted, slot0, allowance, balance], account] = await Promise.all([
    tryReadContracts(deps.chain, head.number, [
      ...quoteReads(launch, manifest, path, amountIn),
      { ...tokenIn, functionName: "allowance", args: [order.wallet, router] },
      { ...tokenIn, functionName: "balanceOf", args: [order.wallet] },
    ]),
    readAccount(deps.chain, order.wallet, head),
  ]);
  if (slot0.error || allowance.error || balance.error) {
    throw new SlipwayError("chain_unavailable", "The pool or the token could not be read.");
  }
  if (balance.result < amountIn) throw insufficientBalance(path.tokenIn, amountIn, balance.result);
  const quote = quoteTrade(launch, path, order, { quoted, slot0: slot0.result }, head);
  const warnings = tradeWarnings(launch, quote, slot0.result);
  const shared = { proven, head, requestId, quote, warnings, ethUsd, nativeBalance: account.nativeBalance };
  const again = "POST /trade/transactions with the same body, after the receipt";

  if (allowance.result < amountIn) {
    const wanted = { token: path.tokenIn, spender: router, amount: amountIn, current: allowance.result };
    const approval = await simulateApproval(deps.chain, manifest.chain_id, order.wallet, wanted, head);
    const description = approval.isReset
      ? "Take back the old allowance: this token refuses to change one that is not zero"
      : "Approve the router for exactly the amount";
    return readyResult({
      ...shared,
      ...approval,
      action: "approve",
      step: { index: 1, total: approval.isReset ? 3 : 2, description },
      next: again,
      issues: {
        allowance: {
          asset: path.tokenIn,
          needed: amountIn.toString(),
          available: allowance.result.toString(),
          spender: router,
        },
      },
    });
  }

  const call = {
    from: order.wallet,
    to: router,
    data: swapCall(manifest.uniswap.router_kind satisfies RouterKind, {
      tokenIn: path.tokenIn,
      tokenOut: path.tokenOut,
      fee: path.poolFee,
      recipient: order.wallet,
      deadline: head.timestamp + validitySeconds,
      amountIn,
      minimumOut: BigInt(quote.minimum_out),
    }),
    value: 0n,
  };
  const [simulation, l1Gas] = await Promise.all([
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
  ]);
  assertOnlySwaps(simulation, order.wallet, quote);
  return readyResult({
    ...shared,
    action: "swap",
    call,
    simulation,
    l1Gas,
    step: { index: 2, total: 2, description: "Swap before the deadline, for at least the minimum" },
    next: null,
    expected: expectedOf(quote),
  });
}

function expectedOf(quote: Quote): UnsignedResult["expected"] {
  return { amount_out: quote.amount_out, minimum_out: quote.minimum_out };
}

function insufficientBalance(asset: Hex, needed: bigint, available: bigint): SlipwayError {
  return new SlipwayError("insufficient_balance", "The wallet does not hold the amount.", {
    field: "amount_in",
    details: { asset, needed: needed.toString(), available: available.toString() },
  });
}
