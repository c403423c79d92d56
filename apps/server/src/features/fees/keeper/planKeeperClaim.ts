import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Hex } from "viem";
import type { HeadBlock } from "../../../chain/readChain.ts";
import { createEventParser } from "../../../transactions/createEventParser.ts";
import { isSameAddress } from "../../../transactions/isSameAddress.ts";
import type { TargetedCall } from "../../../transactions/preparation.ts";
import { type SimulatedLog, type Simulation, simulateBatch } from "../../../transactions/simulate.ts";
import { type ClaimGroup, type TrialPlace, tryClaim } from "../claimGroups.ts";
import { type ClaimCall, planClaim } from "../planClaim.ts";
import { joinCalls } from "../prepareClaimCalls.ts";
import { type EndpointChain, takeSmallest } from "./confirmedReads.ts";

/** The chain's place of a claim, with a Multicall3 and the asset in which payees are paid. */
export type ClaimPlace = TrialPlace & { multicall3: Hex; wrappedNative: Hex };

/** One transaction that pays several payees of a splitter. `paid`: wei of the wrapped native by payee. */
export type KeeperClaim = { call: TargetedCall; simulation: Simulation; paid: bigint[] };

/**
 * Plans the claim of several payees with the plan of a wallet's own claim, tries it at the head, and simulates the whole at
 * each of the confirming chains. Payees are paid in the wrapped native: no transfer runs code of a payee.
 *
 * @param sender - The keeper, which owns nothing that the claim could move.
 * @returns null if no call pays the payees at this block.
 * @throws SlipwayError `simulation_reverted` also if the simulation pays another account, `chain_unavailable`.
 */
export async function planKeeperClaim(
  place: ClaimPlace,
  confirming: readonly EndpointChain[],
  group: ClaimGroup,
  payees: readonly Hex[],
  sender: Hex,
): Promise<KeeperClaim | null> {
  const planned = new Map<string, ClaimCall>();
  let head: HeadBlock | null = null;
  for (const payee of payees) {
    const trial = await tryClaim(place, [group], payee, "all");
    head = trial.head;
    const { calls } = planClaim(trial.state, payee, place.wrappedNative, { unwraps: false });
    for (const call of calls) planned.set(`${call.to} ${call.data}`.toLowerCase(), call);
  }
  const all = [...planned.values()];
  if (head === null || all.length === 0) return null;
  const at = head;
  // Payees share the collections and settlements, which must precede all releases.
  const ordered = [
    ...all.filter(({ stage }) => stage !== "release"),
    ...all.filter(({ stage }) => stage === "release"),
  ];
  const calls = ordered.map(({ to, data }): TargetedCall => ({ from: sender, to, data, value: 0n }));
  const call = joinCalls(calls, place.multicall3)!;
  // As a batch, because its gas is the gas before refunds, which the limit must cover.
  const simulations = await Promise.all(confirming.map((chain) => simulateBatch(chain, [call], [], at)));
  const paid = takeSmallest(
    simulations.map((simulation) => {
      assertOnlyPayees(simulation, group.splitter, payees, [sender, place.multicall3]);
      const payments = listPayments(simulation.logs, group.splitter, place.wrappedNative);
      return payees.map((payee) => sum(payments.filter((payment) => isSameAddress(payment.payee, payee))));
    }),
  );
  // The most gas: a node that reports too little would make the transaction run out of gas.
  const simulation = simulations.reduce((most, one) => (one.gasUsed > most.gasUsed ? one : most));
  return { call, simulation, paid };
}

const parseReleased = createEventParser(feeSplitterAbi, "Released");

const sum = (payments: readonly { amount: bigint }[]) => payments.reduce((total, { amount }) => total + amount, 0n);
const parseReleases = (logs: readonly SimulatedLog[], splitter: Hex) =>
  parseReleased(logs.filter(({ address }) => isSameAddress(address, splitter)));

/** Lists the payments of the wrapped native by a splitter; a payout receives the payment of its payee. */
export const listPayments = (logs: readonly SimulatedLog[], splitter: Hex, wrappedNative: Hex) =>
  parseReleases(logs, splitter).filter(({ asset }) => isSameAddress(asset, wrappedNative));

/** @throws SlipwayError `simulation_reverted`, `chain_unavailable` if the node does not report the transfers. */
function assertOnlyPayees(
  { logs, assetChanges, areAssetChangesKnown }: Simulation,
  splitter: Hex,
  payees: readonly Hex[],
  others: readonly Hex[],
): void {
  if (!areAssetChangesKnown) {
    throw new SlipwayError("chain_unavailable", "The chain's endpoint does not report the transfers of a simulation.");
  }
  const isForeign =
    parseReleases(logs, splitter).some(({ payee }) => !payees.some((known) => isSameAddress(known, payee))) ||
    assetChanges.some(({ from }) => others.some((other) => isSameAddress(other, from)));
  if (isForeign) throw new SlipwayError("simulation_reverted", "The simulated claim moves other assets than planned.");
}
