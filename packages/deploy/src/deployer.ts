import type { Address, Hex } from "viem";

/** A transaction of a deployment. `to` is left out for a contract creation; `valueInWei` is zero when left out. */
export type StepTransaction = { to?: Address; data?: Hex; valueInWei?: bigint };

/** What came of a step. `blockNumber` is 0 in a plan. */
export type StepResult = { blockNumber: bigint };
export type CreationResult = StepResult & { address: Address };

/**
 * Carries out the steps of a deployment in the order they are asked for, one after the other. There are two: one that
 * sends (`createBroadcaster`) and one that only reckons (`createPlanner`); what deploys cannot tell them apart.
 *
 * A step's name is unique in a deployment: by it an interrupted deployment knows what is done.
 */
export type Deployer = {
  /** The account that sends. */
  readonly address: Address;
  /** Creates a contract from its creation code with the arguments appended. */
  create(step: string, creationCode: Hex): Promise<CreationResult>;
  /** Sends a transaction to a contract or an account. */
  send(step: string, transaction: StepTransaction & { to: Address }): Promise<StepResult>;
};
