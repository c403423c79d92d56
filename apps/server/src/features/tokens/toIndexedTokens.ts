import type { IndexedTokens } from "@slipway/protocol/indexed";
import { isoTime } from "../../readModel/isoTime.ts";
import type { Present } from "../../readModel/createReadModel.ts";
import type { TokenListRow, TokenRow } from "./queries.ts";
import { toIndexedToken } from "./toIndexedToken.ts";

/**
 * A page of the token list on the wire. `as_of` is the last change in the answer: of one of its tokens, or of the
 * ETH/USD price that its figures use.
 */
export function toIndexedTokens(rows: readonly TokenListRow[], chainId: number, present: Present): IndexedTokens {
  const { ethUsd, index } = present;
  const tokens = rows.filter((row): row is TokenListRow & { featured: boolean } & TokenRow => row.featured !== null);
  const changes = tokens.map((row) => ({ block: row.changed_block, time: row.changed_time }));
  if (ethUsd !== null && tokens.length > 0) changes.push({ block: ethUsd.block, time: ethUsd.time });
  const last = changes.reduce(
    (a, b) => (b.block > a.block ? b : a),
    changes[0] ?? { block: index.indexedBlock, time: index.indexedTime },
  );
  return {
    items: tokens.map((row) => toIndexedToken(row, { chainId, ethUsd: ethUsd?.price ?? null, featured: row.featured })),
    total: rows[0]!.total,
    quote: ethUsd === null ? "eth" : "usd",
    as_of: { block_number: last.block, timestamp: isoTime(last.time) },
  };
}
