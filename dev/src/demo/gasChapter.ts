import type { GasQuote, GasTopUp, GasTopUpStatus, GasTypedData } from "@slipway/protocol/gas";
import { formatUnits, hexlify, MaxUint256, parseEther, randomBytes, Wallet } from "ethers";
import { gasStationAbi, routerAbis, tokenAbi } from "./contractAbis.ts";
import type { Launch } from "./launchChapters.ts";
import { amount, type Scene } from "./scene.ts";
import { DemoFailure } from "./story.ts";
import { trade } from "./tradeChapters.ts";

/** Enough for an approval and a swap. */
const gasLimit = 500_000;

/** Chapter: somebody with stablecoin and launch tokens but not one wei pays for gas in stablecoin, then trades. */
export async function gasChapter(scene: Scene, launch: Launch): Promise<void> {
  const { story, provider, manifest } = scene;
  const accepted = manifest.gas_station_tokens[0];
  if (!accepted || !manifest.gas_station) throw new DemoFailure("the manifest names no gas station");
  story.chapter(
    "The network fee",
    `A newcomer holds ${accepted.symbol} and ${launch.draft.intent.symbol} but no ETH: the gas station sells some for ${accepted.symbol}.`,
  );
  const newcomer = new Wallet(hexlify(randomBytes(32)), provider);
  story.fact("newcomer", newcomer.address);
  const tokens = await endow(scene, launch, newcomer.address, accepted.address);
  story.same("the newcomer has no native at all", await provider.getBalance(newcomer.address), 0n);

  const quote = await topUp(scene, newcomer, accepted);
  story.same("the newcomer has what was quoted", await provider.getBalance(newcomer.address), BigInt(quote.eth_amount));
  const used = await scene.read<boolean>(quote.station, gasStationAbi, "used", quote.quote_id);
  story.same("the quote is used up on the chain", used, true);
  await trade({ ...scene, trader: newcomer }, launch, "sell", tokens);
}

/** Stablecoin from the pool and launch tokens from the trader. @returns how many launch tokens */
async function endow(scene: Scene, launch: Launch, newcomer: string, stablecoin: string): Promise<bigint> {
  const { trader, weth, manifest } = scene;
  const { router, router_kind: kind } = manifest.uniswap;
  const amountIn = parseEther("0.01");
  const send = async (to: string, data: string, value = 0n) => {
    const sent = await trader.sendTransaction({ to, data, value });
    await sent.wait(1, 30_000);
  };
  await send(weth, tokenAbi.encodeFunctionData("deposit"), amountIn);
  await send(weth, tokenAbi.encodeFunctionData("approve", [router.address, amountIn]));
  const order = { tokenIn: weth, tokenOut: stablecoin, fee: manifest.eth_usd?.fee ?? 0, recipient: newcomer };
  const limits = { deadline: MaxUint256, amountIn, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n };
  await send(router.address, routerAbis[kind].encodeFunctionData("exactInputSingle", [{ ...order, ...limits }]));
  const tokens = (await scene.balance(launch.token, trader.address)) / 10n;
  await send(launch.token, tokenAbi.encodeFunctionData("transfer", [newcomer, tokens]));
  return tokens;
}

type Accepted = { address: string; symbol: string; decimals: number };

async function topUp(scene: Scene, newcomer: Wallet, token: Accepted): Promise<GasQuote> {
  const { story, api } = scene;
  const request = { wallet: newcomer.address, token: token.symbol, gas_limit: gasLimit };
  const quote = await api.post<GasQuote>("/gas/quote", request);
  const { typed_data: typed, permit_typed_data: permit } = quote;
  if (typed === null || permit === null) throw new DemoFailure("the quote has nothing to sign");
  const shown = `${formatUnits(quote.token_amount, token.decimals)} ${token.symbol}`;
  story.fact("quote", `${amount(BigInt(quote.eth_amount), "ETH")} for ${shown} (ETH at ${quote.eth_usd} USD)`);
  story.same("it sells what is missing", BigInt(quote.eth_amount), BigInt(gasLimit) * BigInt(quote.gas_price));
  const held = await scene.balance(token.address, newcomer.address);

  const sent = await api.post<GasTopUp>("/gas/topup", {
    quote_id: quote.quote_id,
    wallet: newcomer.address,
    signature: await sign(newcomer, typed),
    permit_signature: await sign(newcomer, permit),
  });
  story.fact("top-up", `${sent.hash}, signed with ethers, sent by the relayer`);
  story.same("it is confirmed", (await untilSettled(scene, sent.hash)).status, "confirmed");
  const paid = held - (await scene.balance(token.address, newcomer.address));
  story.same(`the newcomer paid exactly ${shown}`, paid, BigInt(quote.token_amount));
  return quote;
}

/** ethers finds the domain's type itself. */
async function sign(signer: Wallet, { domain, types, message }: GasTypedData): Promise<string> {
  const { EIP712Domain: _, ...own } = types;
  return await signer.signTypedData(domain, own, message);
}

async function untilSettled({ api }: Scene, hash: string): Promise<GasTopUpStatus> {
  const deadline = Date.now() + 30_000;
  for (let asked = hash; ; ) {
    const answer = await api.get<GasTopUpStatus>(`/gas/topups/${asked}`);
    if (answer.status === "replaced") asked = answer.hash;
    else if (answer.status !== "pending" || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
