import { SlipwayError } from "@slipway/protocol/errors";
import { getRecipients, toAllocations } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import type { SplitRequest } from "@slipway/protocol/transaction";
import { getContractAddress, type Hex } from "viem";
import { readCodes, readNonce } from "../../chain/readChain.ts";
import { checkPayoutCode, findPayoutsWithCode, requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createContentWarnings, createHandleWarnings } from "../../transactions/draftWarnings.ts";
import {
  assertMadeSplitter,
  createMakeSplitterCall,
  isSplitterMade,
  predictMadeSplitter,
} from "../../transactions/madeSplitter.ts";
import { type Context, definePreparation, type Outcome, readBesideHead } from "../../transactions/preparation.ts";
import { getCreator, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import type { Simulation } from "../../transactions/simulate.ts";

/** A validated request with its draft; the wallet is checksummed. */
export type SplitOrder = { draft: StoredDraft; wallet: Hex; method?: SplitRequest["method"] };

/**
 * Creates the order of a splitter.
 *
 * @throws SlipwayError for a draft that is not launchable or has an invalid payout.
 */
export function createSplitOrder(manifest: Manifest, order: SplitOrder): SplitOrder {
  requireLaunchableDraft(order.draft, manifest);
  requireValidPayouts(listRecipients(order), manifest);
  return order;
}

/** Lists the recipients of the draft's launch. */
const listRecipients = ({ draft, wallet }: SplitOrder) => getRecipients(draft.intent, getCreator(draft, wallet));

const step = { index: 1, total: 2, description: "Deploy the splitter that pays the draft's recipients" };

/** Matches the code of an account that delegates (EIP-7702). Such an account can send creation transactions. */
const delegatedCode = /^0xef0100[0-9a-f]{40}$/i;

/**
 * Prepares the deployment of a draft's splitter: by a creation transaction, or by the splitter factory for a wallet
 * with code or on request. The status is `nothing_to_do` if the factory has already made the draft's splitter.
 *
 * @throws SlipwayError `recipient_cannot_receive`, `invalid_fields`, `simulation_reverted`, `manifest_unverified`,
 * `chain_unavailable`.
 */
export const prepareSplitter = definePreparation({
  action: "deploy_splitter",

  load: async (deps, { draft }: SplitOrder) => {
    const [contentWarnings] = await createContentWarnings(deps, [draft]);
    return [...contentWarnings!, ...createHandleWarnings(draft.labels)];
  },

  read: (context: Context<SplitOrder>) =>
    readBesideHead(context, () => ({
      payoutsWithCode: findPayoutsWithCode(context.chain, listRecipients(context.order)),
      walletCodes: readCodes(context.chain, [context.order.wallet], "latest"),
    })),

  plan: ({ chain, manifest, order }, state, block) => {
    const { wallet, draft } = order;
    const recipients = listRecipients(order);
    const allocations = toAllocations(draft.intent, getCreator(draft, wallet));
    const isByFactory = selectMethod(order, state.walletCodes[0]!) === "factory";
    const implementation = manifest.current.splitter_implementation.address as Hex;
    const made = predictMadeSplitter(manifest, draft.id, allocations);
    const call = isByFactory
      ? createMakeSplitterCall(manifest, draft.id, allocations, wallet)
      : { from: wallet, data: splitterCreationInput(implementation, allocations), value: 0n };
    return {
      shape: "transaction",
      candidates: [{ calls: [call] }],
      reads: {
        payouts: async () => await checkPayoutCode(chain, recipients, state.payoutsWithCode, manifest, block),
        exists: async () => isByFactory && (await isSplitterMade(chain, manifest, made, block)),
        nonce: async () => (isByFactory ? null : await readNonce(chain, wallet, block.number)),
      },
      isByFactory,
      made,
    };
  },

  check: ({ context, plan, answers, simulation, loaded }): Outcome<unknown> => {
    const { isByFactory, made } = plan;
    const { payouts, exists, nonce } = answers;
    const splitter = nonce === null ? made.address : getContractAddress({ from: context.order.wallet, nonce });
    if (isByFactory) assertMadeSplitter(simulation.returnData, splitter);
    else assertCreatedSplitter(simulation, splitter, made.code);
    return {
      status: exists ? "nothing_to_do" : "ready",
      step,
      next: describeNext(isByFactory, exists),
      warnings: [...payouts, ...loaded],
      expected: { splitter, ...(nonce === null ? {} : { account_nonce: Number(nonce) }) },
    };
  },
});

function describeNext(isByFactory: boolean, exists: boolean): string {
  if (exists) return "POST /launch/transactions with this intent_id and expected.splitter";
  return isByFactory
    ? "POST /launch/transactions with this intent_id and expected.splitter, after the receipt"
    : "POST /launch/transactions with this intent_id and, as splitter, the contractAddress of the receipt";
}

/**
 * @param code - The wallet's code.
 * @throws SlipwayError `invalid_fields` for a creation transaction by a contract, which cannot send one.
 */
function selectMethod({ method }: SplitOrder, code: Hex): NonNullable<SplitRequest["method"]> {
  if (method === "creation" && code !== "0x" && !delegatedCode.test(code)) {
    const message = "method must be factory or omitted: a contract cannot send a creation transaction.";
    throw new SlipwayError("invalid_fields", message, { field: "method" });
  }
  return method ?? (code === "0x" ? "creation" : "factory");
}

/** Asserts that the simulation deploys exactly the pinned code with the allocations at the predicted address. */
function assertCreatedSplitter(simulation: Simulation, splitter: Hex, code: Hex): void {
  const isAtAddress = simulation.logs.every(({ address }) => address.toLowerCase() === splitter.toLowerCase());
  if (simulation.returnData.toLowerCase() === code && isAtAddress) return;
  throw new SlipwayError("manifest_unverified", "The simulation did not deploy the pinned splitter.");
}
