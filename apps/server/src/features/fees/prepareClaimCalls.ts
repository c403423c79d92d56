import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { ClaimCallsResult } from "@slipway/protocol/fees";
import type { Allocation } from "@slipway/protocol/splitter";
import type { Warning } from "@slipway/protocol/transaction";
import { type Hex, multicall3Abi } from "viem";
import { workWithState } from "../../chain/atHead.ts";
import { getMulticall3, type Head, type HeadBlock, type ProvenManifest, readBalance } from "../../chain/readChain.ts";
import { findSplitterCreation, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import { workWithLaunches } from "../../transactions/launches.ts";
import { type BatchSimulation, type Call, simulateBatch } from "../../transactions/simulate.ts";
import {
  computeGasLimit,
  createNothingToDoResult,
  createReadyBatch,
  createReadyResult,
  readL1Gas,
  unwrapSettled,
} from "../../transactions/unsignedResult.ts";
import { assertClaimEffects, type ClaimedAmount } from "./assertClaimEffects.ts";
import { type ClaimGroup, groupBySplitter, tryClaim } from "./claimGroups.ts";
import { type ClaimCall, planClaim } from "./planClaim.ts";
import { createOwedWarning, listFailedPayments } from "./prepareClaim.ts";
import { getIndexedAllocations } from "./queries.ts";

/** A validated request; addresses are checksummed, each token is named once. */
export type ClaimCallsOrder = { wallet: Hex; tokens: Hex[]; unwraps: boolean; stages: "all" | "release" };

type TargetedCall = Call & { to: Hex };

/** A claim whose calls have been simulated: what arrives, and why parts of it arrive otherwise or not at all. */
type SimulatedClaim = { simulation: BatchSimulation; amounts: ClaimedAmount[]; paysWrapped: boolean };

const step = { index: 1, total: 1, description: "Collect, settle and release everything that the wallet earns" };

/** The most gas of a transaction, whatever a block's limit. Source: EIP-7825. */
const maxTransactionGas = 2n ** 24n;

/**
 * Prepares the claim of one wallet on several tokens: as one batch, and as one transaction through Multicall3. Two round
 * trips, or one (`workWithState`): the head, with the calls tried at it; the simulation of the whole. One or two more where
 * a call fails.
 *
 * @throws SlipwayError `pool_not_supported`, `splitter_mismatch`, `not_recipient`, `simulation_reverted`,
 * `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareClaimCalls(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: ClaimCallsOrder,
  requestId: string,
): Promise<ClaimCallsResult> {
  const { chain } = deps;
  const { manifest } = proven;
  const { wallet } = order;
  const multicall3 = getMulticall3(manifest);
  const wrappedNative = manifest.wrapped_native.address as Hex;
  const key = { key: `claim ${JSON.stringify(order)}`, weight: order.tokens.length };

  const { ethUsd, result } = await workWithLaunches(deps, manifest, order.tokens, async (launches) => {
    const groups = groupBySplitter(launches);
    const splitters = groups.map(({ splitter }) => splitter);
    for (const group of groups) {
      const allocations = getIndexedAllocations(group.launches[0]!);
      if (allocations !== null) requirePayee(order, group, allocations);
    }
    // What is not verified yet comes last: its code may use up all gas.
    const ordered = [...groups].sort((a, b) => Number(isUnverified(a)) - Number(isUnverified(b)));
    const read = async () => {
      const [{ head, trials, isOneRound }, creations] = await Promise.all([
        tryClaim({ chain, chainId: manifest.chain_id, multicall3 }, ordered, wallet, order.stages),
        Promise.all(
          groups.map(async (group) => (isUnverified(group) ? await findCreation(deps, group, proven) : null)),
        ),
      ]);
      // What an unverified splitter returned is not kept: it can be of any size.
      const isVerified = creations.every((creation) => creation === null);
      return { head, state: { trials, creations }, isOneRound: isOneRound && isVerified };
    };
    const work = async (block: HeadBlock, { trials, creations }: Awaited<ReturnType<typeof read>>["state"]) => {
      const plan = planClaim(trials, wallet, wrappedNative, { unwraps: order.unwraps });
      const calls = plan.calls.map(({ to, data }): TargetedCall => ({ from: wallet, to, data, value: 0n }));
      const joined = joinCalls(calls, multicall3);
      const assertEffects = (simulation: BatchSimulation): SimulatedClaim =>
        assertClaimEffects(simulation, wallet, splitters, wrappedNative, multicall3);
      // In one round trip; a head that was replaced and a wallet that is no payee take precedence over the simulation.
      const settled = await Promise.allSettled([
        Promise.all(
          groups.map(async (group, i) => {
            const creation = creations[i];
            if (!creation) return;
            const { deployment } = group.launches[0]!;
            requirePayee(
              order,
              group,
              await verifySplitterDeployment(chain, group.splitter, creation, deployment, block),
            );
          }),
        ),
        calls.length === 0 ? null : simulateCalls(chain, calls, plan.calls, block).then(assertEffects),
        joined === null || calls.length === 1 ? null : simulateBatch(chain, [joined], [], block).then(assertEffects),
        joined === null ? null : readL1Gas(chain, manifest.chain_id, joined, block),
        readBalance(chain, wallet, block),
      ]);
      return { plan, calls, joined, settled };
    };
    return { groups, ...(await workWithState(chain, key, read, work)) };
  });
  const { groups, head } = result;
  const { plan, calls, joined, settled } = result.result;
  const [verified, batch, one, l1, read] = settled;
  const nativeBalance = unwrapSettled(read);
  unwrapSettled(verified);
  const claim = unwrapSettled(batch);
  const shared = { action: "claim" as const, step, next: null, proven, head, requestId };
  if (claim === null) {
    const nothing = createNothingToDoResult({ ...shared, warnings: plan.warnings, expected: { amounts: [] } });
    return { ...nothing, calls: [] };
  }
  const l1Gas = unwrapSettled(l1);
  const refusal = calls.length === 1 ? null : findRefusal(multicall3, one, claim, l1Gas, head);
  const ready = {
    ...{ ...shared, ethUsd, nativeBalance },
    expected: { amounts: claim.amounts.map(({ asset, to, amount }) => ({ asset, to, amount: amount.toString() })) },
    warnings: [
      ...plan.warnings,
      ...createPaymentWarnings(claim, groups, order.unwraps),
      ...(refusal === null ? [] : [{ code: "calls_only" as const, message: refusal }]),
    ],
  };
  // The gas of the parent chain is that of the bytes of all calls together.
  const l1GasByCall = calls.map((_, i) => (l1Gas === null || i === 0 ? l1Gas : 0n));
  const separate = createReadyBatch({ ...ready, calls, simulation: claim.simulation, l1Gas: l1GasByCall });
  if (calls.length === 1 || refusal !== null) return separate;
  const { simulation } = unwrapSettled(one)!;
  return { ...createReadyResult({ ...ready, call: joined!, simulation, l1Gas }), calls: separate.calls };
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

async function findCreation(deps: Pick<Deps, "chain">, group: ClaimGroup, { verifiedAtBlock }: ProvenManifest) {
  return await findSplitterCreation(deps.chain, group.splitter, group.launches[0]!.deployment, verifiedAtBlock);
}

/** All calls as one of Multicall3, which fails if one fails. A single call needs none. Null where there is none. */
function joinCalls(calls: readonly TargetedCall[], multicall3: Hex | null): TargetedCall | null {
  const [first, ...others] = calls;
  if (first === undefined || (others.length > 0 && multicall3 === null)) return null;
  if (others.length === 0) return first;
  const targets = calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }));
  const data = encodeCall({ abi: multicall3Abi, functionName: "aggregate3", args: [targets] });
  return { from: first.from, to: multicall3!, data, value: 0n };
}

/** Simulates the batch. @throws the error of the call that fails, with what the call is for. */
async function simulateCalls(
  chain: Deps["chain"],
  calls: readonly TargetedCall[],
  planned: readonly ClaimCall[],
  head: HeadBlock,
): Promise<BatchSimulation> {
  try {
    return await simulateBatch(chain, calls, [], head);
  } catch (error) {
    if (!(error instanceof SlipwayError) || error.code === "chain_unavailable") throw error;
    const { stage, of } = planned[Number(error.details?.call ?? 0)]!;
    throw new SlipwayError("simulation_reverted", error.message, {
      details: { ...error.details, stage, [stage === "release" ? "splitter" : "token"]: of },
      cause: error,
    });
  }
}

/** Finds why a claim cannot be one transaction of Multicall3; null when it can. @throws when the chain fails. */
function findRefusal(
  multicall3: Hex | null,
  one: PromiseSettledResult<SimulatedClaim | null>,
  claim: SimulatedClaim,
  l1Gas: bigint | null,
  head: Head,
): string | null {
  if (multicall3 === null) return "The deployment names no Multicall3: send the calls as a batch, or one by one.";
  if (one.status === "rejected") {
    if (one.reason instanceof SlipwayError && one.reason.code === "simulation_reverted") {
      return `One transaction of all calls would fail: ${one.reason.message}`;
    }
    throw one.reason;
  }
  const { simulation, amounts } = one.value!;
  if (!isSame(amounts, claim.amounts)) {
    return "Native is paid to a contract only when the recipient itself sends the call: send the calls as a batch, or one by one.";
  }
  const limit = computeGasLimit(simulation, l1Gas);
  const most = head.gasLimit === undefined || head.gasLimit > maxTransactionGas ? maxTransactionGas : head.gasLimit;
  if (limit <= most) return null;
  return `One transaction of all calls would take ${limit} gas, and ${most} is the most: send the calls one by one, or name fewer tokens.`;
}

const isSame = (a: readonly ClaimedAmount[], b: readonly ClaimedAmount[]): boolean =>
  a.length === b.length &&
  a.every(({ asset, to, amount }, i) => asset === b[i]!.asset && to === b[i]!.to && amount === b[i]!.amount);

/** Warns of payments that stay owed, and of a part that was to be unwrapped and arrives as wrapped native. */
function createPaymentWarnings(
  { simulation, paysWrapped }: SimulatedClaim,
  groups: readonly ClaimGroup[],
  unwraps: boolean,
): Warning[] {
  const lockers = new Set(groups.flatMap(({ launches }) => launches.map(({ feeLocker }) => feeLocker)));
  const owed = [...lockers].flatMap((locker) => listFailedPayments(locker, simulation)).map(createOwedWarning);
  if (!unwraps || !paysWrapped) return owed;
  const message = "The receiver refuses native: it is paid wrapped native.";
  return [...owed, { code: "unwrap_refused", message }];
}
