import { SlipwayError } from "@slipway/protocol/errors";
import { toAllocations } from "@slipway/protocol/intent";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import type { SplitRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { getContractAddress, type Hex } from "viem";
import { type ProvenManifest, readBalance, readHead, readNonce } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import { readCode } from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import { checkPayoutCode, findPayoutsWithCode, requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createContentWarnings, createHandleWarnings } from "../../transactions/draftWarnings.ts";
import {
  assertMadeSplitter,
  createMakeSplitterCall,
  isSplitterMade,
  predictMadeSplitter,
} from "../../transactions/madeSplitter.ts";
import { findLatestEthUsd, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type Call, type Simulation, simulate } from "../../transactions/simulate.ts";
import {
  createNothingToDoResult,
  createReadyResult,
  readL1Gas,
  unwrapSettled,
} from "../../transactions/unsignedResult.ts";

/** A validated request; the wallet is checksummed. */
export type SplitOrder = { wallet: Hex; method?: SplitRequest["method"] };

const step = { index: 1, total: 2, description: "Deploy the splitter that pays the draft's recipients" };

/** The code of an account that delegates to code (EIP-7702): it sends transactions of its own, creations too. */
const delegatedCode = /^0xef0100[0-9a-f]{40}$/i;

/**
 * Prepares the deployment of a draft's splitter: by a creation transaction, or by the splitter factory for a wallet with
 * code or on request. `nothing_to_do` where the factory has made the draft's splitter. Two round trips: the head, and
 * which payout addresses and whether the wallet have code; the simulation, and what these are.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `address_checksum`,
 * `recipient_cannot_receive`, `invalid_fields`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareSplitter(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  draft: StoredDraft,
  order: SplitOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  requireLaunchableDraft(draft, manifest);
  const recipients = draft.intent.recipients ?? [];
  requireValidPayouts(recipients, manifest);
  const allocations = toAllocations(draft.intent);
  const [head, payoutsWithCode, walletCode, ethUsd, [contentWarnings]] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    findPayoutsWithCode(deps.chain, recipients),
    awaitChain(readCode(deps.chain, order.wallet, "latest")),
    findLatestEthUsd(deps.db.read),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  const isByFactory = selectMethod(order, walletCode) === "factory";
  const implementation = manifest.current.splitter_implementation.address as Hex;
  const call: Call = isByFactory
    ? createMakeSplitterCall(manifest, draft.id, allocations, order.wallet)
    : { from: order.wallet, data: splitterCreationInput(implementation, allocations), value: 0n };
  const made = predictMadeSplitter(manifest, draft.id, allocations);
  // In one round trip; a head that was replaced takes precedence over other errors.
  const [payoutWarnings, simulated, l1Gas, found, next, read] = await Promise.allSettled([
    checkPayoutCode(deps.chain, recipients, payoutsWithCode, manifest, head),
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
    isByFactory ? isSplitterMade(deps.chain, manifest, made, head) : Promise.resolve(false),
    isByFactory ? null : readNonce(deps.chain, order.wallet, head.number),
    readBalance(deps.chain, order.wallet, head),
  ]);
  const nativeBalance = unwrapSettled(read);
  const warnings = unwrapSettled(payoutWarnings);
  const simulation = unwrapSettled(simulated);
  const exists = unwrapSettled(found);
  const nonce = unwrapSettled(next);
  const splitter = nonce === null ? made.address : getContractAddress({ from: order.wallet, nonce });
  if (isByFactory) assertMadeSplitter(simulation.returnData, splitter);
  else assertCreatedSplitter(simulation, splitter, made.code);

  const parts = {
    action: "deploy_splitter" as const,
    proven,
    requestId,
    step,
    head,
    simulation,
    next: describeNext(isByFactory, exists),
    warnings: [...warnings, ...contentWarnings!, ...createHandleWarnings(draft.labels)],
    expected: { splitter, ...(nonce === null ? {} : { account_nonce: Number(nonce) }) },
  };
  if (exists) return createNothingToDoResult(parts);
  return createReadyResult({ ...parts, call, l1Gas: unwrapSettled(l1Gas), ethUsd, nativeBalance });
}

function describeNext(isByFactory: boolean, exists: boolean): string {
  if (exists) return "POST /launch/transactions with this intent_id and expected.splitter";
  return isByFactory
    ? "POST /launch/transactions with this intent_id and expected.splitter, after the receipt"
    : "POST /launch/transactions with this intent_id and, as splitter, the contractAddress of the receipt";
}

/**
 * @param code - The wallet's code.
 * @throws SlipwayError `invalid_fields` where a contract is asked to send a creation transaction, which it cannot.
 */
function selectMethod({ method }: SplitOrder, code: Hex): NonNullable<SplitRequest["method"]> {
  if (method === "creation" && code !== "0x" && !delegatedCode.test(code)) {
    const message = "method must be factory, or left out: a contract cannot send a creation transaction.";
    throw new SlipwayError("invalid_fields", message, { field: "method" });
  }
  return method ?? (code === "0x" ? "creation" : "factory");
}

/** Asserts that the simulation deploys exactly the pinned code with the allocations at the predicted address. */
function assertCreatedSplitter(simulation: Simulation, splitter: Hex, code: Hex): void {
  const isAtAddress = simulation.logs.every(({ address }) => address.toLowerCase() === splitter.toLowerCase());
  if (simulation.returnData.toLowerCase() === code && isAtAddress) return;
  throw new SlipwayError("manifest_unverified", "The simulation deployed something else than the pinned splitter.");
}
