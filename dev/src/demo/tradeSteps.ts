import { parseEther } from "ethers";
import { tokenAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";

const slippageBps = 100;

/** A trader wraps native and buys. */
export async function buyStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, trader, weth } = context;
  reporter.step("The first buy", "A trader without an account at the service wraps ETH, approves the amount, swaps.");
  const amountIn = parseEther("0.05");
  const missing = amountIn - (await context.balance(weth, trader.address));
  if (missing > 0n) {
    const data = tokenAbi.encodeFunctionData("deposit");
    const wrap = await trader.sendTransaction({ to: weth, data, value: missing });
    await wrap.wait(1, 120_000);
    reporter.value("wrap", `${wrap.hash} (${formatAmount(missing, "ETH")})`);
  }
  await trade(context, launch, "buy", amountIn);
}

/** The trader sells a part of the purchase. */
export async function sellStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, trader } = context;
  reporter.step("A sell", "The trader sells two fifths for wrapped ETH.");
  const held = await context.balance(launch.token, trader.address);
  await trade(context, launch, "sell", (held * 2n) / 5n);
}

/** Executes one trade of the context's trader: quote, exact approval, swap; compares each with the chain. */
export async function trade(
  context: DemoContext,
  launch: Launch,
  side: "buy" | "sell",
  amountIn: bigint,
): Promise<void> {
  const { reporter, client, trader, weth } = context;
  const { symbol } = launch.draft.intent;
  const [assetIn, assetOut] = side === "buy" ? [weth, launch.token] : [launch.token, weth];
  const [nameIn, nameOut] = side === "buy" ? ["WETH", symbol] : [symbol, "WETH"];
  const shownIn = formatAmount(amountIn, nameIn);
  const request = {
    token: launch.token,
    wallet: trader.address,
    side,
    amount_in: amountIn.toString(),
    slippage_bps: slippageBps,
  };
  const quote = await client.quoteTrade(request);
  const amountOut = BigInt(quote.amount_out);
  reporter.value("quote", `${shownIn} for ${formatAmount(amountOut, nameOut)} at block ${quote.block_number}`);
  reporter.expectEqual("the quote names the assets", [quote.token_in, quote.token_out], [assetIn, assetOut]);
  const minimum = (amountOut * BigInt(10_000 - slippageBps)) / 10_000n;
  const rounding = BigInt(quote.minimum_out) - minimum;
  const isExact = rounding >= 0n && rounding <= 1n;
  reporter.expectTrue("its minimum is 1% below", isExact, `${quote.minimum_out}, ${minimum} expected`);

  const approval = await client.prepareTrade(request);
  reporter.expectEqual("the first transaction is the approval", approval.action, "approve");
  await context.sign(trader, approval);
  const spender = context.manifest.uniswap.router.address;
  const allowance = await context.read(assetIn, tokenAbi, "allowance", trader.address, spender);
  reporter.expectEqual("it allows exactly the amount, to the pinned router", allowance, amountIn);

  const swap = await client.prepareTrade(request);
  const prepared = [swap.action, swap.transaction?.to];
  reporter.expectEqual("the same request then prepares the swap", prepared, ["swap", spender]);
  const readBalances = () =>
    Promise.all([context.balance(assetIn, trader.address), context.balance(assetOut, trader.address)]);
  const [inBefore, outBefore] = await readBalances();
  await context.sign(trader, swap);
  const [inAfter, outAfter] = await readBalances();
  const received = outAfter - outBefore;
  reporter.value(`${nameIn} before, after`, `${formatAmount(inBefore, nameIn)} -> ${formatAmount(inAfter, nameIn)}`);
  reporter.value(
    `${nameOut} before, after`,
    `${formatAmount(outBefore, nameOut)} -> ${formatAmount(outAfter, nameOut)}`,
  );
  reporter.expectEqual(`the trader paid exactly ${shownIn}`, inBefore - inAfter, amountIn);
  const isEnough = received >= BigInt(swap.quote?.minimum_out ?? quote.minimum_out);
  reporter.expectTrue("and received at least the minimum", isEnough, `${received}`);
  if (received <= 0n) throw new DemoFailure("the swap paid nothing out");
}
