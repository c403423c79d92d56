import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import { type Hex, zeroAddress } from "viem";
import { assertMadeSplitter } from "../../transactions/madeSplitter.ts";
import { definePreparation, type Outcome } from "../../transactions/preparation.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { assertLaunchEffects, assertPredicted } from "./assertLaunchEffects.ts";
import { checkLaunchOptions } from "./checkLaunchOptions.ts";
import {
  assertEpochs,
  createTypedData,
  explainSignatureError,
  offerAuthorization,
  readEpochs,
  requireCurrentEpoch,
  requireLastingAuthorization,
} from "./launchAuthorization.ts";
import { createLaunchWarnings, type LaunchOrder, loadContentWarnings } from "./launchOrder.ts";
import { createMakeCall, readSplitter, type SplitterState, verifySplitter } from "./launchSplitter.ts";
import { createLaunchCall, type LaunchTerms, type PredictedLaunch } from "./launchTerms.ts";

/**
 * Prepares the launch of a draft.
 *
 * - As a batch: the factory call that makes a missing splitter, then the launch. If the wallet is not the draft's
 *   creator, the launch is `launchFor` with the creator's authorization. Without an authorization, the result is the
 *   typed data for the creator to sign, and the simulated launch is the creator's own.
 * - As a transaction: only the launch, by the creator, with an existing splitter.
 *
 * @throws SlipwayError `splitter_not_deployed`, `splitter_mismatch`, `recipient_cannot_receive`, `signature_invalid`,
 * `authorization_cancelled`, `quote_expired`, `insufficient_balance`, `pool_taken`, `salt_taken`, `simulation_reverted`, `manifest_unverified`,
 * `chain_unavailable`.
 */
export const prepareLaunch = definePreparation({
  action: "launch",
  load: loadContentWarnings,
  read: readSplitter,

  plan: (context, state: SplitterState, block) => {
    const { chain, manifest } = context;
    const { shape, wallet, authorization, terms }: LaunchOrder = context.order;
    const issueTime = getIssueTime(context.now, block);
    if (authorization !== null) requireLastingAuthorization(authorization, issueTime);
    const isOffer = terms.creator !== wallet && authorization === null;
    const offered = isOffer ? offerAuthorization(terms, manifest, issueTime) : null;
    const factory = manifest.current.launch_factory.address as Hex;
    const launch = createLaunchCall(terms, factory, authorization === null ? null : { wallet, authorization });
    const makeCall = createMakeCall(context, state);
    return {
      shape,
      candidates: [{ calls: makeCall === null ? [launch] : [makeCall, launch] }],
      views: offered?.views ?? [],
      // Without an authorization, the simulation launches as the creator, who needs the value that the wallet pays.
      balances: offered === null || launch.value === 0n ? {} : { [launch.from]: launch.value },
      reads: {
        payouts: async () => await verifySplitter(context, state, block),
        options: async () => await checkLaunchOptions(chain, manifest, terms, block),
        epoch: async () => await requireCurrentEpoch(chain, manifest, terms, authorization, block),
        epochs: async () => (isOffer ? await readEpochs(chain, manifest, terms, block) : null),
      },
      explain: explainSignatureError,
      launch,
      makeCall,
      offered,
    };
  },

  checkReads: ({ context, plan, nativeBalance }) => {
    if (plan.offered === null) requireValue(context.order.terms, nativeBalance);
    return undefined;
  },

  check: ({ context, plan, answers, simulation, loaded, head }): Outcome<LaunchFields> => {
    const { manifest, order } = context;
    const { makeCall, launch, offered } = plan;
    const { terms, predicted } = order;
    if (makeCall !== null) assertMadeSplitter(simulation.returnDataByCall[0]!, order.splitter.address);
    assertPredicted(simulation, predicted);
    const typedData = offered === null ? null : createTypedData(offered, terms, manifest, simulation.readData);
    if (typedData !== null) assertEpochs(answers.epochs, typedData, head);
    if (simulation.areAssetChangesKnown) {
      const factory = manifest.current.launch_factory.address as Hex;
      const accounts = { payer: launch.from, factory, token: predicted.token };
      assertLaunchEffects(simulation.assetChanges, terms, accounts);
    }
    return {
      status: "ready",
      step: describeStep(order, makeCall !== null, typedData),
      next: describeNextStep(makeCall === null ? 1 : 2, predicted.token, typedData),
      warnings: createLaunchWarnings(order, { ...answers, content: loaded }),
      expected: createExpected(terms, predicted),
      ...(order.shape === "transaction" ? {} : { fields: toFields(typedData) }),
    };
  },
});

type LaunchFields =
  | { status: "ready"; typed_data: null }
  | ({ status: "signature_required" } & Pick<LaunchCallsResult, "transaction" | "calls" | "typed_data">);

function toFields(typedData: LaunchTypedData | null): LaunchFields {
  if (typedData === null) return { status: "ready", typed_data: null };
  return { status: "signature_required", transaction: null, calls: [], typed_data: typedData };
}

/** @throws SlipwayError `insufficient_balance` for a wallet that does not hold the value of the initial buy. */
function requireValue({ value }: LaunchTerms, available: bigint): void {
  if (available >= value) return;
  throw new SlipwayError("insufficient_balance", "The wallet's balance is below the amount of the initial buy.", {
    field: "wallet",
    details: { asset: zeroAddress, needed: value.toString(), available: available.toString() },
  });
}

/** Creates `expected` of the response: the addresses of the launch, and the amounts of an initial buy. */
function createExpected({ params, buy, value }: LaunchTerms, { token, pool, amountOut }: PredictedLaunch) {
  const bought = { amount_out: amountOut.toString(), minimum_out: buy.minimumOut.toString() };
  return { token, pool, splitter: params.splitter, ...(value === 0n ? {} : bought) };
}

function describeStep(order: LaunchOrder, makesSplitter: boolean, typedData: LaunchTypedData | null) {
  const launch = "the token with its pool and the locked position";
  if (order.shape === "transaction") return { index: 2, total: 2, description: `Launch ${launch}` };
  const isOwn = order.terms.creator === order.wallet;
  const place = { index: order.authorization === null ? 1 : 2, total: isOwn ? 1 : 2 };
  if (typedData !== null) return { ...place, description: "Let the creator sign the launch" };
  const description = makesSplitter
    ? `Make the splitter that pays the draft's recipients, and launch ${launch}`
    : `Launch ${launch}`;
  return { ...place, description };
}

function describeNextStep(calls: number, token: Hex, typedData: LaunchTypedData | null): string {
  if (typedData !== null) {
    return "Let the creator sign typed_data, and POST /launch/calls again with its deadline, its epoch and the signature as authorization";
  }
  const read = `GET /tokens/${token}, after the receipt`;
  if (calls === 1) return read;
  return `Send calls as one atomic batch (wallet_sendCalls), or one after the other; then ${read}`;
}
