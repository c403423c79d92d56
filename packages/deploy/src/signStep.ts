import { type Hex, hexToBigInt, keccak256, type LocalAccount, numberToHex } from "viem";
import { call } from "./call.ts";
import type { Fees } from "./currentFees.ts";
import type { StepTransaction } from "./deployer.ts";
import { DeployError } from "./deployError.ts";
import type { RpcClient } from "./rpcRequest.ts";
import type { StepRecord } from "./stepJournal.ts";

type Signer = { client: RpcClient; chainId: number; account: LocalAccount };

/**
 * Signs a step for a nonce, with the node's gas estimate and a quarter more.
 *
 * @throws DeployError `transaction_reverted` when the node says that it would revert.
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

/** An estimate and a quarter more: it holds for the state of its moment only. */
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
    return hexToBigInt((await call(signer.client, "eth_estimateGas", [request])) as Hex);
  } catch (error) {
    if (error instanceof DeployError) throw error;
    const message = error instanceof Error ? ((error as { details?: string }).details ?? error.message) : String(error);
    if (/insufficient funds|insufficient balance/i.test(message)) {
      throw new DeployError(
        "insufficient_funds",
        `${step}: the deployer ${signer.account.address} holds too little: ${message}`,
      );
    }
    throw new DeployError("transaction_reverted", `${step}: the node says it would fail: ${message}`, { cause: error });
  }
}
