import { setTimeout as sleep } from "node:timers/promises";
import type { GasQuote, GasTopUpStatus } from "@slipway/protocol/gas";
import type { TypedData } from "@slipway/protocol/typedData";
import { formatUnits, hexlify, MaxUint256, parseEther, randomBytes, Wallet } from "ethers";
import { gasStationAbi, routerAbis, tokenAbi } from "./contractAbis.ts";
import { type DemoContext, DemoFailure, formatAmount } from "./demoContext.ts";
import type { Launch } from "./launchSteps.ts";
import { trade } from "./tradeSteps.ts";

/** Enough for an approval and a swap. */
const gasLimit = 500_000;

/** A wallet with stablecoin and launch tokens but without native pays for gas in stablecoin, then trades. */
export async function gasStep(context: DemoContext, launch: Launch): Promise<void> {
  const { reporter, provider, manifest } = context;
  const accepted = manifest.gas_station_tokens[0];
  if (!accepted || !manifest.gas_station) throw new DemoFailure("the manifest names no gas station");
  reporter.step(
    "The network fee",
    `A newcomer holds ${accepted.symbol} and ${launch.draft.intent.symbol} but no ETH: the gas station sells some for ${accepted.symbol}.`,
  );
  const newcomer = new Wallet(hexlify(randomBytes(32)), provider);
  reporter.value("newcomer", newcomer.address);
  const tokens = await fund(context, launch, newcomer.address, accepted.address);
  reporter.expectEqual("the newcomer has no native", await provider.getBalance(newcomer.address), 0n);

  const quote = await topUp(context, newcomer, accepted);
  const native = await provider.getBalance(newcomer.address);
  reporter.expectEqual("the newcomer has the quoted amount", native, BigInt(quote.eth_amount));
  const used = await context.read<boolean>(quote.station, gasStationAbi, "used", quote.quote_id);
  reporter.expectEqual("the quote is used up on the chain", used, true);
  await trade({ ...context, trader: newcomer }, launch, "sell", tokens);
}

/** Sends stablecoin from the pool and launch tokens from the trader. @returns the number of launch tokens */
async function fund(context: DemoContext, launch: Launch, newcomer: string, stablecoin: string): Promise<bigint> {
  const { trader } = context;
  await buyStablecoin(context, newcomer, stablecoin, parseEther("0.01"));
  const tokens = (await context.balance(launch.token, trader.address)) / 10n;
  const sent = await trader.sendTransaction({
    to: launch.token,
    data: tokenAbi.encodeFunctionData("transfer", [newcomer, tokens]),
  });
  await sent.wait(1, 120_000);
  return tokens;
}

/** The trader buys stablecoin from the ETH/USD pool for a recipient, without the service. */
export async function buyStablecoin(
  { trader, weth, manifest }: DemoContext,
  newcomer: string,
  stablecoin: string,
  amountIn: bigint,
): Promise<void> {
  const { router, router_kind: kind } = manifest.uniswap;
  const send = async (to: string, data: string, value = 0n) => {
    const sent = await trader.sendTransaction({ to, data, value });
    await sent.wait(1, 120_000);
  };
  await send(weth, tokenAbi.encodeFunctionData("deposit"), amountIn);
  await send(weth, tokenAbi.encodeFunctionData("approve", [router.address, amountIn]));
  const order = { tokenIn: weth, tokenOut: stablecoin, fee: manifest.eth_usd?.fee ?? 0, recipient: newcomer };
  const limits = { deadline: MaxUint256, amountIn, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n };
  await send(router.address, routerAbis[kind].encodeFunctionData("exactInputSingle", [{ ...order, ...limits }]));
}

type Accepted = { address: string; symbol: string; decimals: number };

async function topUp(context: DemoContext, newcomer: Wallet, token: Accepted): Promise<GasQuote> {
  const { reporter, client } = context;
  const { address: wallet } = newcomer;
  const quote = await client.quoteGas({ wallet, token: token.symbol, gas_limit: gasLimit });
  const { quote_id, typed_data: typed, permit_typed_data: permit } = quote;
  if (typed === null || permit === null) throw new DemoFailure("the quote has nothing to sign");
  const price = `${formatUnits(quote.token_amount, token.decimals)} ${token.symbol}`;
  const native = BigInt(quote.eth_amount);
  reporter.value("quote", `${formatAmount(native, "ETH")} for ${price} (ETH at ${quote.eth_usd} USD)`);
  reporter.expectEqual("it sells the missing amount", native, BigInt(gasLimit) * BigInt(quote.gas_price));
  const held = await context.balance(token.address, wallet);

  const [signature, permit_signature] = await Promise.all([sign(newcomer, typed), sign(newcomer, permit)]);
  const { hash } = await client.topUpGas({ quote_id, wallet, signature, permit_signature });
  reporter.value("top-up", `${hash}, signed with ethers, sent by the relayer`);
  reporter.expectEqual("it is confirmed", (await waitForTopUp(context, hash)).status, "confirmed");
  const paid = held - (await context.balance(token.address, wallet));
  reporter.expectEqual(`the newcomer paid exactly ${price}`, paid, BigInt(quote.token_amount));
  return quote;
}

/** Removes the domain type, which ethers derives itself. */
async function sign(signer: Wallet, { domain, types, message }: TypedData): Promise<string> {
  const { EIP712Domain: _, ...own } = types;
  return await signer.signTypedData(domain, own, message);
}

async function waitForTopUp({ client }: DemoContext, hash: string): Promise<GasTopUpStatus> {
  const deadline = Date.now() + 120_000;
  for (let current = hash; ; ) {
    const answer = await client.getTopUp({ hash: current });
    if (answer.status === "replaced") current = answer.hash;
    else if (answer.status !== "pending" || Date.now() > deadline) return answer;
    await sleep(50);
  }
}
