import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import { ApiError } from "@slipway/sdk/apiError";
import type { Client } from "@slipway/sdk/createLeanClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { ask, type Hex, WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import { createSalt } from "./salt.ts";

export type LaunchFlowParts = {
  api: Pick<Client, "getIntentProgress" | "prepareSplitter" | "prepareLaunch" | "prepareLaunchCalls">;
  timing: Timing;
  getSender(): Sender | null;
  batches: { areRefused(): boolean; refuse(): void };
  draftId: string;
  wallet: string;
};

/** Other tokens of the same draft and wallet are tried so often: each needs an account that wants to be in the way. */
const maxAttempts = 20;
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
  const { api, timing, batches, draftId, wallet } = parts;
  /** From the receipt: the predicted address may be another one, since a nonce may have passed. */
  let splitter: string | null = null;
  let attempt = 0;
  let isAtomic: boolean | null = null;
  let hasCode: boolean | null = null;
  const request = { intent_id: draftId, wallet };

  const requireSender = () => {
    const sender = parts.getSender();
    if (sender === null || sender.address !== wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };

  /** Prepares with the first salt that is free; null when the launch turns out to exist. */
  const withSalt = async <T>(work: (salt: Hex) => Promise<T>, signal: AbortSignal): Promise<T | null> => {
    for (;;) {
      const salt = await createSalt(draftId, wallet, attempt);
      try {
        return await work(salt);
      } catch (error) {
        if (!isTaken(error)) throw error;
        if (await findLaunch(api, draftId, timing, signal)) return null;
        if (attempt >= maxAttempts) throw error;
        attempt += 1;
      }
    }
  };

  const prepareCalls = async (sender: Sender, signal: AbortSignal): Promise<PreparedStep> => {
    const answer = await withSalt(
      (salt) => api.prepareLaunchCalls({ ...request, splitter: null, salt }, { signal }),
      signal,
    );
    if (answer === null) return { kind: "done" };
    if (isAtomic && !batches.areRefused()) {
      const batch = sendableCalls(answer, wallet);
      if (batch !== null) return { kind: "batch", name: "launch", batch };
    }
    if (answer.transaction !== null) return { kind: "transaction", name: "launch", transaction: answer.transaction };
    return toFirstCall(answer, sender);
  };

  return {
    flow: `launch:${draftId}`,
    request,
    lastSteps: ["launch"],
    prepare: async (signal) => {
      const sender = requireSender();
      const progress = await api.getIntentProgress({ id: draftId }, { signal });
      if (progress.launches.length > 0) return { kind: "done" };
      splitter ??= progress.splitters.at(-1)?.address ?? null;
      hasCode ??= (await ask(sender.provider, "eth_getCode", [sender.address, "latest"])) !== "0x";
      isAtomic ??= !batches.areRefused() && (await readsAtomic(sender, timing));
      if (splitter === null && (hasCode || (isAtomic && !batches.areRefused())))
        return await prepareCalls(sender, signal);
      if (splitter === null) {
        const { transaction, expected } = await api.prepareSplitter(request, { signal });
        if (transaction !== null) return { kind: "transaction", name: "deploy_splitter", transaction };
        // The factory's splitter of this draft exists already.
        splitter = expected?.splitter ?? null;
        if (splitter === null) return { kind: "done" };
      }
      const made = splitter;
      const launch = await withSalt(
        (salt) => api.prepareLaunch({ ...request, splitter: made, salt }, { signal }),
        signal,
      );
      if (launch === null || launch.transaction === null) return { kind: "done" };
      return { kind: "transaction", name: "launch", transaction: launch.transaction };
    },
    confirmed: async (name, receipt) => {
      if (name === "deploy_splitter" && receipt.contractAddress !== null) splitter = receipt.contractAddress;
    },
    findReplacement: async (_, name) => {
      for (let read = 0; read < indexReads; read++) {
        const { splitters, launches } = await api.getIntentProgress({ id: draftId });
        const found = name === "launch" ? launches.at(-1) : splitters.at(-1);
        if (found !== undefined) return found.tx_hash as Hex;
        await timing.wait(indexedMs);
      }
      return null;
    },
    batchRefused: () => batches.refuse(),
  };
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
