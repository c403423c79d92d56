import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Allocation } from "@slipway/protocol/splitter";
import type { Warning } from "@slipway/protocol/transaction";
import { type Hex, multicall3Abi } from "viem";
import { getMulticall3, type HeadBlock } from "../../chain/readChain.ts";
import type { SupportedLaunch } from "../../transactions/launches.ts";
import {
  type Context,
  definePreparation,
  type Outcome,
  readWithHead,
  type TargetedCall,
} from "../../transactions/preparation.ts";
import { type BatchSimulation, simulateBatch } from "../../transactions/simulate.ts";
import { computeGasLimit } from "../../transactions/unsignedResult.ts";
import { assertClaimEffects, type ClaimedAmount } from "./assertClaimEffects.ts";
import { type ClaimGroup, type GroupTrial, groupBySplitter, tryClaim } from "./claimGroups.ts";
import { type ClaimCall, planClaim } from "./planClaim.ts";
import { createOwedWarning, listFailedPayments } from "./prepareClaim.ts";
import { findCreation, getIndexedAllocations, type PayeesState, verifyPayees } from "./queries.ts";

/** A validated request; addresses are checksummed, each token is named once. */
export type ClaimCallsOrder = { wallet: Hex; tokens: Hex[]; unwraps: boolean; stages: "all" | "release" };

const step = { index: 1, total: 1, description: "Collect, settle and release everything that the wallet earns" };

/** The maximum gas of a transaction, whatever a block's limit. Source: EIP-7825. */
export const maxTransactionGas = 2n ** 24n;

/**
 * Prepares the claim of one wallet on several tokens, as one batch and as one transaction through Multicall3. Tries the
 * calls at the head and simulates the calls that pay the wallet as a whole. One or two more round trips if a call
 * fails.
 *
 * @throws SlipwayError `pool_not_supported`, `splitter_mismatch`, `not_recipient`, `simulation_reverted`,
 * `manifest_unverified`, `chain_unavailable`.
 */
export const prepareClaimCalls = definePreparation({
  action: "claim",
  tokens: (order: ClaimCallsOrder) => order.tokens,
  locateToken: ({ tokens }, index) => ({ field: `tokens[${index}]`, details: { token: tokens[index] } }),

  read: (context: Context<ClaimCallsOrder>) => {
    const { chain, proven, manifest, order } = context;
    const groups = groupBySplitter(context.launches);
    for (const group of groups) {
      const allocations = getIndexedAllocations(group.launches[0]!);
      if (allocations !== null) requirePayee(order, group, allocations);
    }
    // Unverified splitters come last: their code may use up all gas.
    const ordered = [...groups].sort((a, b) => Number(isUnverified(a)) - Number(isUnverified(b)));
    const place = { chain, chainId: manifest.chain_id, multicall3: getMulticall3(manifest) };
    return readWithHead(
      async () => await tryClaim(place, ordered, order.wallet, order.stages),
      () => ({
        creations: Promise.all(
          groups.map(async (group) =>
            isUnverified(group) ? await findCreation(chain, proven, toLaunch(group)) : null,
          ),
        ),
      }),
    );
  },

  plan: (context, { state: trials, beside }: ClaimState, block) => {
    const { chain, manifest, order } = context;
    const { wallet } = order;
    const groups = groupBySplitter(context.launches);
    const wrappedNative = manifest.wrapped_native.address as Hex;
    const multicall3 = getMulticall3(manifest);
    const plan = planClaim(trials, wallet, wrappedNative, { unwraps: order.unwraps });
    const calls = plan.calls.map(({ to, data }): TargetedCall => ({ from: wallet, to, data, value: 0n }));
    const joined = joinCalls(calls, multicall3);
    const splitters = groups.map(({ splitter }) => splitter);
    const assertEffects = (simulation: BatchSimulation) =>
      assertClaimEffects(simulation, wallet, splitters, wrappedNative, multicall3);
    return {
      shape: "batch",
      candidates: calls.length === 0 ? [] : [{ calls }],
      reads: {
        payees: async () => await requirePayees(context, groups, beside.creations, block),
        one: async () =>
          joined === null || calls.length === 1
            ? null
            : await catchRevert(simulateBatch(chain, [joined], [], block).then(assertEffects)),
      },
      // The parent chain charges for the bytes of all calls together.
      joined,
      explain: (error: SlipwayError) => explainFailure(error, plan.calls),
      calls,
      warnings: plan.warnings,
      groups,
      assertEffects,
    };
  },

  checkReads: ({ plan }): Outcome<unknown> | undefined => {
    if (plan.calls.length > 0) return undefined;
    return { status: "nothing_to_do", step, next: null, warnings: plan.warnings, expected: { amounts: [] } };
  },

  check: ({ context, plan, answers, simulation, parentGas, head }): Outcome<unknown> => {
    const { joined, calls, groups } = plan;
    const { unwraps } = context.order;
    const claim = plan.assertEffects(simulation);
    const l1Gas = parentGas[0]!;
    const one = calls.length === 1 ? null : findOneTransaction(answers.one, claim, l1Gas, head.gasLimit);
    const refusal = one !== null && "refusal" in one ? one.refusal : null;
    return {
      status: "ready",
      step,
      next: null,
      expected: { amounts: claim.amounts.map(({ asset, to, amount }) => ({ asset, to, amount: amount.toString() })) },
      warnings: [
        ...plan.warnings,
        ...createPaymentWarnings(claim, groups, unwraps),
        ...(refusal === null ? [] : [{ code: "calls_only" as const, message: refusal }]),
      ],
      simulation: claim.simulation,
      ...(one !== null && "simulation" in one
        ? { transaction: { call: joined!, simulation: one.simulation, l1Gas } }
        : {}),
    };
  },
});

type ClaimState = { state: GroupTrial[]; beside: { creations: readonly PayeesState[] } };

/** A simulated claim: the paid amounts, and whether a part to unwrap is paid as wrapped native. */
type SimulatedClaim = { simulation: BatchSimulation; amounts: ClaimedAmount[]; paysWrapped: boolean };

const toLaunch = ({ launches }: ClaimGroup): SupportedLaunch => {
  const { deployment, ...launch } = launches[0]!;
  return { launch, deployment };
};

/** @throws SlipwayError `not_recipient`, `splitter_mismatch` for a splitter that the index has not verified. */
async function requirePayees(
  context: Context<ClaimCallsOrder>,
  groups: readonly ClaimGroup[],
  creations: readonly PayeesState[],
  block: HeadBlock,
): Promise<void> {
  const verify = async (group: ClaimGroup, i: number) =>
    requirePayee(context.order, group, await verifyPayees(context, toLaunch(group), creations[i]!, block));
  await Promise.all(groups.map(verify));
}

const isUnverified = ({ launches }: ClaimGroup): boolean => launches[0]!.allocations === null;

/** @throws SlipwayError `not_recipient`, which names the first token whose splitter does not pay the wallet. */
function requirePayee(order: ClaimCallsOrder, { launches }: ClaimGroup, allocations: readonly Allocation[]): void {
  if (allocations.some(({ payee }) => payee === order.wallet)) return;
  const { token } = launches[0]!;
  throw new SlipwayError("not_recipient", undefined, {
    field: `tokens[${order.tokens.indexOf(token)}]`,
    details: { token },
  });
}

/**
 * Joins all calls into one Multicall3 call, which fails if one of the calls fails. Returns a single call unchanged, and
 * null if the deployment has no Multicall3.
 */
export function joinCalls(calls: readonly TargetedCall[], multicall3: Hex | null): TargetedCall | null {
  const [first, ...others] = calls;
  if (first === undefined || (others.length > 0 && multicall3 === null)) return null;
  if (others.length === 0) return first;
  const targets = calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }));
  const data = encodeCall({ abi: multicall3Abi, functionName: "aggregate3", args: [targets] });
  return { from: first.from, to: multicall3!, data, value: 0n };
}

/** Names the call that fails in the error of a simulated batch. */
function explainFailure(error: SlipwayError, planned: readonly ClaimCall[]): SlipwayError {
  if (error.code === "chain_unavailable") return error;
  const { stage, of } = planned[Number(error.details?.call ?? 0)]!;
  return new SlipwayError("simulation_reverted", error.message, {
    details: { ...error.details, stage, [stage === "release" ? "splitter" : "token"]: of },
    cause: error,
  });
}

type RevertMessage = { revert: string };

/** Returns the message of a revert instead of throwing it. @throws any other error. */
async function catchRevert<T>(simulated: Promise<T>): Promise<T | RevertMessage> {
  try {
    return await simulated;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "simulation_reverted") return { revert: error.message };
    throw error;
  }
}

/** Returns the simulation of the claim as one transaction, or the reason why one transaction is impossible. */
function findOneTransaction(
  one: SimulatedClaim | RevertMessage | null,
  claim: SimulatedClaim,
  l1Gas: bigint | null,
  blockGasLimit: bigint | undefined,
): { simulation: BatchSimulation } | { refusal: string } {
  if (one === null) return { refusal: "The deployment names no Multicall3: send the calls as a batch, or one by one." };
  if ("revert" in one) return { refusal: `One transaction of all calls would fail: ${one.revert}` };
  const { simulation, amounts } = one;
  if (!isSame(amounts, claim.amounts)) {
    return {
      refusal:
        "Native is paid to a contract only when the recipient itself sends the call: send the calls as a batch, or one by one.",
    };
  }
  const limit = computeGasLimit(simulation, l1Gas);
  const isBelow = blockGasLimit !== undefined && blockGasLimit < maxTransactionGas;
  const maxGas = isBelow ? blockGasLimit : maxTransactionGas;
  if (limit <= maxGas) return { simulation };
  return {
    refusal: `One transaction of all calls would take ${limit} gas, and ${maxGas} is the most: send the calls one by one, or name fewer tokens.`,
  };
}

const isSame = (a: readonly ClaimedAmount[], b: readonly ClaimedAmount[]): boolean =>
  a.length === b.length &&
  a.every(({ asset, to, amount }, i) => asset === b[i]!.asset && to === b[i]!.to && amount === b[i]!.amount);

/** Warns of payments that stay owed, and of a part to unwrap that is paid as wrapped native. */
function createPaymentWarnings(
  { simulation, paysWrapped }: SimulatedClaim,
  groups: readonly ClaimGroup[],
  unwraps: boolean,
): Warning[] {
  const lockers = new Set(groups.flatMap(({ launches }) => launches.map(({ feeLocker }) => feeLocker)));
  const owed = [...lockers].flatMap((locker) => listFailedPayments(locker, simulation)).map(createOwedWarning);
  if (!unwraps || !paysWrapped) return owed;
  const message = "The receiver refuses native and is paid in wrapped native.";
  return [...owed, { code: "unwrap_refused", message }];
}
