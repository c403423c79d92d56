import type { ErrorCode } from "@slipway/protocol/errors";

/** What a route answers that works on the proven chain and cannot now: no manifest, no proof, no chain, no database. */
export const chainErrors = [
  "manifest_missing",
  "manifest_unverified",
  "chain_unavailable",
  "storage_unavailable",
] as const satisfies readonly ErrorCode[];
