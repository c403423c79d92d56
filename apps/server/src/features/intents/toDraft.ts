import type { Draft } from "@slipway/protocol/intent";
import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import { checksummed } from "@slipway/protocol/primitives";
import type { Deps } from "../../deps.ts";
import { createContentWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import type { IntentRow, IntentRowWithOptions } from "./queries.ts";

/** Converts drafts to the wire format, with their current warnings. */
export async function toDrafts(deps: Deps, rows: readonly IntentRow[]): Promise<Draft[]> {
  const warnings = await createContentWarnings(deps, rows);
  return rows.map((row, index) => ({
    id: row.id,
    status: "draft",
    intent: row.intent,
    created_at: row.created_at.toISOString(),
    transaction: null,
    launched_token: row.launched_token === null ? null : checksummed(row.launched_token),
    warnings: warnings[index]!,
  }));
}

/** Converts a draft with its options to the wire format, with the warnings of both. */
export async function toDraftWithOptions(deps: Deps, row: IntentRowWithOptions): Promise<DraftWithOptions> {
  const [draft] = await toDrafts(deps, [row]);
  return { ...draft!, warnings: [...draft!.warnings, ...createOptionWarnings(row)], options: row.options };
}
