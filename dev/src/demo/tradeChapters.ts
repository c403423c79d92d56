import type { Quote, UnsignedResult } from "@slipway/protocol/transaction";
import { parseEther } from "ethers";
import { tokenAbi } from "./contractAbis.ts";
import type { Launch } from "./launchChapters.ts";
import { amount, type Scene } from "./scene.ts";
import { DemoFailure } from "./story.ts";

const slippageBps = 100;

/** Chapter: a stranger buys, having wrapped some native first. */
export async function buyChapter(scene: Scene, launch: Launch): Promise<void> {
  const { story, trader, weth } = scene;
  story.chapter("The first buy", "A trader who is nobody to the service wraps ETH, approves the exact amount, swaps.");
  const spend = parseEther("0.05");
  const missing = spend - (await scene.balance(weth, trader.address));
  if (missing > 0n) {
    const wrap = await trader.sendTransaction({
      to: weth,
      data: tokenAbi.encodeFunctionData("deposit"),
      value: missing,
    });
    await wrap.wait(1, 30_000);
    story.fact("wrap", `${wrap.hash} (${amount(missing, "ETH")})`);
  }
  await trade(scene, launch, "buy", spend);
}

/** Chapter: the trader sells a part of what was bought. */
export async function sellChapter(scene: Scene, launch: Launch): Promise<void> {
  const { story, trader } = scene;
  story.chapter("A sell", "The trader sells two fifths; wrapped ETH comes back.");
  const held = await scene.balance(launch.token, trader.address);
  await trade(scene, launch, "sell", (held * 2n) / 5n);
}

/** One trade of the scene's trader: quote, exact approval, swap; each compared with the chain. */
export async function trade(scene: Scene, launch: Launch, side: "buy" | "sell", amountIn: bigint): Promise<void> {
  const { story, api, trader, weth } = scene;
  const symbol = launch.draft.intent.symbol;
  const [assetIn, assetOut] = side === "buy" ? [weth, launch.token] : [launch.token, weth];
  const [nameIn, nameOut] = side === "buy" ? ["WETH", symbol] : [symbol, "WETH"];
  const request = {
    token: launch.token,
    wallet: trader.address,
    side,
    amount_in: amountIn.toString(),
    slippage_bps: slippageBps,
  };
  const quote = await api.post<Quote>("/trade/quote", request);
  story.fact(
    "quote",
    `${amount(amountIn, nameIn)} for ${amount(BigInt(quote.amount_out), nameOut)} at block ${quote.block_number}`,
  );
  story.same("the quote names the assets", [quote.token_in, quote.token_out], [assetIn, assetOut]);
  const least = (BigInt(quote.amount_out) * BigInt(10_000 - slippageBps)) / 10_000n;
  const rounding = BigInt(quote.minimum_out) - least;
  story.holds("its minimum is 1% below", rounding >= 0n && rounding <= 1n, `${quote.minimum_out}, ${least} expected`);

  const approval = await api.post<UnsignedResult>("/trade/transactions", request);
  story.same("the first transaction is the approval", approval.action, "approve");
  await scene.sign(trader, approval);
  const spender = scene.manifest.uniswap.router.address;
  const allowance = await scene.read(assetIn, tokenAbi, "allowance", trader.address, spender);
  story.same("it allows exactly the amount, to the pinned router", allowance, amountIn);

  const swap = await api.post<UnsignedResult>("/trade/transactions", request);
  story.same("asked again, the service prepares the swap", [swap.action, swap.transaction?.to], ["swap", spender]);
  const before = await holdings(scene, assetIn, assetOut);
  await scene.sign(trader, swap);
  const after = await holdings(scene, assetIn, assetOut);
  const [paid, got] = [before.in - after.in, after.out - before.out];
  story.fact(`${nameIn} before, after`, `${amount(before.in, nameIn)} -> ${amount(after.in, nameIn)}`);
  story.fact(`${nameOut} before, after`, `${amount(before.out, nameOut)} -> ${amount(after.out, nameOut)}`);
  story.same(`the trader paid exactly ${amount(amountIn, nameIn)}`, paid, amountIn);
  story.holds("and got at least the minimum", got >= BigInt(swap.quote?.minimum_out ?? quote.minimum_out), `${got}`);
  if (got <= 0n) throw new DemoFailure("the swap paid nothing out");
}

async function holdings(scene: Scene, assetIn: string, assetOut: string): Promise<{ in: bigint; out: bigint }> {
  const [held, wanted] = await Promise.all([
    scene.balance(assetIn, scene.trader.address),
    scene.balance(assetOut, scene.trader.address),
  ]);
  return { in: held, out: wanted };
}
