import { tokenTextKeys } from "@slipway/protocol/confusables";
import { isDisplayableHandle } from "@slipway/protocol/handleGrammar";
import type { Intent } from "@slipway/protocol/intent";
import type { Manifest } from "@slipway/protocol/manifest";
import { indexOfficialAssets } from "@slipway/protocol/officialAssets";
import { parsePublishedUri } from "@slipway/protocol/publishedUri";
import type { Warning } from "@slipway/protocol/transaction";
import type { Queryable } from "../db/database.ts";
import { createNameWarning } from "./nameWarning.ts";
import { findNameKeys, type Label, type StoredDraft } from "./queries.ts";

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

/**
 * Creates the warnings about the content of drafts: the chain, URIs, and names and symbols that can be confused with an
 * official asset or an indexed token. Makes one query for all drafts.
 */
export async function createContentWarnings(
  db: Queryable,
  manifest: Manifest | null,
  intents: readonly Pick<Intent, "name" | "symbol" | "chain_id" | "image_uri" | "website">[],
): Promise<Warning[][]> {
  const official = indexOfficialAssets(manifest);
  const keys = intents.map(({ name, symbol }) => tokenTextKeys([name, symbol]));
  const tokens = await findNameKeys(db, keys.flat());
  return intents.map((intent, index) => {
    const resembles = keys[index]!.map((key) => tokens.get(key)).find((token) => token !== undefined) ?? null;
    const name = createNameWarning({ name: intent.name, symbol: intent.symbol, resembles }, official);
    const uris = createUriWarnings({ image_uri: intent.image_uri, website: intent.website });
    return [createChainWarning(intent, manifest), name, ...uris].filter((warning) => warning !== null);
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
