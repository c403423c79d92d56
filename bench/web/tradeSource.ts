import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Stack } from "@slipway/dev/startStack";
import { erc20Abi, swapRouter02Abi } from "@slipway/protocol/uniswap";
import { type Address, encodeFunctionData, type Hex, keccak256, maxUint256, parseEther, toHex } from "viem";

/** Trades of the local chain at a constant rate, until `stop`. */
export type TradeSource = {
  /** Sets the number of trades a second, all of one token; 0: none. */
  setRate(perSecond: number): void;
  /** Returns the number of trades that the chain has accepted. */
  sent(): number;
  /** Ends the trades; the chain mines every transaction by itself again. Rejects if a trade failed. */
  stop(): Promise<void>;
};

/** The time between two blocks. */
const blockMs = 250;
/** The number of seconds of missed trades that are made up after a pause. */
const defaultOwedSeconds = 1;
/** The maximum factor of made-up trades in one block: a burst would measure something else. */
const maxBlockRatio = 2;
/** Timeout for a busy machine, whose delay the rates then show. */
const mineTimeoutMs = 60_000;
const traderCount = 8;
const poolFee = 10_000;
/** The first purchase of each trader; every later trade is a thousandth to a fiftieth of it. */
const firstBuy = parseEther("0.1");

type Call = { from: Address; to: Address; data: Hex; value?: bigint; gas: number };

/**
 * Makes trades on the stack's own chain: each is a swap of Uniswap's router in a separate transaction, mined with the
 * others of a quarter of a second. Purchases and sales alternate, and a sale is a fixed part of the tokens, so that the
 * price varies around a level. The chain signs for the traders, so that this process costs almost nothing beside the
 * browser.
 *
 * @param maxOwedSeconds - The maximum delay of a busy machine that is made up, in seconds.
 */
export async function startTrades(
  stack: Stack,
  token: Address,
  maxOwedSeconds = defaultOwedSeconds,
): Promise<TradeSource> {
  const router = stack.manifest.uniswap.router.address as Address;
  const weth = stack.manifest.wrapped_native.address as Address;
  const traders = Array.from(
    { length: traderCount },
    (_, i) => `0x${keccak256(toHex(`bench${i}`)).slice(26)}` as Address,
  );
  const nonces = new Map<Address, number>();
  const send = async (calls: readonly Call[]) => {
    const requests = calls.map(({ from, to, data, value = 0n, gas }): [string, unknown[]] => {
      const nonce = nonces.get(from)!;
      nonces.set(from, nonce + 1);
      const fees = { maxFeePerGas: toHex(10n ** 11n), maxPriorityFeePerGas: toHex(10n ** 9n) };
      return [
        "eth_sendTransaction",
        [{ from, to, data, value: toHex(value), gas: toHex(gas), nonce: toHex(nonce), ...fees }],
      ];
    });
    return (await requestAll(stack.rpcUrl, requests)) as Hex[];
  };
  const mine = () => rpcRequest(stack.rpcUrl, "evm_mine", [], mineTimeoutMs);
  const swap = (from: Address, side: "buy" | "sell", amountIn: bigint): Call => {
    const [tokenIn, tokenOut] = side === "buy" ? [weth, token] : [token, weth];
    const limits = { fee: poolFee, recipient: from, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    const args = [{ tokenIn, tokenOut, ...limits }] as const;
    const data = encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args });
    return { from, to: router, data, value: side === "buy" ? amountIn : 0n, gas: 300_000 };
  };

  await requestAll(stack.rpcUrl, [
    ["anvil_autoImpersonateAccount", [true]],
    ["evm_setAutomine", [false]],
    ...traders.map((trader): [string, unknown[]] => ["anvil_setBalance", [trader, toHex(parseEther("1000000"))]]),
  ]);
  for (const trader of traders) {
    nonces.set(trader, Number(await rpcRequest(stack.rpcUrl, "eth_getTransactionCount", [trader, "latest"])));
  }
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, maxUint256] });
  await send(
    traders.flatMap((from) => [{ from, to: token, data: approval, gas: 100_000 }, swap(from, "buy", firstBuy)]),
  );
  await mine();
  const balances = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [traders.at(-1)!] });
  const funds = BigInt(await rpcRequest<Hex>(stack.rpcUrl, "eth_call", [{ to: token, data: balances }, "latest"]));
  if (funds === 0n) throw new Error("the first purchases failed");

  let rate = 0;
  let owed = 0;
  let count = 0;
  let last: Hex | undefined;
  let stopping = false;
  let reached = performance.now();
  const tick = async () => {
    // A delayed machine makes up the missed trades, as far as the next blocks have room.
    const now = performance.now();
    owed = Math.min(owed + (rate * (now - reached)) / 1_000, rate * maxOwedSeconds);
    reached = now;
    const calls: Call[] = [];
    const most = Math.ceil((maxBlockRatio * rate * blockMs) / 1_000);
    for (; owed >= 1 && calls.length < most; owed--) {
      const part = BigInt(1_000 + Math.floor(Math.random() * 19_000));
      const trader = traders[(count + calls.length) % traderCount]!;
      // Slightly less than the bought amount: every purchase pays fees, and no trader may run out of tokens.
      const isBuy = ((count + calls.length) / traderCount) % 2 < 1;
      calls.push(swap(trader, isBuy ? "buy" : "sell", ((isBuy ? firstBuy : (funds * 96n) / 100n) * part) / 1_000_000n));
    }
    if (calls.length === 0) return;
    last = (await send(calls)).at(-1);
    await mine();
    count += calls.length;
  };
  const running = (async () => {
    let next = performance.now();
    while (!stopping) {
      await tick();
      next = Math.max(next + blockMs, performance.now());
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
  })();
  running.catch(() => undefined);

  return {
    setRate: (perSecond) => {
      rate = perSecond;
      owed = 0;
    },
    sent: () => count,
    stop: async () => {
      stopping = true;
      await running;
      await rpcRequest(stack.rpcUrl, "evm_setAutomine", [true]);
      if (last === undefined) return;
      const { status } = await rpcRequest<{ status: Hex }>(stack.rpcUrl, "eth_getTransactionReceipt", [last]);
      if (status !== "0x1") throw new Error("the last trade reverted");
    },
  };
}

/** Several JSON-RPC calls in one request. @throws Error with the node's first error */
async function requestAll(url: string, calls: readonly [method: string, params: unknown[]][]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params })));
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const answers = (await response.json()) as { result?: unknown; error?: { message: string } }[];
  const refused = answers.find(({ error }) => error !== undefined);
  if (refused) throw new Error(`the chain rejected a transaction: ${refused.error!.message}`);
  return answers.map(({ result }) => result);
}
