import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Chain } from "./chain.ts";

export type ProvenManifest = { manifest: Manifest; sha256: string };

/**
 * The manifest that every transaction is built from: pinned by the operator and proven on the chain.
 *
 * @throws SlipwayError `manifest_missing` when there is none, `manifest_unverified` when it is not pinned or the chain
 * is not proven against it.
 */
export function provenManifest(chain: Pick<Chain, "manifestState">): ProvenManifest {
  const { manifest, sha256, pinned, verified } = chain.manifestState();
  if (manifest === null || sha256 === null) throw new SlipwayError("manifest_missing");
  if (!pinned || !verified) throw new SlipwayError("manifest_unverified");
  return { manifest, sha256 };
}
