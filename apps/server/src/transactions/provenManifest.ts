import { SlipwayError } from "@slipway/protocol/errors";
import { poolAddress } from "@slipway/protocol/launchAddress";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import type { Chain } from "../chain/chain.ts";
import { deploymentsOf } from "../chain/readManifest.ts";
import type { IndexedLaunch } from "./queries.ts";

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

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Checks an indexed launch against the proven manifest: its deployment stands there (also as an earlier one), and its
 * pool is the one that the manifest's Uniswap set gives this token. So a wrong row of the index sends nobody anywhere.
 *
 * @returns the launch and its deployment.
 * @throws SlipwayError `pool_not_supported`.
 */
export function supportedLaunch(
  launch: IndexedLaunch | null,
  manifest: Manifest,
): { launch: IndexedLaunch; deployment: LaunchDeployment } {
  const deployment = deploymentsOf(manifest).find(
    (candidate) =>
      launch !== null &&
      sameAddress(candidate.launch_factory.address, launch.launchFactory) &&
      sameAddress(candidate.fee_locker.address, launch.feeLocker),
  );
  if (launch === null || deployment === undefined) throw notSupported();
  const pool = poolAddress(
    manifest.uniswap.factory.address as `0x${string}`,
    manifest.uniswap.pool_init_code_hash as `0x${string}`,
    launch.token,
    manifest.wrapped_native.address as `0x${string}`,
    launch.feeBps * 100,
  );
  if (!sameAddress(pool, launch.pool) || !sameAddress(launch.quoteToken, manifest.wrapped_native.address)) {
    throw notSupported();
  }
  return { launch, deployment };
}

function notSupported(): SlipwayError {
  return new SlipwayError("pool_not_supported", undefined, { field: "token" });
}
