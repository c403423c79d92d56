import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import { parseEther, type TransactionReceipt } from "ethers";
import { tokenAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";

const slippageBps = 100;

/** The trader buys with native in one transaction, without wrapping or approval. */
export async function nativeBuyStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, client, trader } = context;
  reporter.step("A buy with native value", "One transaction: the router wraps, swaps and refunds. No approval.");
  const amountIn = parseEther("0.03");
  const answer = await client.prepareTradeCalls({
    token: launch.token,
    wallet: trader.address,
    side: "buy",
    pay: "native",
    amount_in: amountIn.toString(),
    slippage_bps: slippageBps,
  });
  const { transaction, calls, quote } = answer;
  reporter.value("price", `${quote.effective_price.toExponential(4)} ETH, of which the pool's fee is 1%`);
  reporter.expectEqual("one call, which the transaction is", [calls.length, transaction?.data], [1, calls[0]?.data]);
  reporter.expectEqual("it sends exactly the amount", BigInt(transaction?.value ?? 0), amountIn);
  const { paid, received } = await signAndMeasure(context, launch, answer);
  reporter.expectEqual(`the trader paid exactly ${formatAmount(amountIn, "ETH")} and gas`, paid, amountIn);
  reporter.expectEqual("and received what was expected", received, BigInt(answer.expected?.amount_out ?? 0));
  await expectNothingKept(context, launch);
}

/** The trader signs a permit and sells for native in one transaction. */
export async function permitSellStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, client, trader, manifest } = context;
  reporter.step("A sell with a permit", "A signature replaces the approval; the sale pays native.");
  const router = manifest.uniswap.router.address;
  const held = await context.balance(launch.token, trader.address);
  const amountIn = held / 4n;
  const order = {
    ...({ token: launch.token, wallet: trader.address, side: "sell", receive: "native" } as const),
    amount_in: amountIn.toString(),
    slippage_bps: slippageBps,
  };
  const offer = await client.prepareTradeCalls(order);
  const typed = offer.permit_typed_data;
  if (typed === null) throw new DemoFailure("the answer has no permit to sign");
  reporter.expectEqual("without a permit it takes two calls", [offer.calls.length, offer.transaction], [2, null]);
  const { owner, spender, value } = typed.message;
  const wanted = [trader.address, router, amountIn.toString()];
  reporter.expectEqual("the permit is for the sold amount, to the pinned router", [owner, spender, value], wanted);
  const { EIP712Domain: _, ...types } = typed.types;
  const signature = await trader.signTypedData(typed.domain, types, typed.message);
  const permit = { deadline: Number(typed.message.deadline), signature };
  const answer = await client.prepareTradeCalls({ ...order, permit });
  reporter.expectEqual("with it, one transaction", [answer.calls.length, answer.transaction?.to], [1, router]);
  const { paid, received } = await signAndMeasure(context, launch, answer);
  const expected = BigInt(answer.expected?.amount_out ?? 0);
  reporter.expectEqual(`the trader received ${formatAmount(expected, "ETH")}`, -paid, expected);
  reporter.expectEqual("and sold exactly the amount", -received, amountIn);
  const allowance = await context.read<bigint>(launch.token, tokenAbi, "allowance", trader.address, router);
  reporter.expectEqual("nothing of the allowance is left", allowance, 0n);
  await expectNothingKept(context, launch);
}

/**
 * Signs and sends a trade of the context's trader. @returns the native paid besides the gas, and the tokens received
 */
async function signAndMeasure(context: DemoContext, launch: Launch, answer: TradeCallsResult) {
  const { trader, provider } = context;
  const read = () => Promise.all([provider.getBalance(trader.address), context.balance(launch.token, trader.address)]);
  const [nativeBefore, tokensBefore] = await read();
  const receipt: TransactionReceipt = await context.sign(trader, answer);
  const [nativeAfter, tokensAfter] = await read();
  return { paid: nativeBefore - nativeAfter - receipt.fee, received: tokensAfter - tokensBefore };
}

async function expectNothingKept(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, provider, weth } = context;
  const router = context.manifest.uniswap.router.address;
  const kept = await Promise.all([
    provider.getBalance(router),
    context.balance(weth, router),
    context.balance(launch.token, router),
  ]);
  reporter.expectEqual("the router keeps nothing", kept, [0n, 0n, 0n]);
}
