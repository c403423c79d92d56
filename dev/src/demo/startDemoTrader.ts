import type { UnsignedResult } from "@slipway/protocol/transaction";
import { createPublicClient, erc20Abi, http, numberToHex, parseEther, toFunctionSelector } from "viem";
import type { ServiceApi } from "../service/serviceApi.ts";
import type { SignAndSend } from "../chain/signAndSend.ts";
import { type Wallet, walletsOf } from "../chain/wallets.ts";

export type DemoTraderParameters = {
  api: ServiceApi;
  send: SignAndSend;
  rpcUrl: string;
  chainId: number;
  weth: `0x${string}`;
  /** The only tokens that it trades: nothing else moves, ETH/USD least of all. */
  tokens: `0x${string}`[];
  report: (text: string) => void;
};

export type DemoTrader = { stop: () => Promise<void> };

/** Pause between two trades, drawn evenly. A trade itself takes some 0.1 s. */
const livelyPauseMs = { least: 1_800, most: 3_000 };
/**
 * After this many trades (a quarter of an hour) the pace eases off: the local chain keeps every transaction in memory
 * and writes them all at each save, and a forgotten stack should not fill the machine.
 */
const livelyTrades = 350;
const quietPauseMs = { least: 20_000, most: 40_000 };
/** WETH base units of one buy, drawn evenly. */
const buySize = { least: parseEther("0.004"), most: parseEther("0.04") };
/** WETH in a pool around which buys and sells balance. */
const poolAim = parseEther("0.8");
const wethReserve = parseEther("5");
const failurePauseMs = 5_000;

/**
 * Keeps the demo tokens moving: small buys and sells at random, about one every 2.5 s at first, each asked from the service's
 * API and signed by a local wallet. A pool with much WETH in it sees more sells, so that prices wander and stay.
 * Failures (the server restarts, the chain was rewound) are waited out; only the first of a row is reported.
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
  let failing = false;
  let trades = 0;
  while (!signal.aborted) {
    try {
      await tradeOnce(parameters, signal);
      if (failing) parameters.report("the demo trader trades again");
      failing = false;
      trades += 1;
      const { least, most } = trades < livelyTrades ? livelyPauseMs : quietPauseMs;
      await pause(between(least, most), signal);
    } catch (error) {
      if (!failing && !signal.aborted) {
        parameters.report(`the demo trader waits: ${(error as Error).message.split("\n")[0]}`);
      }
      failing = true;
      await pause(failurePauseMs, signal);
    }
  }
}

async function tradeOnce(parameters: DemoTraderParameters, signal: AbortSignal): Promise<void> {
  const { api, rpcUrl, weth, tokens } = parameters;
  const trader = oneOf(walletsOf("traders"));
  const token = oneOf(tokens);
  const chain = createPublicClient({ transport: http(rpcUrl) });
  const balanceOf = (asset: `0x${string}`, owner: `0x${string}`) =>
    chain.readContract({ address: asset, abi: erc20Abi, functionName: "balanceOf", args: [owner] });
  const { pool } = await api.get<{ pool: `0x${string}` }>(`/tokens/${token}`);
  const [held, inPool, reserve] = await Promise.all([
    balanceOf(token, trader.address),
    balanceOf(weth, pool),
    balanceOf(weth, trader.address),
  ]);
  const sellChance = Math.min(0.9, 0.5 * (Number(inPool) / Number(poolAim)));
  if (held > 0n && Math.random() < sellChance) {
    const part = BigInt(Math.round(between(150, 600)));
    await trade(parameters, trader, token, "sell", (held * part) / 1_000n, signal);
    return;
  }
  if (reserve < buySize.most) await wrap(parameters, trader);
  const amount = buySize.least + BigInt(Math.round(between(0, Number(buySize.most - buySize.least))));
  await trade(parameters, trader, token, "buy", amount, signal);
}

/** Approval first where the service asks for one, then the swap. */
async function trade(
  { api, send }: DemoTraderParameters,
  trader: Wallet,
  token: `0x${string}`,
  side: "buy" | "sell",
  amountIn: bigint,
  signal: AbortSignal,
): Promise<void> {
  if (amountIn === 0n) return;
  const request = { token, wallet: trader.address, side, amount_in: amountIn.toString(), slippage_bps: 300 };
  for (let step = 0; step < 3 && !signal.aborted; step += 1) {
    const result = await api.post<UnsignedResult>("/trade/transactions", request);
    if (result.transaction === null || signal.aborted) return;
    await send(trader, result.transaction);
    if (result.action === "swap") return;
  }
}

/** Turns native into wrapped native, which buys spend. */
async function wrap({ send, weth, chainId }: DemoTraderParameters, trader: Wallet): Promise<void> {
  await send(trader, {
    chainId: numberToHex(chainId),
    from: trader.address,
    to: weth,
    data: toFunctionSelector("deposit()"),
    value: numberToHex(wethReserve),
    gas: numberToHex(100_000),
  });
}

function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}

function oneOf<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
