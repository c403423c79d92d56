import { SlipwayError } from "@slipway/protocol/errors";
import { maxListedTokens } from "@slipway/protocol/tokenList";
import { tryLockUntilCommit } from "../../db/advisoryLocks.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { type Job, repeat } from "../../job.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { createEntries, getNextVersion } from "./tokenList.ts";
import { listListableTokens, readTokenList, storeTokenList } from "./tokenListQueries.ts";

/** Time that a full list keeps its tokens, because each removal is a new major version, which users must accept. */
const chosenForMs = 24 * 60 * 60_000;

/** Starts the job that stores the token list: a new version whenever its tokens change. */
export function makeTokenList(deps: Deps): Job {
  const run = async () => {
    await updateTokenList(deps);
    return false;
  };
  return repeat(deps, { name: "token list", pauseMs: deps.config.FEED_POLL_MS, run });
}

/** Stores the next version if the stored list differs from the index; does nothing while the index is stale. */
export async function updateTokenList(
  deps: Pick<Deps, "chain" | "clock" | "config" | "db" | "metrics" | "readModel">,
): Promise<void> {
  const { manifest } = deps.chain.manifestState();
  const index = await deps.readModel.getFreshIndex().catch((error: unknown) => {
    if (error instanceof SlipwayError && error.code === "index_unavailable") return null;
    throw error;
  });
  // Keeps the list, because tokens that a stale index lacks may still exist.
  if (manifest === null || index === null) return;
  const { FEED_DELAY_SECONDS, REORG_WINDOW_SECONDS } = deps.config;
  const until = index.indexedTime - (FEED_DELAY_SECONDS ?? REORG_WINDOW_SECONDS);
  const context = {
    chainId: manifest.chain_id,
    wrappedNative: manifest.wrapped_native.address,
    mediaUrl: getMediaUrl(deps.config),
    official: getOfficialAssets(deps.config, manifest),
  };

  await withTransaction(deps.db.api, async (client) => {
    if (!(await tryLockUntilCommit(client, "tokenList"))) return;
    const stored = await readTokenList(client);
    const before = stored?.chain_id === context.chainId ? stored : null;
    const now = deps.clock.now();
    const staysChosen =
      before !== null && before.tokens.length === maxListedTokens && now - before.chosen_at.getTime() < chosenForMs;
    const tokens = await listListableTokens(client, {
      until,
      limit: maxListedTokens - 1,
      among: staysChosen ? before.tokens.map(({ address }) => address.toLowerCase()) : null,
    });
    const { entries, leftOut } = createEntries(tokens, context);
    deps.metrics.tokenListLeftOut.set(leftOut);
    // Versions never restart, even for another chain: readers compare them.
    const version = stored === null ? { major: 1, minor: 0, patch: 0 } : getNextVersion(stored, stored.tokens, entries);
    if (version === null) return;
    const chosen_at = staysChosen ? before.chosen_at : new Date(now);
    await storeTokenList(client, { ...version, chain_id: context.chainId, chosen_at, tokens: entries });
  });
}
