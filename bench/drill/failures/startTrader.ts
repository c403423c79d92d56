import { setTimeout as sleep } from "node:timers/promises";
import type { Wallet } from "@slipway/dev/chain/wallets";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseAbi,
  parseEther,
} from "viem";

const routerAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
]);
const amountIn = parseEther("0.0001");

export type Trader = {
  /** The time at which the receipt of each trade was read, by transaction: the truth about the chain. */
  minedAtMs: ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

/** Buys a token repeatedly, without the service: each trade is a transaction of its own. */
export async function startTrader(options: {
  rpcUrl: string;
  manifest: Manifest;
  token: string;
  wallet: Wallet;
  pauseMs: number;
  now: () => number;
  /** Receives the time of each trade. */
  minedAtMs: Map<string, number>;
}): Promise<Trader> {
  const { manifest, wallet, token, now, minedAtMs } = options;
  const client = createWalletClient({ account: wallet.account, transport: http(options.rpcUrl) });
  const request = async (method: string, params: unknown[]) =>
    (await client.request({ method, params } as never)) as any;
  let nonce = Number(await request("eth_getTransactionCount", [wallet.address, "latest"]));
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: manifest.wrapped_native.address as Address,
        tokenOut: token as Address,
        fee: 10_000,
        recipient: wallet.address,
        amountIn,
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  });
  const tradeOnce = async () => {
    const signed = await wallet.account.signTransaction({
      to: manifest.uniswap.router.address as Hex,
      data,
      value: amountIn,
      gas: 1_000_000n,
      chainId: manifest.chain_id,
      nonce: nonce++,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    const hash = keccak256(signed);
    await request("eth_sendRawTransaction", [signed]);
    let receipt = null;
    while (receipt === null) {
      receipt = await request("eth_getTransactionReceipt", [hash]);
      if (receipt === null) await sleep(10);
    }
    if (receipt.status !== "0x1") throw new Error(`the trade ${hash} was reverted`);
    minedAtMs.set(hash, now());
  };
  let isRunning = true;
  const run = async () => {
    while (isRunning) {
      await tradeOnce();
      await sleep(options.pauseMs);
    }
  };
  const running = run();
  running.catch(() => undefined);
  return {
    minedAtMs,
    stop: async () => {
      isRunning = false;
      await running;
    },
  };
}
