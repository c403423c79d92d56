import { type Hex, hexToBigInt, keccak256, type LocalAccount, numberToHex } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import type { StepTransaction } from "./deployer.ts";
import type { StepRecord } from "./openDeploymentState.ts";

type Signer = { client: RpcClient; chainId: number; account: LocalAccount };

/**
 * Signs a step for a nonce, with the node's gas estimate plus a quarter.
 *
 * @throws DeployError `transaction_reverted` when the node's estimate reverts.
 */
export async function signStep(
  signer: Signer,
  step: string,
  transaction: StepTransaction,
  nonce: number,
  fees: Fees,
): Promise<StepRecord["attempts"][number]> {
  const gas = withMargin(await estimate(signer, step, transaction));
  const common = {
    chainId: signer.chainId,
    nonce,
    gas,
    value: transaction.valueInWei ?? 0n,
    ...(transaction.to === undefined ? {} : { to: transaction.to }),
    ...(transaction.data === undefined ? {} : { data: transaction.data }),
  };
  const raw = await signer.account.signTransaction(
    fees.type === "eip1559"
      ? { ...common, type: "eip1559", maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas }
      : { ...common, type: "legacy", gasPrice: fees.gasPrice },
  );
  return { tx_hash: keccak256(raw), raw, max_fee_per_gas: fees.maxFeePerGas.toString() };
}

/** Adds a quarter to an estimate, which is valid only for the state at its block. */
export function withMargin(gas: bigint): bigint {
  return (gas * 5n) / 4n;
}

async function estimate(signer: Signer, step: string, { to, data, valueInWei }: StepTransaction): Promise<bigint> {
  const request = {
    from: signer.account.address,
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(valueInWei === undefined ? {} : { value: numberToHex(valueInWei) }),
  };
  try {
    return hexToBigInt((await callRpc(signer.client, "eth_estimateGas", [request])) as Hex);
  } catch (error) {
    if (error instanceof DeployError) throw error;
    const message = error instanceof Error ? ((error as { details?: string }).details ?? error.message) : String(error);
    if (/insufficient funds|insufficient balance/i.test(message)) {
      throw new DeployError(
        "insufficient_funds",
        `${step}: the balance of the deployer ${signer.account.address} is too low: ${message}`,
      );
    }
    throw new DeployError("transaction_reverted", `${step}: the node predicts a failure: ${message}`, { cause: error });
  }
}

/** A transaction's fees per gas, in wei. A plan computes its cost from `maxFeePerGas`. */
export type Fees =
  | { type: "eip1559"; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; baseFeePerGas: bigint }
  | { type: "legacy"; gasPrice: bigint; maxFeePerGas: bigint };

/**
 * Reads the fees for a transaction sent now: twice the base fee plus the node's tip, so that it stays valid while fees
 * double; on a chain without a base fee the node's gas price plus a quarter.
 */
export async function readFees(client: RpcClient): Promise<Fees> {
  const block = (await callRpc(client, "eth_getBlockByNumber", ["latest", false])) as { baseFeePerGas?: Hex } | null;
  if (block?.baseFeePerGas === undefined) {
    const gasPrice = (hexToBigInt((await callRpc(client, "eth_gasPrice", [])) as Hex) * 5n) / 4n;
    return { type: "legacy", gasPrice, maxFeePerGas: gasPrice };
  }
  const baseFeePerGas = hexToBigInt(block.baseFeePerGas);
  // Some nodes lack the method; a first-come chain needs no tip.
  const tip = await callRpc(client, "eth_maxPriorityFeePerGas", []).catch(() => "0x0");
  const maxPriorityFeePerGas = hexToBigInt(tip as Hex);
  return {
    type: "eip1559",
    baseFeePerGas,
    maxPriorityFeePerGas,
    maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas,
  };
}
