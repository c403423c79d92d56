import type { LaunchCallsRequest } from "@slipway/protocol/launchCalls";
import type { SplitRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { readVanitySuffix } from "@slipway/protocol/vanitySuffix";
import type { VestingRequest } from "@slipway/protocol/vestings";
import { ApiError } from "./apiError.ts";
import type { Client } from "./createMethods.ts";
import { createSalt } from "./createSalt.ts";
import type { Vanity } from "./findVanitySalt.ts";
import { awaitPending, runStep, type Step, type StepOptions } from "./runSteps.ts";
import { pauseASecond, type StepWallet } from "./stepWallet.ts";

/** A launched token. `hash` is the transaction of the launch. */
export type LaunchedToken = { state: "launched"; token: string; hash: string };

type AskedLaunchRequest = LaunchCallsRequest & { splitter: string };

/** The request of a step of `launchToken`. With the draft, it is an order of `verifyPrepared`. */
export type AskedLaunchStep =
  | { operation: "prepareSplitter"; request: SplitRequest }
  | { operation: "prepareVesting"; request: VestingRequest }
  | { operation: "prepareLaunch"; request: AskedLaunchRequest };

/** `accept` gets the request of each result, so that it can verify the result. */
export type LaunchTokenOptions = Omit<StepOptions<UnsignedResult>, "accept"> & {
  accept?: (result: UnsignedResult, asked: AskedLaunchStep) => boolean | Promise<boolean>;
  /** The wanted end of the token's address. The search runs before the launch is signed. */
  vanity?: Vanity;
};

type LaunchClient = Pick<Client, "getIntentProgress" | "prepareSplitter" | "prepareVesting" | "prepareLaunch">;

/** Salts to try. A salt is taken only if another account deliberately uses it. */
const maxAttempts = 20;
/** The index has a transaction within a second of its block. */
const indexReads = 10;

/**
 * Launches a draft with the wallet as its creator: deploys its splitter, and the vesting of its initial buy if there is one,
 * then launches the token, and yields the token last. Keeps no state: after a crash, call it again. A launch is found by the draft's progress, and a second launch is
 * impossible, because its salt follows from draft and wallet. Needs a wallet without code; a contract wallet uses
 * `POST /launch/calls`.
 *
 * @example
 * const draft = await client.createIntent(intent, { idempotencyKey });
 * for await (const step of launchToken(client, wallet, draft.id)) console.log(step.state);
 *
 * @throws RangeError for a `vanity.suffix` of another form; StepError if a step is refused or does not succeed; the errors
 *   of the client and of the wallet.
 */
export async function* launchToken(
  client: LaunchClient,
  wallet: StepWallet,
  draftId: string,
  options: LaunchTokenOptions = {},
): AsyncGenerator<Step<UnsignedResult> | LaunchedToken, void> {
  // Refuses a wrong suffix before a transaction is signed.
  if (options.vanity !== undefined) readVanitySuffix(options.vanity.suffix);
  const request = { intent_id: draftId, wallet: wallet.address };
  const sleep = options.sleep ?? pauseASecond;
  // A transaction of an earlier run: the index shows its splitter or launch a moment later.
  const reads = (await awaitPending(wallet, sleep)) ? indexReads : 1;
  const { splitters, launches } = await readProgress(client, draftId, reads, sleep);
  const earlier = toLaunched(launches.at(-1));
  if (earlier !== null) return yield earlier;

  const splitter = splitters.at(-1)?.address ?? (yield* deploySplitter(client, wallet, request, options));
  let hasVesting = false;
  for (let attempt = 0; ; attempt++) {
    const first = await createSalt(draftId, wallet.address, attempt);
    try {
      const { salt, token } = await findSalt(client, { ...request, splitter, salt: first }, options.vanity);
      const asked = { operation: "prepareLaunch", request: { ...request, splitter, salt } } as const;
      const prepare = async () => requireToken(await client.prepareLaunch(asked.request), token);
      const launch = yield* runStep(prepare, wallet, toStepOptions(options, asked));
      if (launch === null) throw new Error("The service prepared no launch.");
      return yield { state: "launched", token: launch.result.expected!.token!, hash: launch.receipt.hash };
    } catch (error) {
      if (!hasVesting && isWithoutVesting(error)) {
        yield* createVesting(client, wallet, request, options);
        hasVesting = true;
        // The same salt again.
        attempt--;
        continue;
      }
      if (!isTaken(error) || attempt === maxAttempts) throw error;
      const launched = await findLaunch(client, draftId, sleep);
      if (launched !== null) return yield launched;
    }
  }
}

/** Returns the salt of the request, or with `vanity` the first salt after it whose token has the suffix, and the token. */
async function findSalt(
  client: LaunchClient,
  request: AskedLaunchRequest,
  vanity: LaunchTokenOptions["vanity"],
): Promise<{ salt: string; token: string | null }> {
  if (vanity === undefined) return { salt: request.salt, token: null };
  const { transaction } = await client.prepareLaunch(request);
  if (transaction === null) throw new Error("The service prepared no launch.");
  // Most launches need none of this.
  const { findVanitySalt } = await import("./findVanitySalt.ts");
  return await findVanitySalt(transaction, vanity);
}

/**
 * Returns a prepared launch of the token that the search has found; null accepts every token.
 *
 * @throws Error for another token: the launch that was searched differs from the one to sign.
 */
function requireToken(result: UnsignedResult, token: string | null): UnsignedResult {
  if (token === null || result.expected?.token?.toLowerCase() === token.toLowerCase()) return result;
  throw new Error("The service prepared another token than the one with the suffix.");
}

function toStepOptions(
  { accept, vanity, ...others }: LaunchTokenOptions,
  asked: AskedLaunchStep,
): StepOptions<UnsignedResult> {
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

/** Creates the vesting of the draft's initial buy. */
async function* createVesting(
  client: LaunchClient,
  wallet: StepWallet,
  request: VestingRequest,
  options: LaunchTokenOptions,
): AsyncGenerator<Step<UnsignedResult>, void> {
  const asked = { operation: "prepareVesting", request } as const;
  yield* runStep(() => client.prepareVesting(request), wallet, toStepOptions(options, asked));
}

const isWithoutVesting = (error: unknown) => error instanceof ApiError && error.code === "vesting_not_deployed";

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
