import { tokenTextKeys } from "@slipway/protocol/confusables";
import { isDisplayableHandle } from "@slipway/protocol/handleGrammar";
import type { Intent } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import { parsePublishedUri } from "@slipway/protocol/publishedUri";
import type { Warning } from "@slipway/protocol/transaction";
import type { Chain } from "../chain/chain.ts";
import type { Database } from "../db/database.ts";
import { parseUploadUri } from "../imageSettings.ts";
import { getOfficialAssets } from "../officialAssetSettings.ts";
import type { Runtime } from "../runtime.ts";
import type { Label, StoredDraft } from "./queries.ts";
import { findNameKeys, findOwnLaunches, findSimilarLaunches } from "./resemblanceQueries.ts";
import { createImageWarning, createNameWarning } from "./resemblanceWarnings.ts";

/** Creates warnings for permitted URIs that are probably mistakes, by field. */
function createUriWarnings(uris: Record<string, string | null | undefined>): Warning[] {
  return Object.entries(uris).flatMap(([field, uri]) => {
    const parsed = parsePublishedUri(uri ?? "");
    if (!parsed.ok) return [];
    return parsed.warnings.map(({ code, message }) => ({ code, message: `${field}: ${message}` }));
  });
}

/** Creates the warnings of a draft's options: about URIs, and about an earlier prepared launch with other options. */
export function createOptionWarnings(draft: Pick<StoredDraft, "options" | "hasEarlierOptions">): Warning[] {
  const { options, hasEarlierOptions } = draft;
  const uris = options === null ? {} : { banner_uri: options.banner_uri, "links.website2": options.links.website2 };
  if (!hasEarlierOptions) return createUriWarnings(uris);
  return [
    {
      code: "options_changed",
      message:
        "A launch of this draft was prepared before its options were changed: that transaction stays valid and launches " +
        "with the earlier options.",
    },
    ...createUriWarnings(uris),
  ];
}

type DraftDeps = Pick<Runtime, "config"> & { chain: Pick<Chain, "manifestState">; db: Pick<Database, "api"> };

/** A draft whose content is compared with launches. */
type ComparedDraft = {
  id: string;
  intent: Pick<Intent, "name" | "symbol" | "chain_id" | "image_uri" | "website">;
};

/**
 * Creates the warnings about the content of drafts: the chain, URIs, names and symbols that can be confused with an
 * official asset or an indexed token, and uploaded pictures that resemble that of an indexed token. The launches of a
 * draft are left out of its own warnings. Makes at most three queries for all drafts.
 */
export async function createContentWarnings(
  { chain, config, db }: DraftDeps,
  drafts: readonly ComparedDraft[],
): Promise<Warning[][]> {
  const { manifest } = chain.manifestState();
  const official = getOfficialAssets(config, manifest);
  const keys = drafts.map(({ intent }) => tokenTextKeys([intent.name, intent.symbol]));
  const named = await findNameKeys(db.api, keys.flat());
  const pictured = await findSimilarLaunches(
    db.api,
    drafts.map(({ id, intent }) => ({ id, upload: parseUploadUri(intent.image_uri, config) })),
  );
  const own = await findOwnLaunches(
    db.api,
    drafts.map(({ id }) => id),
    [...new Set([...named.values(), ...pictured.values()])],
  );
  return drafts.map(({ id, intent }, index) => {
    const isForeign = (token: string | undefined): token is string => token !== undefined && !own.has(`${id}:${token}`);
    const resembles = keys[index]!.map((key) => named.get(key)).find(isForeign) ?? null;
    const name = createNameWarning({ name: intent.name, symbol: intent.symbol, resembles }, official);
    const similar = pictured.get(id);
    const image = isForeign(similar) ? createImageWarning(similar) : null;
    const uris = createUriWarnings({ image_uri: intent.image_uri, website: intent.website });
    return [createChainWarning(intent, manifest), name, image, ...uris].filter((warning) => warning !== null);
  });
}

/** Creates the warning of a draft for another chain than the service's; null without one or without a manifest. */
function createChainWarning({ chain_id }: Pick<Intent, "chain_id">, manifest: Manifest | null): Warning | null {
  if (manifest === null || manifest.chain_id === chain_id) return null;
  return {
    code: "other_chain",
    message: `The draft is for chain ${chain_id}, but this service launches on chain ${manifest.chain_id}.`,
  };
}

/**
 * Creates warnings for recipients with a handle that no account has verified together with the wallet. Does not show a
 * handle that is invalid at its provider, because it could be any text.
 */
export function createHandleWarnings(labels: readonly Label[]): Warning[] {
  return labels
    .filter(({ provider, verified }) => provider !== "wallet" && !verified)
    .map(({ handle = "", provider, wallet }) => {
      const label = isDisplayableHandle(provider, handle) ? `${provider} handle ${handle}` : `${provider} handle`;
      return {
        code: "unverified_handle" as const,
        message: `The ${label} of ${wallet} is a label that no account has verified; the wallet is paid.`,
      };
    });
}
