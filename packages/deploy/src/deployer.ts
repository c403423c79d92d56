import type { Address, Hex } from "viem";

/** A transaction of a deployment. `to` is omitted for a contract creation; `valueInWei` is zero when omitted. */
export type StepTransaction = { to?: Address; data?: Hex; valueInWei?: bigint };

/** The result of a step. In a plan the number is 0 and the hash empty. */
export type StepResult = { blockNumber: bigint; transactionHash: Hex };
export type CreationResult = StepResult & { address: Address };

/**
 * Executes the steps of a deployment sequentially in the order of the calls. There are two implementations: one sends
 * (`createBroadcaster`) and one only computes (`createPlanner`); the code that deploys is the same for both.
 *
 * A step's name is unique in a deployment: it identifies the step when an interrupted deployment is resumed.
 */
export type Deployer = {
  /** The account that sends. */
  readonly address: Address;
  /** Creates a contract from its creation code with the arguments appended. */
  create(step: string, creationCode: Hex): Promise<CreationResult>;
  /** Sends a transaction to a contract or an account. */
  send(step: string, transaction: StepTransaction & { to: Address }): Promise<StepResult>;
};
