import type { IndexedToken } from "@slipway/protocol/indexed";
import type { TokenRow } from "./queries.ts";

/** What somebody should know before trading a token. */
export function tokenWarnings(row: Pick<TokenRow, "splitter_proven" | "pool_protocol_fee">): IndexedToken["warnings"] {
  const warnings: IndexedToken["warnings"] = [];
  if (row.splitter_proven === false) {
    warnings.push({
      code: "splitter_unproven",
      message: "The fee splitter was not born from the pinned code; its shares cannot be vouched for.",
    });
  } else if (row.splitter_proven === null) {
    warnings.push({ code: "splitter_unchecked", message: "The fee splitter's birth has not been checked yet." });
  }
  if (row.pool_protocol_fee !== 0) {
    warnings.push({
      code: "pool_protocol_fee",
      message: "Uniswap takes a part of this pool's fee; protocol and collaborators share the rest.",
    });
  }
  return warnings;
}
