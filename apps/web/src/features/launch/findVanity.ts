import type { LaunchParams } from "@slipway/protocol/launchAddress";
import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { VanitySalt } from "@slipway/protocol/vanitySearch";
import type { Contracts } from "@slipway/protocol/verify/check";
import type { Client } from "@slipway/sdk/createLazyClient";
import { createSalt } from "@slipway/sdk/createSalt";
import { importFile } from "../../ui/importFile.ts";
import { WalletError } from "../../wallet/provider.ts";
import { isTaken, maxAttempts } from "./launchFlow.ts";
import { searchInWorker, type VanityProgress } from "./searchInWorker.ts";

type VanityOrder = {
  api: Pick<Client, "prepareLaunchCalls">;
  draftId: string;
  /** The account that launches the token. */
  creator: string;
  /** The account that sends the launch. */
  wallet: string;
  contracts: Contracts;
  suffix: string;
};

/**
 * Finds the salt of a draft's launch whose token's address ends with a suffix. The launch uses the factory's splitter,
 * whose address is known before it exists. Equal drafts have equal results.
 *
 * @throws WalletError `not_as_asked` for a response without a launch; ApiError; the reason of `signal`
 */
export async function findVanity(
  { api, draftId, creator, wallet, contracts, suffix }: VanityOrder,
  onProgress: (progress: VanityProgress) => void,
  signal: AbortSignal,
): Promise<VanitySalt> {
  const request = { intent_id: draftId, wallet, splitter: null };
  for (let attempt = 0; ; attempt++) {
    try {
      const salt = await createSalt(draftId, creator, attempt);
      const params = await readParams(await api.prepareLaunchCalls({ ...request, salt }, { signal }), creator);
      const found = await searchInWorker({ contracts, creator, params, suffix }, onProgress, signal);
      // Refused if another account has created the pool of this token.
      await api.prepareLaunchCalls({ ...request, salt: found.salt }, { signal });
      return found;
    } catch (error) {
      if (!isTaken(error) || attempt >= maxAttempts) throw error;
    }
  }
}

async function readParams({ typed_data: typed, calls, transaction }: LaunchCallsResult, creator: string) {
  if (typed !== null) return typed.message.params as LaunchParams;
  const launch = calls.at(-1) ?? transaction;
  const { readLaunchCall } = await importFile(() => import("@slipway/protocol/verify/preparedLaunch"));
  const read = launch === null ? null : readLaunchCall(launch, creator);
  if (read === null) throw new WalletError("not_as_asked");
  return read.params;
}
