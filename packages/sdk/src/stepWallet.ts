import type { Sendable } from "./sendable.ts";

/** The outcome of a sent transaction. `hash` differs from the sent one if the wallet raised the fee of the transaction. */
export type StepReceipt = {
  status: "success" | "reverted";
  hash: `0x${string}`;
  /** The contract that the transaction created; null for a call. */
  contractAddress: string | null;
};

/** The functions of a wallet that `runSteps` needs. `viemWallet`, `ethersWallet` and `eip1193Wallet` create one. */
export type StepWallet = {
  address: string;
  chainId(): Promise<number>;
  /** Signs and sends a transaction. @returns its hash */
  send(transaction: Sendable): Promise<`0x${string}`>;
  /**
   * Waits until a transaction is mined.
   *
   * @throws StepError `replaced` if the wallet sent another transaction with the same nonce.
   */
  confirm(hash: `0x${string}`): Promise<StepReceipt>;
  /** Whether the account has a transaction that is not mined yet. */
  hasPending(): Promise<boolean>;
};

/**
 * - `wrong_chain`, `wrong_account`: the prepared transaction is for another chain or account than the wallet's.
 * - `expired`: the prepared transaction is too old; prepare it again.
 * - `not_accepted`: the caller's `accept` refused the result.
 * - `not_one_transaction`: the step is a batch or needs a signature first (`POST /trade/calls`, `POST /launch/calls`).
 * - `pending_transaction`: a transaction of the account stays pending.
 * - `replaced`: the wallet sent another transaction instead, e.g. a cancellation.
 * - `reverted`: the transaction was mined and failed.
 * - `endless`: the service prepares more steps than a flow has.
 */
export type StepErrorCode =
  | "wrong_chain"
  | "wrong_account"
  | "expired"
  | "not_accepted"
  | "not_one_transaction"
  | "pending_transaction"
  | "replaced"
  | "reverted"
  | "endless";

/** A step that did not succeed. With `hash` null, nothing was signed. */
export class StepError extends Error {
  override name = "StepError";
  readonly code: StepErrorCode;
  readonly hash: `0x${string}` | null;

  constructor(code: StepErrorCode, message: string, hash: `0x${string}` | null = null, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.hash = hash;
  }
}

/** Waits between two looks at the chain or the index. */
export const pauseASecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));
