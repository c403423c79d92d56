import type { TradeCallsRequest } from "@slipway/protocol/tradeCalls";
import { formatUnits, parseEther } from "ethers";
import { tokenAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure } from "./demoContext.ts";
import { buyStablecoin } from "./gasSteps.ts";
import type { Launch } from "./launchSteps.ts";

/** The trader buys with USDG and sells for USDG: each is one transaction with a permit, through two pools. */
export async function assetStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, client, trader, weth } = context;
  const [asset] = (await client.getConfig()).trade_assets;
  if (asset === undefined) throw new DemoFailure("the service lists no asset for trades");
  const { address, symbol, decimals } = asset;
  reporter.step(
    `A trade in ${symbol}`,
    "One swap of the pinned router through two pools; a permit replaces the approval.",
  );
  await buyStablecoin(context, trader.address, address, parseEther("0.1"));
  const order = { token: launch.token, wallet: trader.address, slippage_bps: 100 } as const;
  const read = async () =>
    await Promise.all([address, weth, launch.token].map((one) => context.balance(one, trader.address)));

  const spent = 100n * 10n ** BigInt(decimals);
  const before = await read();
  const bought = await tradeWithPermit(context, {
    ...order,
    side: "buy",
    pay: { asset: address },
    amount_in: `${spent}`,
  });
  const after = await read();
  const change = after.map((amount, i) => amount - before[i]!);
  reporter.expectEqual(`paid exactly ${formatUnits(spent, decimals)} ${symbol} for the expected amount`, change, [
    -spent,
    0n,
    bought,
  ]);
  const sold = bought / 2n;
  const yielded = await tradeWithPermit(context, {
    ...order,
    side: "sell",
    receive: { asset: address },
    amount_in: `${sold}`,
  });
  const end = await read();
  reporter.expectEqual(
    `sold half of it for ${formatUnits(yielded, decimals)} ${symbol}`,
    end.map((amount, i) => amount - after[i]!),
    [yielded, 0n, -sold],
  );
}

/** Signs the permit of a trade, and sends the trade. @returns the output that the service expected */
async function tradeWithPermit(context: DemoContext, order: TradeCallsRequest): Promise<bigint> {
  const { client, reporter, trader, manifest } = context;
  const { permit_typed_data: typed } = await client.prepareTradeCalls(order);
  if (typed === null) throw new DemoFailure("the answer has no permit to sign");
  const { EIP712Domain: _, ...types } = typed.types;
  const signature = await trader.signTypedData(typed.domain, types, typed.message);
  const permit = { deadline: Number(typed.message.deadline), signature };
  const answer = await client.prepareTradeCalls({ ...order, permit });
  await context.sign(trader, answer);
  const router = manifest.uniswap.router.address;
  const left = await context.read<bigint>(answer.quote.token_in, tokenAbi, "allowance", trader.address, router);
  reporter.expectEqual("nothing of the allowance is left", left, 0n);
  return BigInt(answer.expected?.amount_out ?? 0);
}
