import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../deps.ts";

/**
 * The chain whose data this service shows: the manifest's, or the configured one.
 *
 * @throws SlipwayError `manifest_missing` when neither names one.
 */
export function servedChainId(deps: Pick<Deps, "chain" | "config">): number {
  const chainId = deps.chain.manifestState().manifest?.chain_id ?? deps.config.CHAIN_ID;
  if (chainId === undefined) throw new SlipwayError("manifest_missing");
  return chainId;
}
