import type { UnsignedResult } from "@slipway/protocol/transaction";
import { sendable } from "./sendable.ts";
import { pauseASecond, StepError, type StepReceipt, type StepWallet } from "./stepWallet.ts";

/** The used part of a result that has a transaction to sign. */
export type PreparedResult = Pick<UnsignedResult, "transaction" | "next" | "expires_at" | "manifest"> & {
  status: string;
};

/** The progress of a step: prepared by the service, sent by the wallet, mined. */
export type Step<Result> =
  | { state: "prepared"; result: Result }
  | { state: "sent"; result: Result; hash: `0x${string}` }
  | { state: "confirmed"; result: Result; receipt: StepReceipt };

export type StepOptions<Result> = {
  /** Called with each result before its transaction is signed; `false` refuses it. Default: accepts all results. */
  accept?: (result: Result) => boolean | Promise<boolean>;
  /** The current time in Unix seconds. Default: the clock of this machine. */
  now?: () => number;
  /** Waits between two requests for a pending transaction. Default: a timer of one second. */
  sleep?: () => Promise<void>;
};

/** No flow of the service has more steps. */
const maxSteps = 6;
/** The looks, a second apart, for a transaction that is not mined yet. */
const maxPendingLooks = 120;

/**
 * Runs a flow of one request: requests a step, signs and sends its transaction, waits for the receipt, and requests the
 * next step by the same request until there is none. Keeps no state: after a crash, call it again, and the service
 * continues from the state of the chain. It waits first for pending transactions of the account, so that it does not
 * send a step twice. A trade whose swap was mined before the crash is a new trade: look for it in
 * `GET /tokens/{address}/trades`.
 *
 * @param prepare - Requests the step, with a request that is the same for all steps, e.g. `prepareTrade`.
 * @example
 * const wallet = viemWallet(walletClient, publicClient);
 * for await (const step of runSteps(() => client.prepareTrade(order), wallet)) console.log(step.state);
 *
 * @throws StepError if a step is refused or does not succeed; the errors of `prepare` and of the wallet.
 */
export async function* runSteps<Result extends PreparedResult>(
  prepare: () => Promise<Result>,
  wallet: StepWallet,
  options: StepOptions<Result> = {},
): AsyncGenerator<Step<Result>, void> {
  for (let steps = 0; steps < maxSteps; steps++) {
    const receipt = yield* runStep(prepare, wallet, options);
    if (receipt === null || receipt.result.next === null) return;
  }
  throw new StepError("endless", `The service prepares more than ${maxSteps} steps.`);
}

/** Runs one step of a flow. @returns the mined step; null if there is nothing to do */
export async function* runStep<Result extends PreparedResult>(
  prepare: () => Promise<Result>,
  wallet: StepWallet,
  options: StepOptions<Result> = {},
): AsyncGenerator<Step<Result>, Extract<Step<Result>, { state: "confirmed" }> | null> {
  await awaitPending(wallet, options.sleep);
  const result = await prepare();
  yield { state: "prepared", result };
  const transaction = sendable(result);
  if (transaction === null) {
    if (result.status === "nothing_to_do") return null;
    throw new StepError("not_one_transaction", "The step has no transaction: it is a batch or needs a signature.");
  }
  await requireSendable(result, transaction, wallet, options);
  const hash = await wallet.send(transaction);
  yield { state: "sent", result, hash };
  const receipt = await wallet.confirm(hash);
  if (receipt.status === "reverted") throw new StepError("reverted", `The transaction ${hash} reverted.`, receipt.hash);
  const confirmed = { state: "confirmed", result, receipt } as const;
  yield confirmed;
  return confirmed;
}

/** Asserts that a transaction is for this wallet and accepted, right before the wallet signs it. */
async function requireSendable<Result extends PreparedResult>(
  result: Result,
  transaction: { chainId: number; from: string },
  wallet: StepWallet,
  { accept, now = () => Date.now() / 1_000 }: StepOptions<Result>,
): Promise<void> {
  const { chainId, from } = transaction;
  if (from.toLowerCase() !== wallet.address.toLowerCase())
    throw new StepError("wrong_account", `The transaction is for ${from}, the wallet is ${wallet.address}.`);
  if (accept !== undefined && !(await accept(result))) throw new StepError("not_accepted", "The result was refused.");
  const actual = await wallet.chainId();
  if (chainId !== actual || result.manifest.chain_id !== actual)
    throw new StepError("wrong_chain", `The transaction is for the chain ${chainId}, the wallet is on ${actual}.`);
  if (now() >= result.expires_at) throw new StepError("expired", "The prepared transaction has expired.");
}

/**
 * Waits until the account has no pending transaction. @returns whether it had one
 *
 * @throws StepError `pending_transaction` if one stays pending for two minutes.
 */
export async function awaitPending(wallet: StepWallet, sleep = pauseASecond): Promise<boolean> {
  for (let looks = 0; ; looks++) {
    if (!(await wallet.hasPending())) return looks > 0;
    if (looks === maxPendingLooks)
      throw new StepError(
        "pending_transaction",
        "A transaction of the account stays pending: send or cancel it first.",
      );
    await sleep();
  }
}
