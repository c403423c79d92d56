import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { erc20Abi } from "@slipway/protocol/uniswap";
import type { ContractFunctionParameters, Hex } from "viem";
import type { StateAtHead } from "../../chain/atHead.ts";
import { readAtHead } from "../../chain/readAtHead.ts";
import { getMulticall3 } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { createLockerReads, findLaunchToken, findUniswapContract } from "../../transactions/unfitReceiver.ts";
import type { QuoteAnswers, TradePath } from "./quoteTrade.ts";
import { createCallsQuoteReads } from "./quoteTradeCalls.ts";
import type { TradeCallsOrder } from "./tradeCallsOrder.ts";
import { createPermitReads, type PermitAnswers } from "./tradePermit.ts";

/** The contracts' state at the head, as far as a trade needs it. Amounts in base units. */
export type TradeState = {
  answers: QuoteAnswers;
  /** Of the wallet, in the asset that is paid. */
  balance: bigint;
  /** Of the router, in the asset that is paid. */
  allowance: bigint;
  /** What the router holds before the trade, by asset. */
  routerBalances: { asset: Hex; amount: bigint }[];
  permit: PermitAnswers;
  /** Why the recipient cannot pass on what it receives; null when it can. */
  unfitRecipient: string | null;
};

/**
 * Reads the head and the contracts of a trade at it. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified`.
 */
export async function readTradeState(
  chain: Deps["chain"],
  manifest: Manifest,
  launch: IndexedLaunch,
  path: TradePath,
  order: TradeCallsOrder,
): Promise<StateAtHead<TradeState>> {
  const { wallet, recipient } = order;
  const router = manifest.uniswap.router.address as Hex;
  const own = [
    ...createCallsQuoteReads(launch, manifest, path, order),
    { address: path.tokenIn, abi: erc20Abi, functionName: "allowance", args: [wallet, router] },
    { address: path.tokenIn, abi: erc20Abi, functionName: "balanceOf", args: [wallet] },
    ...[path.tokenIn, path.tokenOut].map((address) => createBalanceRead(address, router)),
    ...createPermitReads(launch.token, wallet),
  ] as ContractFunctionParameters[];
  const reads = [...own, ...createLockerReads(recipient, manifest)];
  const [{ head, results, isOneRound }, uniswapContract] = await Promise.all([
    readAtHead(chain, manifest.chain_id, reads, getMulticall3(manifest)),
    findUniswapContract(chain, recipient, manifest, "latest"),
  ]);
  const [quoted, slot0, allowance, balance, routerIn, routerOut, ...permit] = results.slice(
    0,
    own.length,
  ) as unknown as [
    QuoteAnswers["quoted"],
    { result?: QuoteAnswers["slot0"] },
    ...[Amount, Amount, Amount, Amount],
    ...PermitAnswers,
  ];
  const amounts = [allowance, balance, routerIn, routerOut].map(({ result }) => result);
  if (slot0.result === undefined || amounts.includes(undefined)) {
    throw new SlipwayError("chain_unavailable", "The pool or the token could not be read.");
  }
  const state = {
    answers: { quoted, slot0: slot0.result },
    allowance: allowance.result!,
    balance: balance.result!,
    routerBalances: [
      { asset: path.tokenIn, amount: routerIn.result! },
      { asset: path.tokenOut, amount: routerOut.result! },
    ],
    permit,
    unfitRecipient: findLaunchToken(results.slice(own.length)) ?? uniswapContract,
  };
  return { head, state, isOneRound };
}

type Amount = { result?: bigint };

const createBalanceRead = (address: Hex, account: Hex) =>
  ({ address, abi: erc20Abi, functionName: "balanceOf", args: [account] }) as const;
