import { SlipwayError } from "@slipway/protocol/errors";
import type { DraftVesting } from "@slipway/protocol/vesting";
import type { Hex } from "viem";
import { assertMadeSplitter } from "../../transactions/madeSplitter.ts";
import { assertMadeVesting, createMakeVestingCall, readIsVesting } from "../../transactions/madeVesting.ts";
import {
  type Context,
  readBesideHead,
  readWithHead,
  type StateRead,
  type TargetedCall,
} from "../../transactions/preparation.ts";
import type { LaunchOrder } from "./launchOrder.ts";
import { createMakeCall, readSplitter, type SplitterState } from "./launchSplitter.ts";

/** The state of a launch's splitter, and whether its vesting exists; null if only the block is needed. */
export type LaunchState = { state: SplitterState; beside: { hasVesting: boolean | null } } | null;

/** Reads the state of the contracts that a launch needs. */
export function readLaunchState(context: Context<LaunchOrder>): StateRead<LaunchState> | null {
  const readOwnSplitter = readSplitter(context);
  if (readOwnSplitter === null && context.order.terms.vesting === null) return null;
  const readOnlyHead: StateRead<SplitterState> = async () => ({
    ...(await readBesideHead(context, () => ({}))()),
    state: null,
  });
  return readWithHead(readOwnSplitter ?? readOnlyHead, () => ({ hasVesting: requestVesting(context) }));
}

/** Requests whether the vesting of a launch exists; null for a launch without one. */
export function requestVesting({ chain, manifest, order }: Context<LaunchOrder>): Promise<boolean> | null {
  const { vesting } = order.terms;
  if (vesting === null) return null;
  return readIsVesting(chain, manifest.current.vesting_factory.address as Hex, vesting.address);
}

/** A call that creates a contract which the launch needs, and the check of what it returns. */
export type MakeCall = {
  action: "deploy_splitter" | "deploy_vesting";
  call: TargetedCall;
  assertMade: (returned: Hex) => void;
};

/** Creates the calls before a launch: a missing splitter, and a missing vesting. */
export function createMakeCalls(
  context: Context<LaunchOrder>,
  splitter: SplitterState,
  hasVesting: boolean | null,
): MakeCall[] {
  const { splitter: wanted, terms, wallet } = context.order;
  const { vesting } = terms;
  const splitterCall = createMakeCall(context, splitter);
  const calls: MakeCall[] = [];
  if (splitterCall !== null) {
    const assertMade = (returned: Hex) => assertMadeSplitter(returned, wanted.address);
    calls.push({ action: "deploy_splitter", call: splitterCall, assertMade });
  }
  if (vesting !== null && !hasVesting) {
    const assertMade = (returned: Hex) => assertMadeVesting(returned, vesting);
    calls.push({ action: "deploy_vesting", call: createMakeVestingCall(vesting, wallet), assertMade });
  }
  return calls;
}

/** Asserts that the simulated calls before a launch return the predicted addresses. @throws `manifest_unverified`. */
export function assertMadeContracts(makeCalls: readonly MakeCall[], returned: readonly Hex[]): void {
  for (const [index, { assertMade }] of makeCalls.entries()) assertMade(returned[index]!);
}

/** @throws SlipwayError `vesting_not_deployed` for a launch as one transaction, which cannot create the vesting. */
export function requireVesting(vesting: DraftVesting | null, hasVesting: boolean | null): void {
  if (vesting === null || hasVesting) return;
  const message = `The vesting of the initial buy, ${vesting.address}, does not exist yet.`;
  throw new SlipwayError("vesting_not_deployed", message, {
    field: "intent_id",
    details: { vesting: vesting.address },
  });
}
