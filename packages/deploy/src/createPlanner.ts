import { type Address, getContractAddress, type Hex, hexToBigInt, numberToHex } from "viem";
import { call } from "./call.ts";
import type { Deployer, StepTransaction } from "./deployer.ts";
import { DeployError } from "./deployError.ts";
import { recordedGas } from "./recordedGas.ts";
import type { RpcClient } from "./rpcRequest.ts";
import { withMargin } from "./signStep.ts";
import type { StepJournal } from "./stepJournal.ts";

/**
 * A step as it would be sent. `gas` is with the margin; it is `recorded` where the node cannot estimate it yet, and
 * zero for a step that an interrupted deployment has signed.
 */
export type PlannedStep = {
  step: string;
  address: Address | null;
  to: Address | null;
  valueInWei: bigint;
  gas: bigint;
  gasSource: "estimated" | "recorded" | "already signed";
};

export type Planner = Deployer & { readonly steps: readonly PlannedStep[] };

/**
 * The deployer that sends nothing: it reckons addresses from the account's nonce, and gas by the node's estimate. A
 * step that needs an earlier one on the chain cannot be estimated and gets the recorded figure, which is execution
 * alone: a rollup's part for its parent chain is not in it.
 *
 * @param firstNonce - The account's next nonce.
 * @param journal - Of an interrupted deployment that would go on.
 */
export function createPlanner(
  client: RpcClient,
  account: Address,
  firstNonce: number,
  journal?: Pick<StepJournal, "read">,
): Planner {
  const steps: PlannedStep[] = [];
  let nextNonce = firstNonce;

  async function plan(step: string, transaction: StepTransaction): Promise<PlannedStep> {
    const to = transaction.to ?? null;
    const valueInWei = transaction.valueInWei ?? 0n;
    const record = journal?.read(step);
    if (record !== undefined) {
      const { address } = record;
      const signed: PlannedStep = { step, address, to, valueInWei, gas: 0n, gasSource: "already signed" };
      steps.push(signed);
      nextNonce = Math.max(nextNonce, record.nonce + 1);
      return signed;
    }
    // A call to what does not exist yet would be estimated as one to an empty account.
    const awaitsEarlier = steps.some(({ address }) => address !== null && address === transaction.to);
    const estimated = awaitsEarlier ? undefined : await estimate(client, account, transaction);
    const planned: PlannedStep = {
      step,
      address: to === null ? getContractAddress({ from: account, nonce: BigInt(nextNonce++) }) : null,
      to,
      valueInWei,
      gas: withMargin(estimated ?? recordedGas(step)),
      gasSource: estimated === undefined ? "recorded" : "estimated",
    };
    if (to !== null) nextNonce++;
    steps.push(planned);
    return planned;
  }

  return {
    address: account,
    steps,
    async create(step, creationCode) {
      const { address } = await plan(step, { data: creationCode });
      return { address: address as Address, blockNumber: 0n };
    },
    async send(step, transaction) {
      await plan(step, transaction);
      return { blockNumber: 0n };
    },
  };
}

/** The node's estimate; undefined when the call fails as things are now. */
async function estimate(client: RpcClient, from: Address, transaction: StepTransaction): Promise<bigint | undefined> {
  const { to, data, valueInWei } = transaction;
  try {
    const answer = await call(client, "eth_estimateGas", [
      {
        from,
        ...(to === undefined ? {} : { to }),
        ...(data === undefined ? {} : { data }),
        ...(valueInWei === undefined ? {} : { value: numberToHex(valueInWei) }),
      },
    ]);
    return hexToBigInt(answer as Hex);
  } catch (error) {
    if (error instanceof DeployError) throw error;
    return undefined;
  }
}
