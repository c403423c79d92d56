import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Allocation } from "@slipway/protocol/splitter";
import type { ClaimRequest, UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { atHead } from "../../chain/atHead.ts";
import {
  getMulticall3,
  type HeadBlock,
  type ProvenManifest,
  readBalance,
  readContracts,
} from "../../chain/readChain.ts";
import {
  findSplitterCreation,
  type SplitterCreation,
  verifySplitterDeployment,
} from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import { createEventParser } from "../../transactions/createEventParser.ts";
import { workWithLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import {
  createNothingToDoResult,
  createReadyResult,
  type ReadyParts,
  readL1Gas,
  unwrapSettled,
} from "../../transactions/unsignedResult.ts";
import { getIndexedAllocations, readOwed, readPayouts } from "./queries.ts";

/** A validated request; addresses are checksummed. */
export type ClaimOrder = Pick<ClaimRequest, "stage"> & { token: Hex; wallet: Hex; asset?: Hex; recipient: Hex };

/**
 * Prepares one stage of a fee payout. Any wallet may send it; the launch determines the payees. One round
 * trip, or two (`atHead`): the head, and the splitter's creation where the index has not verified it yet; the stage's reads
 * and its simulation. One more where `settle` pays what the locker owes to the splitter.
 *
 * @throws SlipwayError `pool_not_supported`, `invalid_fields`, `splitter_mismatch`, `not_recipient`,
 * `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareClaim(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: ClaimOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const multicall3 = getMulticall3(manifest);
  const { launch, ethUsd, result } = await workWithLaunch(
    deps,
    manifest,
    order.token,
    async ({ launch, deployment }) => {
      const assets = selectAssets(launch, order.asset);
      const isRelease = order.stage === "release";
      const allocations = isRelease ? getIndexedAllocations(launch) : [];
      const creation =
        allocations === null
          ? findSplitterCreation(deps.chain, launch.splitter, deployment, proven.verifiedAtBlock)
          : null;
      const call = { from: order.wallet, ...encodeStageCall(order.stage, launch, assets, order.recipient), value: 0n };
      // In one round trip; a head that was replaced takes precedence over an error of the recipient, and this over an error
      // of the simulation.
      const work = async (block: HeadBlock) =>
        await Promise.allSettled([
          isRelease
            ? checkRecipient(deps, launch, order.recipient, allocations, {
                creation: await creation,
                deployment,
                block,
              })
            : null,
          simulate(deps.chain, call, block),
          readL1Gas(deps.chain, manifest.chain_id, call, block),
          readStageState(deps.chain, order, launch, deployment, assets, block, multicall3),
          readBalance(deps.chain, order.wallet, block),
        ]);
      return { assets, call, ...(await atHead(deps.chain, manifest.chain_id, work, creation)) };
    },
  );
  const { assets, call, head } = result;
  const [checked, simulated, l1, stateRead, read] = result.result;
  const nativeBalance = unwrapSettled(read);
  unwrapSettled(checked);
  const simulation = unwrapSettled(simulated);
  const state = unwrapSettled(stateRead);
  const amounts = getStageAmounts(order, launch, assets, simulation, state);
  const base = { action: order.stage, proven, head, requestId };
  const [owed] = state.owed;
  if (amounts.length === 0 && owed !== undefined) {
    return await prepareOwedPayment(deps, { ...base, ethUsd, nativeBalance }, launch, order.wallet, owed);
  }
  const unpaid = order.stage === "settle" ? [...state.owed, ...listFailedPayments(launch.feeLocker, simulation)] : [];
  const shared = {
    ...base,
    ...stageSteps[order.stage],
    simulation,
    warnings: unpaid.map(createOwedWarning),
    expected: { amounts: amounts.map(toWireAmount) },
  };
  if (amounts.length === 0 && unpaid.length === 0) return createNothingToDoResult(shared);
  return createReadyResult({ ...shared, call, l1Gas: unwrapSettled(l1), ethUsd, nativeBalance });
}

/** Prepares the payment of what the locker owes to the splitter in one asset. One round trip. */
async function prepareOwedPayment(
  deps: Pick<Deps, "chain">,
  parts: Pick<ReadyParts, "action" | "proven" | "head" | "requestId" | "ethUsd" | "nativeBalance">,
  launch: IndexedLaunch,
  wallet: Hex,
  owed: FeeAmount,
): Promise<UnsignedResult> {
  const data = encodeCall({ abi: feeLockerAbi, functionName: "payOwed", args: [owed.asset, owed.to] });
  const call = { from: wallet, to: launch.feeLocker, data, value: 0n };
  const [simulation, l1Gas] = await Promise.all([
    simulate(deps.chain, call, parts.head),
    readL1Gas(deps.chain, parts.proven.manifest.chain_id, call, parts.head),
  ]);
  const { step, next } = stageSteps.settle;
  return createReadyResult({
    ...parts,
    step: { ...step, description: "Pay what a failed settlement left owed to the splitter" },
    next,
    call,
    simulation,
    l1Gas,
    expected: { amounts: [toWireAmount(owed)] },
  });
}

/**
 * @param indexed - The payees, or null where they must be verified on the chain.
 * @throws SlipwayError `splitter_mismatch` for an unverified splitter, `not_recipient`.
 */
async function checkRecipient(
  deps: Pick<Deps, "chain">,
  launch: IndexedLaunch,
  recipient: Hex,
  indexed: Allocation[] | null,
  {
    creation,
    deployment,
    block,
  }: { creation: SplitterCreation | null; deployment: LaunchDeployment; block: HeadBlock },
): Promise<void> {
  const allocations =
    indexed ?? (await verifySplitterDeployment(deps.chain, launch.splitter, creation!, deployment, block));
  if (allocations.some(({ payee }) => payee === recipient)) return;
  throw new SlipwayError("not_recipient", undefined, { field: "recipient" });
}

/** Selects the requested asset, or both assets of the launch, the token first. */
function selectAssets(launch: IndexedLaunch, asset: Hex | undefined): Hex[] {
  const both = [launch.token, launch.quoteToken];
  if (asset === undefined) return both;
  if (both.includes(asset)) return [asset];
  throw new SlipwayError("invalid_fields", "asset must be the launch token or the wrapped native asset.", {
    field: "asset",
  });
}

/** What the chain holds for a stage, besides its simulation. */
type StageState = {
  /** Of a settlement: the credits, and what is owed to the splitter from earlier settlements. */
  credits: FeeAmount[];
  owed: FeeAmount[];
  /** Of a release: the payout of the recipient, or the recipient itself. */
  receiver: Hex;
};

/** Reads the state of a stage. One round trip. @throws SlipwayError `chain_unavailable`. */
async function readStageState(
  chain: Deps["chain"],
  { stage, recipient }: ClaimOrder,
  launch: IndexedLaunch,
  deployment: LaunchDeployment,
  assets: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<StageState> {
  const none = { credits: [], owed: [], receiver: recipient };
  if (stage === "collect") return none;
  if (stage === "release") {
    const [payout] = await readPayouts(chain, launch.splitter, [recipient], head, multicall3);
    return { ...none, receiver: payout ?? recipient };
  }
  const [credits, owed] = await Promise.all([
    readCredits(chain, launch, assets, head, multicall3),
    readOwed(chain, deployment, launch.splitter, assets, head, multicall3),
  ]);
  const toSplitter = assets.map((asset, i) => ({ asset, to: launch.splitter, amount: owed[i]! }));
  return { ...none, credits, owed: toSplitter.filter(isSome) };
}

/** Lists what a stage pays, without what stays owed because its payment fails. */
function getStageAmounts(
  order: ClaimOrder,
  launch: IndexedLaunch,
  assets: readonly Hex[],
  simulation: Simulation,
  { credits, receiver }: StageState,
): FeeAmount[] {
  switch (order.stage) {
    case "collect":
      return decodeCollectedAmounts(launch, simulation).filter(isSome);
    case "settle": {
      const failed = listFailedPayments(launch.feeLocker, simulation);
      return credits.filter(
        (credit) => isSome(credit) && !failed.some(({ asset, to }) => asset === credit.asset && to === credit.to),
      );
    }
    case "release":
      return decodeReleasedAmounts(assets, receiver, simulation).filter(isSome);
  }
}

const isSome = ({ amount }: FeeAmount) => amount > 0n;

const toWireAmount = ({ asset, to, amount }: FeeAmount) => ({ asset, to, amount: amount.toString() });

/** Warns of a payment that a settlement cannot make. */
export function createOwedWarning({ asset, to, amount }: FeeAmount): Warning {
  return {
    code: "payment_owed",
    message: `The locker could not pay ${amount} of ${asset} to ${to} and owes it. Its payOwed pays it, and so does settle once nothing else is to settle, where it is the splitter's.`,
  };
}

const parseOwed = createEventParser(feeLockerAbi, "PaymentOwed");

/** Lists the payments of a simulated settlement that fail: the locker owes them from then on. */
export function listFailedPayments(locker: Hex, simulation: Simulation): FeeAmount[] {
  const logs = simulation.logs.filter(({ address }) => address.toLowerCase() === locker.toLowerCase());
  return parseOwed(logs).map(({ asset, party, amount }) => ({ asset, to: party, amount }));
}

/**
 * Reads the amounts that settling pays: the credits of a launch at the locker. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
async function readCredits(
  chain: Deps["chain"],
  launch: IndexedLaunch,
  assets: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<FeeAmount[]> {
  const locker = { address: launch.feeLocker, abi: feeLockerAbi } as const;
  const [[treasury, position], ledgers] = await Promise.all([
    readContracts(
      chain,
      head.number,
      [
        { ...locker, functionName: "treasury" },
        { ...locker, functionName: "positionOf", args: [launch.token] },
      ],
      multicall3,
    ),
    readContracts(
      chain,
      head.number,
      assets.map((asset) => ({ ...locker, functionName: "ledgerOf", args: [launch.token, asset] }) as const),
      multicall3,
    ),
  ]);
  return assets.flatMap((asset, i) => {
    const ledger = ledgers[i]!;
    return [
      { asset, to: position.splitter, amount: ledger.collaboratorsCredit },
      { asset, to: treasury, amount: ledger.protocolCredit },
      ...(position.partner === zeroAddress ? [] : [{ asset, to: position.partner, amount: ledger.partnerCredit }]),
    ];
  });
}

/** An amount in base units that a stage pays to an address. */
type FeeAmount = { asset: Hex; to: Hex; amount: bigint };

/** The three stages in their order, with the next request after each. */
const stageSteps: Record<ClaimRequest["stage"], { step: UnsignedResult["step"]; next: string | null }> = {
  collect: {
    step: { index: 1, total: 3, description: "Collect the position's fees into credits" },
    next: "POST /fees/claim-transactions with stage settle, after the receipt",
  },
  settle: {
    step: { index: 2, total: 3, description: "Settle the credits to splitter and treasury" },
    next: "POST /fees/claim-transactions with stage release, after the receipt",
  },
  release: { step: { index: 3, total: 3, description: "Release the recipient's part to its wallet" }, next: null },
};

/** Encodes the call of a stage. `recipient` is the payee of a release. */
function encodeStageCall(
  stage: ClaimRequest["stage"],
  launch: IndexedLaunch,
  assets: readonly Hex[],
  recipient: Hex,
): { to: Hex; data: Hex } {
  switch (stage) {
    case "collect":
      return {
        to: launch.feeLocker,
        data: encodeCall({ abi: feeLockerAbi, functionName: "collect", args: [launch.token] }),
      };
    case "settle":
      return {
        to: launch.feeLocker,
        data: encodeCall({ abi: feeLockerAbi, functionName: "settle", args: [launch.token, assets] }),
      };
    case "release":
      return {
        to: launch.splitter,
        data: encodeCall({ abi: feeSplitterAbi, functionName: "release", args: [assets, recipient] }),
      };
  }
}

/** Decodes the amounts that a simulated `collect` transfers to the locker. */
function decodeCollectedAmounts(launch: IndexedLaunch, simulation: Simulation): FeeAmount[] {
  const [tokenAmount, quoteAmount] = decodeFunctionResult({
    abi: feeLockerAbi,
    functionName: "collect",
    data: simulation.returnData,
  });
  return [
    { asset: launch.token, to: launch.feeLocker, amount: tokenAmount },
    { asset: launch.quoteToken, to: launch.feeLocker, amount: quoteAmount },
  ];
}

/** Decodes the amounts that a simulated `release` pays to the receiver. */
function decodeReleasedAmounts(assets: readonly Hex[], receiver: Hex, simulation: Simulation): FeeAmount[] {
  const amounts = decodeFunctionResult({
    abi: feeSplitterAbi,
    functionName: "release",
    data: simulation.returnData,
  });
  return assets.map((asset, i) => ({ asset, to: receiver, amount: amounts[i] ?? 0n }));
}
