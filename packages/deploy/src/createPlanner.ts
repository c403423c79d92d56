import { type Address, getContractAddress, type Hex, hexToBigInt, numberToHex } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { DeployError } from "./deployError.ts";
import type { Deployer, StepTransaction } from "./deployer.ts";
import type { StepJournal } from "./openDeploymentState.ts";
import { withMargin } from "./signStep.ts";

/**
 * A planned step. `gas` includes the margin; it is `recorded` if the node cannot estimate it yet, and zero for a step
 * that an interrupted deployment has signed.
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
 * Creates the deployer that sends nothing: it computes addresses from the account's nonce, and uses the node's gas
 * estimates. A step that depends on an earlier one cannot be estimated and uses the recorded gas, which covers
 * execution only, without a rollup's fee for its parent chain.
 *
 * @param firstNonce - The account's next nonce.
 * @param journal - The journal of an interrupted deployment to resume.
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
    // A call to a contract that does not exist yet would be estimated like a call to an empty account.
    const needsEarlierStep = steps.some(({ address }) => address !== null && address === transaction.to);
    const estimated = needsEarlierStep ? undefined : await estimate(client, account, transaction);
    const planned: PlannedStep = {
      step,
      address: to === null ? getContractAddress({ from: account, nonce: BigInt(nextNonce++) }) : null,
      to,
      valueInWei,
      gas: withMargin(estimated ?? getRecordedGas(step)),
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
      return { address: address as Address, blockNumber: 0n, transactionHash: "0x" };
    },
    async send(step, transaction) {
      await plan(step, transaction);
      return { blockNumber: 0n, transactionHash: "0x" };
    },
  };
}

/** Returns the node's estimate; undefined when the call fails in the current state. */
async function estimate(client: RpcClient, from: Address, transaction: StepTransaction): Promise<bigint | undefined> {
  const { to, data, valueInWei } = transaction;
  try {
    const answer = await callRpc(client, "eth_estimateGas", [
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

// Gas used on anvil 1.7.1 (cancun). deployLocal.test.ts fails when a value is too low.
const figures: Record<string, bigint> = {
  wrapped_native: 840_000n,
  uniswap_factory: 5_450_000n,
  uniswap_fee_tier_5000: 60_000n,
  uniswap_fee_tier_1000: 60_000n,
  uniswap_owner: 40_000n,
  uniswap_position_manager: 5_480_000n,
  uniswap_router: 5_350_000n,
  uniswap_quoter: 1_850_000n,
  splitter_factory: 1_900_000n,
  launch_factory: 5_500_000n,
  vesting_factory: 900_000n,
  opening_factory: 2_800_000n,
  gas_station: 1_700_000n,
  gas_station_float: 60_000n,
  multicall3: 900_000n,
};

const unknownStep = 6_000_000n;

/** Returns the recorded gas of a deployment step, for a plan whose node cannot estimate it. */
export function getRecordedGas(step: string): bigint {
  return figures[step] ?? unknownStep;
}
