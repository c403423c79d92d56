import { hexToBigInt, type Hex } from "viem";
import { call } from "./call.ts";
import type { RpcClient } from "./rpcRequest.ts";

/** What a transaction offers per gas, in wei. `maxFeePerGas` is what a plan reckons its cost with. */
export type Fees =
  | { type: "eip1559"; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; baseFeePerGas: bigint }
  | { type: "legacy"; gasPrice: bigint; maxFeePerGas: bigint };

/**
 * Fees for a transaction sent now: twice the base fee and the node's tip, so that it stays valid while fees double;
 * on a chain without a base fee the node's gas price and a quarter.
 */
export async function currentFees(client: RpcClient): Promise<Fees> {
  const block = (await call(client, "eth_getBlockByNumber", ["latest", false])) as { baseFeePerGas?: Hex } | null;
  if (block?.baseFeePerGas === undefined) {
    const gasPrice = (hexToBigInt((await call(client, "eth_gasPrice", [])) as Hex) * 5n) / 4n;
    return { type: "legacy", gasPrice, maxFeePerGas: gasPrice };
  }
  const baseFeePerGas = hexToBigInt(block.baseFeePerGas);
  // Some nodes do not know the method; zero is what a first-come chain asks.
  const tip = await call(client, "eth_maxPriorityFeePerGas", []).catch(() => "0x0");
  const maxPriorityFeePerGas = hexToBigInt(tip as Hex);
  return {
    type: "eip1559",
    baseFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas,
  };
}
