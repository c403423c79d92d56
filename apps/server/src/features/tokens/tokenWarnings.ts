import type { IndexedToken } from "@slipway/protocol/indexed";
import type { TokenRow } from "./queries.ts";

/** What somebody should know before trading a token. */
export function tokenWarnings(
  row: Pick<TokenRow, "splitter_proven" | "pool_protocol_fee" | "manifest" | "manifest_error">,
): IndexedToken["warnings"] {
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
  if (row.manifest === "fetched") {
    warnings.push({
      code: "foreign_metadata",
      message: "Image, description and website come from a document outside the chain; its publisher can change it.",
    });
  } else if (row.manifest_error !== null) {
    warnings.push({
      code: "metadata_unavailable",
      message: `The launch names a document outside the chain, which could not be fetched: ${row.manifest_error}.`,
    });
  }
  return warnings;
}
