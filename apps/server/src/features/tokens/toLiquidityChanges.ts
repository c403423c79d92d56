import { SlipwayError } from "@slipway/protocol/errors";
import type { LiquidityChanges } from "@slipway/protocol/liquidityChanges";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import { toChecksumAddress, toIsoTime } from "../../pricing/format.ts";
import type { LiquidityChangesRow } from "./liquidityQueries.ts";

/**
 * Converts a page of changes to the wire format.
 *
 * @param row - With one more change than `limit` if earlier ones follow.
 * @throws SlipwayError `index_unavailable` for an index of an earlier version.
 */
export function toLiquidityChanges(
  row: LiquidityChangesRow,
  limit: number,
  index: Pick<FreshIndex, "finalBlock">,
): LiquidityChanges {
  if (!row.is_complete) throw new SlipwayError("index_unavailable", "The index of this version is being built.");
  const page = row.changes.slice(0, limit);
  const last = row.changes.length > limit ? page.at(-1)! : null;
  return {
    items: page.map((change) => ({
      id: `0x${change.tx_hash}:${change.log_index}`,
      kind: change.kind,
      block_number: change.block_number,
      block_timestamp: toIsoTime(change.block_time),
      tx_hash: `0x${change.tx_hash}`,
      log_index: change.log_index,
      maker: toChecksumAddress(change.maker),
      token_amount: change.token_amount,
      quote_amount: change.quote_amount,
    })),
    next_cursor: last === null ? null : `${last.block_number}:${last.log_index}`,
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, index),
  };
}
