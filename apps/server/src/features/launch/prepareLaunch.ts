import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import { authorizationValiditySeconds } from "@slipway/protocol/signedTypes";
import { type Hex, zeroAddress } from "viem";
import { assertLaunchEffects, assertPredicted } from "../../transactions/assertLaunchEffects.ts";
import {
  assertEpochs,
  createTypedData,
  explainSignatureError,
  offerAuthorization,
  readEpochs,
  requireCurrentEpoch,
  requireLastingAuthorization,
} from "../../transactions/launchAuthorization.ts";
import { createLaunchCall, type LaunchTerms, type PredictedLaunch } from "../../transactions/launchTerms.ts";
import { requireFutureVesting } from "../../transactions/madeVesting.ts";
import { definePreparation, type Outcome } from "../../transactions/preparation.ts";
import { getIssueTime } from "../../transactions/validity.ts";
import { checkLaunchOptions } from "./checkLaunchOptions.ts";
import { createLaunchWarnings, type LaunchOrder, loadContentWarnings } from "./launchOrder.ts";
import { verifySplitter } from "./launchSplitter.ts";
import {
  assertMadeContracts,
  createMakeCalls,
  type LaunchState,
  type MakeCall,
  readLaunchState,
  requireVesting,
} from "./launchVesting.ts";

/**
 * Prepares the launch of a draft.
 *
 * - As a batch: the factory calls that make a missing splitter and a missing vesting, then the launch. If the wallet is not the draft's
 *   creator, the launch is `launchFor` with the creator's authorization. Without an authorization, the result is the
 *   typed data for the creator to sign, and the simulated launch is the creator's own.
 * - As a transaction: only the launch, by the creator, with an existing splitter and an existing vesting.
 *
 * @throws SlipwayError `splitter_not_deployed`, `splitter_mismatch`, `recipient_cannot_receive`, `signature_invalid`,
 * `authorization_cancelled`, `quote_expired`, `insufficient_balance`, `pool_taken`, `salt_taken`, `vesting_not_deployed`,
 * `invalid_fields`, `simulation_reverted`, `manifest_unverified`,
 * `chain_unavailable`.
 */
export const prepareLaunch = definePreparation({
  action: "launch",
  load: loadContentWarnings,
  read: readLaunchState,

  plan: (context, found: LaunchState, block) => {
    const { chain, manifest } = context;
    const { shape, wallet, authorization, terms }: LaunchOrder = context.order;
    const issueTime = getIssueTime(context.now, block);
    const { state = null, beside: { hasVesting } = { hasVesting: null } } = found ?? {};
    requireFutureVesting(terms.vesting, issueTime);
    if (shape === "transaction") requireVesting(terms.vesting, hasVesting);
    if (authorization !== null) requireLastingAuthorization(authorization, issueTime);
    const isOffer = terms.creator !== wallet && authorization === null;
    const factory = manifest.current.launch_factory.address as Hex;
    const deadline = issueTime + authorizationValiditySeconds;
    const offered = isOffer ? offerAuthorization(terms, factory, deadline) : null;
    const launch = createLaunchCall(terms, factory, authorization === null ? null : { wallet, authorization });
    const makeCalls = createMakeCalls(context, state, hasVesting);
    const signed = { epoch: authorization?.epoch ?? null, field: "authorization.epoch" };
    return {
      shape,
      candidates: [{ calls: [...makeCalls.map(({ call }) => call), launch] }],
      views: offered?.views ?? [],
      // Without an authorization, the simulation launches as the creator, who needs the value that the wallet pays.
      balances: offered === null || launch.value === 0n ? {} : { [launch.from]: launch.value },
      reads: {
        payouts: async () => await verifySplitter(context, state, block),
        options: async () => await checkLaunchOptions(chain, manifest, terms, block),
        epoch: async () => await requireCurrentEpoch(chain, manifest, factory, terms.creator, signed, block),
        epochs: async () => (isOffer ? await readEpochs(chain, manifest, factory, terms.creator, block) : null),
      },
      explain: (error: SlipwayError) => explainSignatureError(error),
      launch,
      makeCalls,
      offered,
    };
  },

  checkReads: ({ context, plan, nativeBalance }) => {
    if (plan.offered === null) requireValue(context.order.terms, nativeBalance);
    return undefined;
  },

  check: ({ context, plan, answers, simulation, loaded, head }): Outcome<LaunchFields> => {
    const { manifest, order } = context;
    const { makeCalls, launch, offered } = plan;
    const { terms, predicted } = order;
    const factory = manifest.current.launch_factory.address as Hex;
    assertMadeContracts(makeCalls, simulation.returnDataByCall);
    assertPredicted(simulation, predicted);
    const typedData =
      offered === null
        ? null
        : createTypedData(offered, terms, { factory, chainId: manifest.chain_id }, simulation.readData);
    if (typedData !== null) assertEpochs(answers.epochs, typedData, head);
    if (simulation.areAssetChangesKnown) {
      const accounts = { payer: launch.from, factory, token: predicted.token };
      assertLaunchEffects(simulation.assetChanges, terms, accounts);
    }
    return {
      status: "ready",
      step: describeStep(order, makeCalls, typedData),
      next: describeNextStep(makeCalls.length + 1, predicted.token, typedData),
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
function createExpected({ params, buy, vesting, value }: LaunchTerms, { token, pool, amountOut }: PredictedLaunch) {
  const bought = { amount_out: amountOut.toString(), minimum_out: buy.minimumOut.toString() };
  const vests = vesting === null ? {} : { vesting: vesting.address };
  return { token, pool, splitter: params.splitter, ...(value === 0n ? {} : bought), ...vests };
}

const madeContracts = {
  deploy_splitter: "the splitter that pays the draft's recipients",
  deploy_vesting: "the vesting of the initial buy",
};

function describeStep(order: LaunchOrder, makeCalls: readonly MakeCall[], typedData: LaunchTypedData | null) {
  const launch = "the token with its pool and the locked position";
  if (order.shape === "transaction") return { index: 2, total: 2, description: `Launch ${launch}` };
  const isOwn = order.terms.creator === order.wallet;
  const place = { index: order.authorization === null ? 1 : 2, total: isOwn ? 1 : 2 };
  if (typedData !== null) return { ...place, description: "Let the creator sign the launch" };
  const made = makeCalls.map(({ action }) => madeContracts[action]).join(" and ");
  return { ...place, description: made === "" ? `Launch ${launch}` : `Make ${made}, and launch ${launch}` };
}

function describeNextStep(calls: number, token: Hex, typedData: LaunchTypedData | null): string {
  if (typedData !== null) {
    return "Let the creator sign typed_data, and POST /launch/calls again with its deadline, its epoch and the signature as authorization";
  }
  const read = `GET /tokens/${token}, after the receipt`;
  if (calls === 1) return read;
  return `Send calls as one atomic batch (wallet_sendCalls), or one after the other; then ${read}`;
}
