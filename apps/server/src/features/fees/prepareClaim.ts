import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { ClaimRequest, UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { getMulticall3, type HeadBlock, readContracts } from "../../chain/readChain.ts";
import { createEventParser } from "../../transactions/createEventParser.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Context, definePreparation, type Outcome } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";
import { type PayeesState, readOwed, readPayees, readPayouts, verifyPayees } from "./queries.ts";

/** A validated request; addresses are checksummed. */
export type ClaimOrder = Pick<ClaimRequest, "stage"> & { token: Hex; wallet: Hex; asset?: Hex; recipient: Hex };

/**
 * Prepares one stage of a fee payout. Any wallet may send the transaction; the launch determines the payees. One more
 * round trip if `settle` pays amounts that the locker owes to the splitter.
 *
 * @throws SlipwayError `pool_not_supported`, `invalid_fields`, `splitter_mismatch`, `not_recipient`,
 * `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareClaim = definePreparation({
  action: "collect",
  tokens: (order: ClaimOrder) => [order.token],

  read: (context: Context<ClaimOrder>) => {
    const supported = context.launches[0]!;
    selectAssets(supported.launch, context.order.asset);
    return context.order.stage === "release" ? readPayees(context, supported) : null;
  },

  plan: (context, state: PayeesState, block) => {
    const { order } = context;
    const supported = context.launches[0]!;
    const { launch } = supported;
    const assets = selectAssets(launch, order.asset);
    const call = { from: order.wallet, ...encodeStageCall(order.stage, launch, assets, order.recipient), value: 0n };
    return {
      shape: "transaction",
      candidates: [{ calls: [call] }],
      reads: {
        payees: async () => (order.stage === "release" ? await verifyPayees(context, supported, state, block) : null),
        stage: async () => await readStageState(context, assets, block),
      },
      assets,
    };
  },

  checkReads: ({ context: { order }, answers: { payees } }) => {
    if (payees === null || payees.some(({ payee }) => payee === order.recipient)) return undefined;
    throw new SlipwayError("not_recipient", undefined, { field: "recipient" });
  },

  check: ({ context, plan, answers, simulation }): Outcome<unknown> => {
    const { order } = context;
    const { launch } = context.launches[0]!;
    const amounts = getStageAmounts(order, launch, plan.assets, simulation, answers.stage);
    const { step, next } = stageSteps[order.stage];
    const shared = { action: order.stage, step, next };
    const [owed] = answers.stage.owed;
    if (amounts.length === 0 && owed !== undefined) {
      const data = encodeCall({ abi: feeLockerAbi, functionName: "payOwed", args: [owed.asset, owed.to] });
      return {
        ...shared,
        status: "ready",
        step: { ...step, description: "Pay the amount that a failed settlement still owes to the splitter" },
        expected: { amounts: [toWireAmount(owed)] },
        instead: { from: order.wallet, to: launch.feeLocker, data, value: 0n },
      };
    }
    const failed = order.stage === "settle" ? listFailedPayments(launch.feeLocker, simulation) : [];
    const unpaid = [...answers.stage.owed, ...failed];
    return {
      ...shared,
      status: amounts.length === 0 && unpaid.length === 0 ? "nothing_to_do" : "ready",
      warnings: unpaid.map(createOwedWarning),
      expected: { amounts: amounts.map(toWireAmount) },
    };
  },
});

/** Selects the requested asset, or both assets of the launch, the token first. */
function selectAssets(launch: IndexedLaunch, asset: Hex | undefined): Hex[] {
  const both = [launch.token, launch.quoteToken];
  if (asset === undefined) return both;
  if (both.includes(asset)) return [asset];
  throw new SlipwayError("invalid_fields", "asset must be the launch token or the wrapped native asset.", {
    field: "asset",
  });
}

/** The state of a stage at the block, besides its simulation. */
type StageState = {
  /** For a settlement: the credits, and the debts to the splitter from earlier settlements. */
  credits: FeeAmount[];
  owed: FeeAmount[];
  /** For a release: the payout of the recipient, else the recipient itself. */
  receiver: Hex;
};

/** Reads the state of a stage. One round trip. @throws SlipwayError `chain_unavailable`. */
async function readStageState(
  { chain, manifest, order, launches }: Context<ClaimOrder>,
  assets: readonly Hex[],
  block: HeadBlock,
): Promise<StageState> {
  const { launch, deployment } = launches[0]!;
  const multicall3 = getMulticall3(manifest);
  const { stage, recipient } = order;
  const none = { credits: [], owed: [], receiver: recipient };
  if (stage === "collect") return none;
  if (stage === "release") {
    const [payout] = await readPayouts(chain, launch.splitter, [recipient], block, multicall3);
    return { ...none, receiver: payout ?? recipient };
  }
  const [credits, owed] = await Promise.all([
    readCredits(chain, launch, assets, block, multicall3),
    readOwed(chain, deployment, launch.splitter, assets, block, multicall3),
  ]);
  const toSplitter = assets.map((asset, i) => ({ asset, to: launch.splitter, amount: owed[i]! }));
  return { ...none, credits, owed: toSplitter.filter(isSome) };
}

/** Lists the amounts that a stage pays, without amounts that stay owed because their payment fails. */
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
    message: `The locker could not pay ${amount} of ${asset} to ${to} and owes the amount. The locker's payOwed pays the amount; settle also pays a splitter's amount if nothing else is left to settle.`,
  };
}

const parseOwed = createEventParser(feeLockerAbi, "PaymentOwed");

/** Lists the failing payments of a simulated settlement, which the locker then owes. */
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
  chain: Context<ClaimOrder>["chain"],
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
