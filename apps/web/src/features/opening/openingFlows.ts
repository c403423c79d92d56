import type { OpeningDetail } from "@slipway/protocol/openings";
import type { Client } from "@slipway/sdk/createLazyClient";
import { loadOpeningDraft } from "../../data/openingDrafts.ts";
import { requireCurrentEpoch } from "../../session/requireCurrentEpoch.ts";
import { importFile } from "../../ui/importFile.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { ask, type Hex, WalletError } from "../../wallet/provider.ts";
import { type Sender, signTypedData, type TransactionToSend } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";

/** A deposit of the connected wallet; `amount` in wei. */
export type DepositOrder = { kind: "deposit"; opening: string; wallet: string; amount: string };
/** The claim of the connected wallet, or the end of an opening whose token was launched without it. */
export type EndOrder = { kind: "claim" | "close"; opening: string; wallet: string };
/** The launch by the creator; `value`: the wei of the one buy, `deadline` in Unix seconds. */
export type OpenOrder = { kind: "open"; opening: string; wallet: string; value: string; deadline: number };
export type OpeningOrder = DepositOrder | EndOrder | OpenOrder;

type OpeningFlowParts = {
  api: Pick<
    Client,
    | "getOpening"
    | "prepareOpeningDeposit"
    | "prepareOpeningClaim"
    | "prepareOpeningClosing"
    | "authorizeOpening"
    | "prepareOpeningLaunch"
  >;
  getSender(): Sender | null;
  timing: Pick<Timing, "wait">;
  storage: Parameters<typeof loadOpeningDraft>[0];
};

export const getOpeningFlow = (opening: string): string => `opening:${opening.toLowerCase()}`;

const loadVerifier = () => importFile(() => import("@slipway/protocol/verify/orderedOpening"));
const loadOutput = () => importFile(() => import("@slipway/protocol/verify/openingOutput"));

/** Creates the flow of an order of an opening's page. */
export function createOpeningFlow(parts: OpeningFlowParts, order: OpeningOrder): FlowDefinition {
  const requireSender = () => {
    const sender = parts.getSender();
    if (sender === null || sender.address !== order.wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };
  const prepare = order.kind === "open" ? createOpenSteps(parts, order, requireSender) : null;
  return {
    flow: getOpeningFlow(order.opening),
    request: order,
    lastSteps: [stepNames[order.kind]],
    prepare: async (signal) => {
      await requireOpening(requireSender(), order.opening);
      return order.kind === "open" ? await prepare!(signal) : await prepareOne(parts, order, signal);
    },
  };
}

const stepNames = {
  deposit: "deposit_opening",
  claim: "claim_opening",
  close: "close_opening",
  open: "launch_opening",
} as const;

/**
 * Asserts by the wallet's own node that the deployment's factory created the opening: otherwise the service could name
 * another contract to pay.
 *
 * @throws WalletError `not_as_asked`
 */
async function requireOpening({ provider, chain }: Sender, opening: string): Promise<void> {
  const { createIsOpeningCall } = await loadVerifier();
  const call = { to: chain.contracts.opening_factory, data: createIsOpeningCall(opening) };
  const answer = await ask(provider, "eth_call", [call, "latest"]);
  if (BigInt(String(answer)) !== 1n) throw new WalletError("not_as_asked");
}

/** Prepares the only transaction of an order. */
async function prepareOne(
  parts: OpeningFlowParts,
  order: DepositOrder | EndOrder,
  signal: AbortSignal,
): Promise<PreparedStep> {
  const { api } = parts;
  const { opening: address, wallet } = order;
  const { isOrderedDeposit, isOrderedOpeningClaim, isOpeningClosing } = await loadVerifier();
  const name = stepNames[order.kind];
  const toStep = (transaction: TransactionToSend | null, isOrdered: (asked: TransactionToSend) => boolean) => {
    if (transaction === null) return { kind: "done" } as const;
    if (!isOrdered(transaction)) throw new WalletError("not_as_asked");
    return { kind: "transaction", name, transaction } as const;
  };
  if (order.kind === "deposit") {
    const { transaction } = await api.prepareOpeningDeposit({ address, wallet, amount: order.amount }, { signal });
    return toStep(transaction, (asked) => isOrderedDeposit(asked, order));
  }
  if (order.kind === "claim") {
    const transaction = await prepareClaim(parts, { address, wallet }, signal);
    return toStep(transaction, (asked) => isOrderedOpeningClaim(asked, order));
  }
  const { transaction } = await api.prepareOpeningClosing({ address, wallet }, { signal });
  return toStep(transaction, (asked) => isOpeningClosing(asked, address));
}

/** Milliseconds between requests for a claim that is not possible yet, and their maximum number. */
const [claimPauseMs, maxClaims] = [1_000, 30];

/**
 * Prepares a claim; null if nothing is left to claim. The first claims are possible in the second after the end, so that a
 * page that shows the end at once can ask too early.
 *
 * @throws WalletError `failed` if the service shows a claim, and prepares none.
 */
async function prepareClaim(
  { api, timing }: OpeningFlowParts,
  request: { address: string; wallet: string },
  signal: AbortSignal,
): Promise<TransactionToSend | null> {
  const { address, wallet } = request;
  for (let count = 1; count <= maxClaims && !signal.aborted; count++) {
    const { transaction } = await api.prepareOpeningClaim(request, { signal });
    if (transaction !== null) return transaction;
    const { account } = await api.getOpening({ address, account: wallet }, { signal });
    if (account === null || (account.claimable_tokens === "0" && account.claimable_refund === "0")) return null;
    await timing.wait(claimPauseMs, signal);
  }
  throw new WalletError("failed", { detail: "The service prepares no claim yet." });
}

/** Reads from the wallet's own node what determines the output of a launch, and computes it; null without a launch. */
async function readOutput({ provider, chain }: Sender, { message }: Signed["typed"], value: string) {
  const { createOutputCalls, computeOpeningOutput } = await loadOutput();
  const calls = createOutputCalls(message, chain.contracts);
  const answers = await Promise.all(calls.map(async (call) => await ask(provider, "eth_call", [call, "latest"])));
  const { wrapped_native: wrappedNative = "0x0" } = chain.contracts;
  const terms = { feeBps: message.params.feeBps, value: BigInt(value), wrappedNative };
  return computeOpeningOutput(answers.map(String), terms);
}

type Signed = { typed: Awaited<ReturnType<Client["authorizeOpening"]>>["typed_data"]; signature: Hex };

/**
 * Creates the steps of the launch: the creator's signature, which stays in this page, then the transaction. After a reload
 * between the two, the creator signs again.
 */
function createOpenSteps({ api, storage }: OpeningFlowParts, order: OpenOrder, requireSender: () => Sender) {
  const { opening: address, wallet, value, deadline } = order;
  let signed: Signed | null = null;
  const sign = async (typed: Signed["typed"]) => {
    const sender = requireSender();
    const { createParamsHashCall, isOpeningSignature } = await loadVerifier();
    const call = { to: address, data: createParamsHashCall() };
    const paramsHash = String(await ask(sender.provider, "eth_call", [call, "latest"]));
    const output = await readOutput(sender, typed, value);
    const expected = { opening: address, creator: wallet, value, deadline, paramsHash, output };
    if (!isOpeningSignature(typed, expected, sender.chain.contracts)) throw new WalletError("not_as_asked");
    await requireCurrentEpoch(sender, typed);
    signed = { typed, signature: await signTypedData(sender, typed, { allowsEmpty: true }) };
  };
  return async (signal: AbortSignal): Promise<PreparedStep> => {
    const { status } = await api.getOpening({ address }, { signal });
    if (status === "opened" || status === "done") return { kind: "done" };
    if (signed === null) {
      const draftId = loadOpeningDraft(storage, address);
      const draft = draftId === null ? {} : { intent_id: draftId };
      const { typed_data: typed } = await api.authorizeOpening({ address, value, ...draft }, { signal });
      return { kind: "signature", name: "sign_opening", work: () => sign(typed) };
    }
    const { typed, signature } = signed;
    const { salt } = typed.message.params;
    const epoch = Number(typed.message.epoch);
    const launch = { address, wallet, value, salt, signature, epoch };
    const { transaction } = await api.prepareOpeningLaunch(launch, { signal });
    if (transaction === null) return { kind: "done" };
    const { isSignedOpeningLaunch } = await loadVerifier();
    if (!isSignedOpeningLaunch(transaction, address, typed.message, signature)) throw new WalletError("not_as_asked");
    return { kind: "transaction", name: "launch_opening", transaction };
  };
}

/** Returns the wei that a launch spends now: all deposits up to the cap. */
export const toLaunchValue = ({ total, cap }: Pick<OpeningDetail, "total" | "cap">): bigint =>
  BigInt(total) < BigInt(cap) ? BigInt(total) : BigInt(cap);
