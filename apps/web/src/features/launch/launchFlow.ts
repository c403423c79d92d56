import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createLeanClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { ask, type Hex, toQuantity, WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import { type ReviewedDraft, requireReviewed } from "./reviewedLaunch.ts";
import { createSalt } from "./salt.ts";

export type LaunchFlowParts = {
  api: Pick<Client, "getIntentProgress" | "prepareSplitter" | "prepareLaunch" | "prepareLaunchCalls">;
  timing: Timing;
  getSender(): Sender | null;
  batches: { areRefused(): boolean; refuse(): void };
  /** As it was reviewed: nothing else is launched, whatever is stored of it now. */
  draft: ReviewedDraft;
  /** The account that sends it, and pays. */
  wallet: string;
  /** The launch that another account, its creator, has signed; null where the sender is the creator. */
  signed: SignedLaunch | null;
};

/** A creator's signature over one attempt to launch a draft. */
export type SignedLaunch = { creator: string; attempt: number; deadline: number; signature: string };

/** What the journal keeps of a launch, to go on after a reload; older pages kept no options. */
export type SentLaunch = { signed?: SignedLaunch | null; options?: ReviewedDraft["options"] };

/** Other tokens of the same draft and wallet are tried so often: each needs an account that wants to be in the way. */
const maxAttempts = 20;
const pendingMs = 1_000;
/** The index shows a transaction within a second of its block. */
const indexedMs = 500;
const indexReads = 10;

const isTaken = (error: unknown) =>
  error instanceof ApiError && (error.code === "salt_taken" || error.code === "pool_taken");

/**
 * A launch: the splitter, then the token. What of the draft is on the chain decides what is left to do, so that it goes on
 * after a reload and on another device.
 */
export function createLaunchFlow(parts: LaunchFlowParts): FlowDefinition {
  const { api, timing, batches, draft, wallet, signed } = parts;
  const draftId = draft.id;
  const creator = signed?.creator ?? wallet;
  /** From the receipt: the predicted address may be another one, since a nonce may have passed. */
  let splitter: string | null = null;
  let isAtomic: boolean | null = null;
  let hasCode: boolean | null = null;
  const request = { intent_id: draftId, wallet };

  const requireSender = () => {
    const sender = parts.getSender();
    if (sender === null || sender.address !== wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };

  const attempts = createAttempts({ api, timing, draftId }, creator);
  /** Prepares with the salt that was signed, or with the first one that is free; null when the launch turns out to exist. */
  const withSalt = async <T>(work: (salt: Hex) => Promise<T>, signal: AbortSignal): Promise<T | null> =>
    signed === null
      ? ((await attempts.first(work, signal))?.answer ?? null)
      : await attempts.only(signed, work, signal);
  const authorization = signed === null ? null : { deadline: signed.deadline, signature: signed.signature };

  const prepareCalls = async (sender: Sender, signal: AbortSignal): Promise<PreparedStep> => {
    const answer = await withSalt(
      (salt) => api.prepareLaunchCalls({ ...request, splitter: null, salt, authorization }, { signal }),
      signal,
    );
    if (answer === null) return { kind: "done" };
    const asked = [...answer.calls, ...(answer.transaction === null ? [] : [answer.transaction])];
    requireReviewed(asked, draft, { creator, factory: sender.chain.factory });
    if (isAtomic && !batches.areRefused()) {
      const batch = sendableCalls(answer, wallet);
      if (batch !== null) return { kind: "batch", name: "launch", batch };
    }
    if (answer.transaction !== null) return { kind: "transaction", name: "launch", transaction: answer.transaction };
    return toFirstCall(answer, sender);
  };

  /** Another page or device may have sent a step that no block has yet: asked for now, it would be sent twice. */
  const toPendingStep = (sender: Sender, signal: AbortSignal): PreparedStep => ({
    kind: "service",
    name: "pending",
    work: async () => {
      while (!signal.aborted && (await hasPending(sender))) await timing.wait(pendingMs, signal);
      await findLaunch(api, draftId, timing, signal);
    },
  });

  return {
    flow: `launch:${draftId}`,
    // After a reload the launch goes on as it was reviewed before.
    request: { ...request, signed, options: draft.options },
    lastSteps: ["launch"],
    prepare: async (signal) => {
      const sender = requireSender();
      const progress = await api.getIntentProgress({ id: draftId }, { signal });
      if (progress.launches.length > 0) return { kind: "done" };
      hasCode ??= (await ask(sender.provider, "eth_getCode", [sender.address, "latest"])) !== "0x";
      if (!hasCode && (await hasPending(sender))) return toPendingStep(sender, signal);
      // What was signed is of the factory's splitter.
      if (signed === null) splitter ??= progress.splitters.at(-1)?.address ?? null;
      isAtomic ??= !batches.areRefused() && (await readsAtomic(sender, timing));
      if (splitter === null && (signed !== null || hasCode || (isAtomic && !batches.areRefused())))
        return await prepareCalls(sender, signal);
      if (splitter === null) {
        const { transaction, expected } = await api.prepareSplitter(request, { signal });
        if (transaction !== null) requireReviewed([transaction], draft, { creator, factory: sender.chain.factory });
        if (transaction !== null) return { kind: "transaction", name: "deploy_splitter", transaction };
        // The factory's splitter of this draft exists already.
        splitter = expected?.splitter ?? null;
        if (splitter === null) return { kind: "done" };
      }
      const made = splitter;
      const launch = await withSalt(
        (salt) => api.prepareLaunch({ ...request, splitter: made, salt }, { signal }),
        signal,
      ).catch((error: unknown) => {
        // A reorganisation may have dropped it. When it is tried again, what the chain has then decides.
        if (error instanceof ApiError && error.code === "splitter_not_deployed") splitter = null;
        throw error;
      });
      if (launch === null || launch.transaction === null) return { kind: "done" };
      requireReviewed([launch.transaction], draft, { creator, factory: sender.chain.factory });
      return { kind: "transaction", name: "launch", transaction: launch.transaction };
    },
    confirmed: async (name, receipt) => {
      if (name === "deploy_splitter" && receipt.contractAddress !== null) splitter = receipt.contractAddress;
    },
    findReplacement: async (_, name) => {
      const { splitters, launches } = await api.getIntentProgress({ id: draftId });
      const found = name === "launch" ? launches.at(-1) : splitters.at(-1);
      return (found?.tx_hash as Hex | undefined) ?? null;
    },
    batchRefused: () => batches.refuse(),
  };
}

/** The salts of a draft and a creator, in their order. */
export function createAttempts({ api, timing, draftId }: AttemptParts, creator: string) {
  let attempt = 0;
  return {
    /** Works with the first salt that is free; null when the launch turns out to exist. */
    first: async <T>(work: (salt: Hex) => Promise<T>, signal: AbortSignal) => {
      for (;;) {
        try {
          return { answer: await work(await createSalt(draftId, creator, attempt)), attempt };
        } catch (error) {
          if (!isTaken(error)) throw error;
          if (await findLaunch(api, draftId, timing, signal)) return null;
          if (attempt >= maxAttempts) throw error;
          attempt += 1;
        }
      }
    },
    /** Works with the salt that was signed: no other one has its signature. */
    only: async <T>(signed: SignedLaunch, work: (salt: Hex) => Promise<T>, signal: AbortSignal) => {
      try {
        return await work(await createSalt(draftId, creator, signed.attempt));
      } catch (error) {
        if (isTaken(error) && (await findLaunch(api, draftId, timing, signal))) return null;
        throw error;
      }
    },
  };
}

type AttemptParts = Pick<LaunchFlowParts, "timing"> & { api: Pick<Client, "getIntentProgress">; draftId: string };

/** Whether the account has sent what no block has yet. */
async function hasPending({ provider, address }: Sender): Promise<boolean> {
  const [latest, pending] = await Promise.all(
    ["latest", "pending"].map(async (block) =>
      toQuantity(await ask(provider, "eth_getTransactionCount", [address, block])),
    ),
  );
  return latest != null && pending != null && pending > latest;
}

/** The first of the two calls, for a wallet with code that sends no batches: the factory's splitter. */
function toFirstCall({ calls, manifest }: LaunchCallsResult, sender: Sender): PreparedStep {
  const [first] = calls;
  if (first === undefined) return { kind: "done" };
  const { to, data, value } = first;
  const chainId = `0x${manifest.chain_id.toString(16)}`;
  const transaction = { chainId, from: sender.address, to, data, value };
  return { kind: "transaction", name: calls.length > 1 ? "deploy_splitter" : "launch", transaction };
}

type Waited = {
  /** Whether the wallet's node still has the launch. */
  isMined(): Promise<boolean>;
  /** Reported every few seconds until the index has it. */
  onWait(why: "slow" | "dropped"): void;
};

/** The token of a launch that was mined: it waits for an index that is behind, and for a service that does not answer. */
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

/** The token of a draft's launch, as soon as the index has it; null when it does not within some seconds. */
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
