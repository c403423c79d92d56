import type { LaunchCallsRequest } from "@slipway/protocol/launchCalls";
import type { SplitRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { ApiError } from "./apiError.ts";
import type { Client } from "./createMethods.ts";
import { createSalt } from "./createSalt.ts";
import { awaitPending, runStep, type Step, type StepOptions } from "./runSteps.ts";
import { pauseASecond, type StepWallet } from "./stepWallet.ts";

/** A launched token. `hash` is the transaction of the launch. */
export type LaunchedToken = { state: "launched"; token: string; hash: string };

/** The request of a step of `launchToken`. With the draft, it is an order of `verifyPrepared`. */
export type AskedLaunchStep =
  | { operation: "prepareSplitter"; request: SplitRequest }
  | { operation: "prepareLaunch"; request: LaunchCallsRequest & { splitter: string } };

/** `accept` gets the request of each result, so that it can verify the result. */
export type LaunchTokenOptions = Omit<StepOptions<UnsignedResult>, "accept"> & {
  accept?: (result: UnsignedResult, asked: AskedLaunchStep) => boolean | Promise<boolean>;
};

type LaunchClient = Pick<Client, "getIntentProgress" | "prepareSplitter" | "prepareLaunch">;

/** Salts to try. A salt is taken only if another account deliberately uses it. */
const maxAttempts = 20;
/** The index has a transaction within a second of its block. */
const indexReads = 10;

/**
 * Launches a draft with the wallet as its creator: deploys its splitter, then launches the token, and yields the token
 * last. Keeps no state: after a crash, call it again. A launch is found by the draft's progress, and a second launch is
 * impossible, because its salt follows from draft and wallet. Needs a wallet without code; a contract wallet uses
 * `POST /launch/calls`.
 *
 * @example
 * const draft = await client.createIntent(intent, { idempotencyKey });
 * for await (const step of launchToken(client, wallet, draft.id)) console.log(step.state);
 *
 * @throws StepError if a step is refused or does not succeed; the errors of the client and of the wallet.
 */
export async function* launchToken(
  client: LaunchClient,
  wallet: StepWallet,
  draftId: string,
  options: LaunchTokenOptions = {},
): AsyncGenerator<Step<UnsignedResult> | LaunchedToken, void> {
  const request = { intent_id: draftId, wallet: wallet.address };
  const sleep = options.sleep ?? pauseASecond;
  // A transaction of an earlier run: the index shows its splitter or launch a moment later.
  const reads = (await awaitPending(wallet, sleep)) ? indexReads : 1;
  const { splitters, launches } = await readProgress(client, draftId, reads, sleep);
  const earlier = toLaunched(launches.at(-1));
  if (earlier !== null) return yield earlier;

  const splitter = splitters.at(-1)?.address ?? (yield* deploySplitter(client, wallet, request, options));
  for (let attempt = 0; ; attempt++) {
    const salt = await createSalt(draftId, wallet.address, attempt);
    const asked = { operation: "prepareLaunch", request: { ...request, splitter, salt } } as const;
    try {
      const launch = yield* runStep(() => client.prepareLaunch(asked.request), wallet, toStepOptions(options, asked));
      if (launch === null) throw new Error("The service prepared no launch.");
      return yield { state: "launched", token: launch.result.expected!.token!, hash: launch.receipt.hash };
    } catch (error) {
      if (!isTaken(error) || attempt === maxAttempts) throw error;
      const launched = await findLaunch(client, draftId, sleep);
      if (launched !== null) return yield launched;
    }
  }
}

function toStepOptions({ accept, ...others }: LaunchTokenOptions, asked: AskedLaunchStep): StepOptions<UnsignedResult> {
  return { ...others, ...(accept === undefined ? {} : { accept: (result) => accept(result, asked) }) };
}

/** @returns the address of the splitter, which differs from the predicted one if another transaction used the nonce */
async function* deploySplitter(
  client: LaunchClient,
  wallet: StepWallet,
  request: SplitRequest,
  options: LaunchTokenOptions,
): AsyncGenerator<Step<UnsignedResult>, string> {
  let predicted: string | undefined;
  const prepare = async () => {
    const result = await client.prepareSplitter(request);
    predicted = result.expected?.splitter;
    return result;
  };
  const deployed = yield* runStep(prepare, wallet, toStepOptions(options, { operation: "prepareSplitter", request }));
  // With nothing to do, the splitter exists.
  const splitter = deployed?.receipt.contractAddress ?? predicted;
  if (splitter === undefined) throw new Error("The service named no splitter.");
  return splitter;
}

const isTaken = (error: unknown) =>
  error instanceof ApiError && (error.code === "salt_taken" || error.code === "pool_taken");

/** Reads the progress of a draft until it shows a step, at most `reads` times. */
async function readProgress(client: LaunchClient, id: string, reads: number, sleep: () => Promise<void>) {
  for (let read = 1; ; read++) {
    const progress = await client.getIntentProgress({ id });
    if (read === reads || progress.splitters.length + progress.launches.length > 0) return progress;
    await sleep();
  }
}

/** Waits a few seconds for a draft's launch in the index. */
async function findLaunch(client: LaunchClient, id: string, sleep: () => Promise<void>) {
  for (let read = 0; read < indexReads; read++) {
    const launched = toLaunched((await client.getIntentProgress({ id })).launches.at(-1));
    if (launched !== null) return launched;
    await sleep();
  }
  return null;
}

const toLaunched = (found: { token: string; tx_hash: string } | undefined): LaunchedToken | null =>
  found === undefined ? null : { state: "launched", token: found.token, hash: found.tx_hash };
