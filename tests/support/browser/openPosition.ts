import { waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import {
  type Address,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
  parseEther,
  type TransactionReceipt,
} from "viem";
import { compileAttacker } from "../security/compileAttacker.ts";

const poolAbi = parseAbi([
  "function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)",
  "function tickSpacing() view returns (int24)",
  "function token0() view returns (address)",
  "function token1() view returns (address)",
]);

/** Needs less native than `add` sends. */
const liquidity = 10n ** 23n;

/** A position of wrapped native in the Uniswap v3 pool of a token, beside the pool's price, where it needs no tokens. */
export type Position = {
  /** Adds liquidity. */
  add(): Promise<TransactionReceipt>;
  /** Removes half of what one `add` adds. */
  remove(): Promise<TransactionReceipt>;
};

/** Deploys a contract that owns positions, and chooses the range of one in a token's pool. */
export async function openPosition(
  rpcUrl: string,
  wallet: Pick<Wallet, "account">,
  { token, pool }: { token: Address; pool: Address },
): Promise<Position> {
  const { abi, bytecode } = compileAttacker("EarlyLiquidity");
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const signer = createWalletClient({ account: wallet.account, transport: http(rpcUrl) });
  const mined = async (hash: Hex) => {
    const receipt = await waitForReceipt(rpcUrl, hash);
    if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
    return receipt;
  };
  const read = <Name extends "slot0" | "tickSpacing" | "token0" | "token1">(functionName: Name) =>
    reader.readContract({ address: pool, abi: poolAbi, functionName });
  const [[, tick], spacing, token0, token1] = await Promise.all([
    read("slot0"),
    read("tickSpacing"),
    read("token0"),
    read("token1"),
  ]);
  const isTokenFirst = token0.toLowerCase() === token.toLowerCase();
  const wrapped = isTokenFirst ? token1 : token0;
  const start = Math.floor(tick / spacing) * spacing;
  const range = isTokenFirst ? [start - 2 * spacing, start] : [start + spacing, start + 3 * spacing];
  const hash = await signer.deployContract({ abi, bytecode, args: [wrapped], chain: null });
  const address = (await mined(hash)).contractAddress!;
  const write = async (functionName: string, amount: bigint, value = 0n) =>
    await mined(
      await signer.writeContract({ address, abi, functionName, args: [pool, ...range, amount], value, chain: null }),
    );
  return {
    add: () => write("place", liquidity, parseEther("5")),
    remove: () => write("take", liquidity / 2n),
  };
}
