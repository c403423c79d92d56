import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { VanitySalt } from "@slipway/protocol/vanitySearch";
import type { ReviewedDraft } from "@slipway/protocol/verify/reviewedLaunch";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createLazyClient";
import { createSalt } from "@slipway/sdk/createSalt";
import { sendableCalls } from "@slipway/sdk/sendable";
import { importFile } from "../../ui/importFile.ts";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { ask, type Hex, toQuantity, WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import type { MadeSplitter } from "./draftSplitter.ts";
import { requireReviewed } from "./requireReviewed.ts";
import { createVestingStep } from "./vestingStep.ts";

export type LaunchFlowParts = {
  api: Pick<
    Client,
    "getIntentProgress" | "prepareSplitter" | "prepareVesting" | "prepareLaunch" | "prepareLaunchCalls"
  >;
  timing: Timing;
  getSender(): Sender | null;
  batches: { areRefused(): boolean; refuse(): void };
  /** The draft as reviewed. The flow never launches a version that was stored later. */
  draft: ReviewedDraft;
  /** The account that sends the launch and pays. */
  wallet: string;
  /** The launch that the creator signed for another sender; null if the sender is the creator. */
  signed: SignedLaunch | null;
  /** The salt that was searched for this launch, with the token that the review shows; null for the draft's own salts. */
  vanity: VanitySalt | null;
};

/** A creator's signature over the launch of a draft with one salt. */
export type SignedLaunch = { creator: string; salt: string; deadline: number; epoch: number; signature: string };

/** The part of a launch that the journal stores to continue after a reload; older entries have no options. */
export type SentLaunch = Partial<Pick<LaunchFlowParts, "signed" | "vanity">> & { options?: ReviewedDraft["options"] };

/** Salts to try. A salt is taken only if another account deliberately uses it. */
export const maxAttempts = 20;
const pendingMs = 1_000;
/** The index usually shows a transaction within a second of its block. */
const indexedMs = 500;
const indexReads = 10;

/** Whether the token or the pool of a salt exists. */
export const isTaken = (error: unknown) =>
  error instanceof ApiError && (error.code === "salt_taken" || error.code === "pool_taken");

/**
 * Creates the flow of a launch: the splitter, then the token. The chain's state decides the next step, so that the flow
 * continues after a reload and on another device.
 */
export function createLaunchFlow(parts: LaunchFlowParts): FlowDefinition {
  const { api, timing, batches, draft, wallet, signed, vanity } = parts;
  const draftId = draft.id;
  const creator = signed?.creator ?? wallet;
  /** The receipt's, or an earlier one. It can differ from the predicted one, if another transaction used the nonce. */
  let splitter: MadeSplitter | null = null;
  let isAtomic: boolean | null = null;
  let hasCode: boolean | null = null;
  const vesting = createVestingStep(api, draft, wallet);
  const request = { intent_id: draftId, wallet };

  const requireSender = () => {
    const sender = parts.getSender();
    if (sender === null || sender.address !== wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };

  const withSalt = createSaltedWork({ api, timing, draftId, salt: signed?.salt ?? vanity?.salt ?? null }, creator);
  const authorization =
    signed === null ? null : { deadline: signed.deadline, epoch: signed.epoch, signature: signed.signature };

  /**
   * Asserts that calls launch the reviewed draft with its splitter.
   *
   * @param used - The splitter of the launch; null for the factory's.
   */
  const requireDraft = async (
    asked: Parameters<typeof requireReviewed>[0],
    { provider, chain: { factory, contracts } }: Sender,
    used: MadeSplitter | null,
  ) => {
    const [{ getDraftSplitter }, { getReviewedVesting }, { isCreatedSplitter }] = await Promise.all([
      importFile(() => import("@slipway/protocol/verify/draftSplitter")),
      importFile(() => import("@slipway/protocol/verify/draftVesting")),
      importFile(() => import("./draftSplitter.ts")),
    ]);
    const expected = getDraftSplitter(draft, creator, contracts);
    const isOfFactory = used === null || used.address.toLowerCase() === expected.address.toLowerCase();
    if (!isOfFactory && !(await isCreatedSplitter(provider, used, { draft, creator }, contracts)))
      throw new WalletError("not_as_asked");
    const reviewed = getReviewedVesting(draft, creator, contracts);
    const made = used?.address ?? null;
    requireReviewed(asked, draft, { creator, factory, splitter: expected, made, vesting: reviewed });
    if (vanity === null) return;
    const { requireToken } = await importFile(() => import("./requireToken.ts"));
    requireToken(asked, { creator, contracts, token: vanity.token });
  };

  const prepareCalls = async (sender: Sender, signal: AbortSignal): Promise<PreparedStep> => {
    const answer = await withSalt(
      (salt) => api.prepareLaunchCalls({ ...request, splitter: null, salt, authorization }, { signal }),
      signal,
    );
    if (answer === null) return { kind: "done" };
    const asked = [...answer.calls, ...(answer.transaction === null ? [] : [answer.transaction])];
    await requireDraft(asked, sender, null);
    if (isAtomic && !batches.areRefused()) {
      const batch = sendableCalls(answer, wallet);
      if (batch !== null) return { kind: "batch", name: "launch", batch };
    }
    if (answer.transaction !== null) return { kind: "transaction", name: "launch", transaction: answer.transaction };
    return toFirstCall(answer, sender);
  };

  /** Prepares the creation of the splitter; null if it exists, or if the service names none. */
  const prepareSplitter = async (sender: Sender, signal: AbortSignal): Promise<PreparedStep | null> => {
    if (splitter !== null) return null;
    const { transaction, expected } = await api.prepareSplitter(request, { signal });
    if (transaction !== null) {
      await requireDraft([transaction], sender, null);
      return { kind: "transaction", name: "deploy_splitter", transaction };
    }
    // The factory has already created the splitter of this draft.
    splitter = expected?.splitter === undefined ? null : { address: expected.splitter, hash: null };
    return null;
  };

  /** A reorg may have dropped a contract of the launch. The next attempt reads the chain again. */
  const forgetMissing = (error: unknown) => {
    if (!(error instanceof ApiError)) return;
    if (error.code === "splitter_not_deployed") splitter = null;
    if (error.code === "vesting_not_deployed") vesting.setMissing(true);
  };

  return {
    flow: `launch:${draftId}`,
    // After a reload, the launch continues as reviewed.
    request: { ...request, signed, vanity, options: draft.options },
    lastSteps: ["launch"],
    prepare: async (signal) => {
      const sender = requireSender();
      const progress = await api.getIntentProgress({ id: draftId }, { signal });
      if (progress.launches.length > 0) return { kind: "done" };
      hasCode ??= (await ask(sender.provider, "eth_getCode", [sender.address, "latest"])) !== "0x";
      if (!hasCode && (await hasPending(sender))) return toPendingStep(parts, sender, signal);
      isAtomic ??= !batches.areRefused() && (await readsAtomic(sender, timing));
      // The signature and the searched address need the factory's splitter.
      if (signed !== null || vanity !== null) return await prepareCalls(sender, signal);
      splitter ??= toMade(progress.splitters.at(-1));
      if (splitter === null && (hasCode || (isAtomic && !batches.areRefused())))
        return await prepareCalls(sender, signal);
      const deployment = await prepareSplitter(sender, signal);
      if (deployment !== null) return deployment;
      const made = splitter;
      if (made === null) return { kind: "done" };
      const creation = await vesting.prepare((asked) => requireDraft(asked, sender, made), signal);
      if (creation !== null) return creation;
      const launch = await withSalt(
        (salt) => api.prepareLaunch({ ...request, splitter: made.address, salt }, { signal }),
        signal,
      ).catch((error: unknown) => {
        forgetMissing(error);
        throw error;
      });
      if (launch === null || launch.transaction === null) return { kind: "done" };
      await requireDraft([launch.transaction], sender, made);
      return { kind: "transaction", name: "launch", transaction: launch.transaction };
    },
    confirmed: async (name, receipt) => {
      if (name === "deploy_splitter" && receipt.contractAddress !== null)
        splitter = { address: receipt.contractAddress, hash: receipt.hash };
      if (name === "deploy_vesting") vesting.setMissing(false);
    },
    findReplacement: async (_, name) => {
      if (name === "deploy_vesting") return null;
      const { splitters, launches } = await api.getIntentProgress({ id: draftId });
      const found = name === "launch" ? launches.at(-1) : splitters.at(-1);
      return (found?.tx_hash as Hex | undefined) ?? null;
    },
    batchRefused: () => batches.refuse(),
  };
}

/** Waits for a pending transaction of another page or device. Otherwise the wallet would send the step twice. */
const toPendingStep = (
  { api, timing, draft }: Pick<LaunchFlowParts, "api" | "timing" | "draft">,
  sender: Sender,
  signal: AbortSignal,
): PreparedStep => ({
  kind: "service",
  name: "pending",
  work: async () => {
    while (!signal.aborted && (await hasPending(sender))) await timing.wait(pendingMs, signal);
    await findLaunch(api, draft.id, timing, signal);
  },
});

const toMade = (found: { address: string; tx_hash: string } | undefined): MadeSplitter | null =>
  found === undefined ? null : { address: found.address, hash: found.tx_hash };

type SaltParts = Pick<LaunchFlowParts, "timing"> & {
  api: Pick<Client, "getIntentProgress">;
  draftId: string;
  /** The only salt, which was signed or searched; null for those of the draft and the creator, in order. */
  salt: string | null;
};

/** Creates a function that runs work with the first free salt. It returns null if the launch already exists. */
export function createSaltedWork({ api, timing, draftId, salt }: SaltParts, creator: string) {
  let attempt = 0;
  return async <T>(work: (salt: string) => Promise<T>, signal: AbortSignal): Promise<T | null> => {
    for (;;) {
      try {
        return await work(salt ?? (await createSalt(draftId, creator, attempt)));
      } catch (error) {
        if (!isTaken(error)) throw error;
        if (await findLaunch(api, draftId, timing, signal)) return null;
        if (salt !== null || attempt >= maxAttempts) throw error;
        attempt += 1;
      }
    }
  };
}

/** Whether the account has a pending transaction. */
async function hasPending({ provider, address }: Sender): Promise<boolean> {
  const [latest, pending] = await Promise.all(
    ["latest", "pending"].map(async (block) =>
      toQuantity(await ask(provider, "eth_getTransactionCount", [address, block])),
    ),
  );
  return latest != null && pending != null && pending > latest;
}

/** Returns the first of several calls, for a wallet with code that does not send batches: a contract of the launch. */
function toFirstCall({ calls, manifest }: LaunchCallsResult, sender: Sender): PreparedStep {
  const [first] = calls;
  if (first === undefined) return { kind: "done" };
  const { to, data, value } = first;
  const chainId = `0x${manifest.chain_id.toString(16)}`;
  const transaction = { chainId, from: sender.address, to, data, value };
  const isVesting = first.to.toLowerCase() === sender.chain.contracts.vesting_factory?.toLowerCase();
  const created = isVesting ? "deploy_vesting" : "deploy_splitter";
  return { kind: "transaction", name: calls.length > 1 ? created : "launch", transaction };
}

type Waited = {
  /** Whether the wallet's node still has the launch transaction. */
  isMined(): Promise<boolean>;
  /** Called every few seconds until the index has the launch. */
  onWait(why: "slow" | "dropped"): void;
};

/** Returns the token of a mined launch. Waits while the index is behind or the service does not respond. */
export async function awaitLaunch(
  { api, timing }: Pick<LaunchFlowParts, "api" | "timing">,
  draftId: string,
  { isMined, onWait }: Waited,
  signal: AbortSignal,
): Promise<string | null> {
  const pause = () => timing.wait(indexedMs * indexReads, signal).then(() => null);
  while (!signal.aborted) {
    const token = await findLaunch(api, draftId, timing, signal).catch(pause);
    if (token !== null) return token;
    const state = (await isMined().catch(() => true)) ? "slow" : "dropped";
    if (!signal.aborted) onWait(state);
  }
  return null;
}

/** Waits a few seconds for a draft's launch in the index; returns its token, or null. */
export async function findLaunch(
  api: Pick<Client, "getIntentProgress">,
  draftId: string,
  timing: Timing,
  signal?: AbortSignal,
): Promise<string | null> {
  for (let read = 0; read < indexReads && !signal?.aborted; read++) {
    const { launches } = await api.getIntentProgress({ id: draftId }, { signal });
    const launch = launches.at(-1);
    if (launch !== undefined) return launch.token;
    await timing.wait(indexedMs, signal);
  }
  return null;
}
