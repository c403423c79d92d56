import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@slipway/sdk/createClient";
import { createPublicClient, erc20Abi, http, numberToHex, parseEther, toFunctionSelector } from "viem";
import type { SignAndSend } from "../chain/rpcRequest.ts";
import { getWallets, type Wallet } from "../chain/wallets.ts";

export type DemoTraderParameters = {
  client: Client;
  send: SignAndSend;
  rpcUrl: string;
  chainId: number;
  weth: `0x${string}`;
  /** The only tokens that the trader trades; it must not move any other price, ETH/USD in particular. */
  tokens: `0x${string}`[];
  report: (text: string) => void;
};

export type DemoTrader = { stop: () => Promise<void> };

/** A range of values with equal probability. */
type Range = { min: number; max: number };

const fastPauseMs: Range = { min: 1_800, max: 3_000 };
/**
 * The number of trades (a quarter of an hour) after which the trader slows down. The local chain keeps every
 * transaction in memory and writes all of them at each save, so a forgotten stack would fill the machine.
 */
const fastTrades = 350;
const slowPauseMs: Range = { min: 20_000, max: 40_000 };
/** The size of one buy, in WETH base units. */
const buySize: Range = { min: Number(parseEther("0.004")), max: Number(parseEther("0.04")) };
/** The size of one sell, in thousandths of the balance. */
const sellPart: Range = { min: 150, max: 600 };
/** The WETH in a pool at which buys and sells are equally probable. */
const targetInPool = parseEther("0.8");
const wrapAmount = parseEther("5");
const failurePauseMs = 5_000;

/**
 * Trades the demo tokens: small random buys and sells, about one every 2.5 s at first, each prepared by the service's
 * API and signed by a local wallet. Sells are more probable in a pool with much WETH, so that prices stay within a
 * range. Waits after a failure (the server restarts, the chain was rewound), and reports only the first of consecutive
 * failures.
 */
export function startDemoTrader(parameters: DemoTraderParameters): DemoTrader {
  const stopping = new AbortController();
  const running = tradeUntil(parameters, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function tradeUntil(parameters: DemoTraderParameters, signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  let failing = false;
  let trades = 0;
  while (!signal.aborted) {
    try {
      await tradeOnce(parameters, signal);
      if (failing) parameters.report("the demo trader trades again");
      failing = false;
      trades += 1;
      await pause(draw(trades < fastTrades ? fastPauseMs : slowPauseMs));
    } catch (error) {
      if (!failing && !signal.aborted) {
        parameters.report(`the demo trader waits: ${(error as Error).message.split("\n")[0]}`);
      }
      failing = true;
      await pause(failurePauseMs);
    }
  }
}

async function tradeOnce(parameters: DemoTraderParameters, signal: AbortSignal): Promise<void> {
  const { client, rpcUrl, weth, tokens } = parameters;
  const trader = pick(getWallets("traders"));
  const token = pick(tokens);
  const chain = createPublicClient({ transport: http(rpcUrl) });
  const readBalance = (asset: `0x${string}`, owner: `0x${string}`) =>
    chain.readContract({ address: asset, abi: erc20Abi, functionName: "balanceOf", args: [owner] });
  const { pool } = await client.getToken({ address: token });
  const [balance, inPool, reserve] = await Promise.all([
    readBalance(token, trader.address),
    readBalance(weth, pool as `0x${string}`),
    readBalance(weth, trader.address),
  ]);
  const sellProbability = Math.min(0.9, 0.5 * (Number(inPool) / Number(targetInPool)));
  if (balance > 0n && Math.random() < sellProbability) {
    const part = BigInt(Math.round(draw(sellPart)));
    await trade(parameters, trader, token, "sell", (balance * part) / 1_000n, signal);
    return;
  }
  if (reserve < buySize.max) await wrap(parameters, trader);
  await trade(parameters, trader, token, "buy", BigInt(Math.round(draw(buySize))), signal);
}

/** Sends the approval, if the service requires one, then the swap. */
async function trade(
  { client, send }: DemoTraderParameters,
  trader: Wallet,
  token: `0x${string}`,
  side: "buy" | "sell",
  amountIn: bigint,
  signal: AbortSignal,
): Promise<void> {
  if (amountIn === 0n) return;
  const request = { token, wallet: trader.address, side, amount_in: amountIn.toString(), slippage_bps: 300 };
  for (let step = 0; step < 3 && !signal.aborted; step += 1) {
    const { transaction, action } = await client.prepareTrade(request);
    if (transaction === null || signal.aborted) return;
    await send(trader, transaction);
    if (action === "swap") return;
  }
}

/** Wraps the native that buys spend. */
async function wrap({ send, weth, chainId }: DemoTraderParameters, trader: Wallet): Promise<void> {
  await send(trader, {
    chainId: numberToHex(chainId),
    from: trader.address,
    to: weth,
    data: toFunctionSelector("deposit()"),
    value: numberToHex(wrapAmount),
    gas: numberToHex(100_000),
  });
}

function draw({ min, max }: Range): number {
  return min + Math.random() * (max - min);
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}
