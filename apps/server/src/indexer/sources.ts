import { createHash } from "node:crypto";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";

/** One set of launch contracts whose launches are indexed. Addresses are lower case. */
export type Deployment = {
  id: number;
  launchFactory: string;
  feeLocker: string;
  deploymentBlock: number;
  legacy: boolean;
};

/** The pool whose price is ETH/USD. */
export type EthUsdSource = { pool: string; nativeIsToken0: boolean; decimals0: number; decimals1: number };

/** The splitter factory of a deployment, and the implementation that its splitters are clones of. */
export type SplitterSource = { factory: string; implementation: `0x${string}` };

/** Contracts and blocks to index, from the manifest. */
export type Sources = {
  chainId: number;
  deployments: Deployment[];
  gasStation: string | null;
  wrappedNative: string;
  ethUsd: EthUsdSource | null;
  /** The splitter source of each deployment; each can prove a splitter. */
  splitters: SplitterSource[];
  /** The opening factory of each deployment. */
  openingFactories: string[];
  /** The first block that can contain logs of our contracts. */
  fromBlock: number;
  /** Identifies sources and rules. An index with another fingerprint is rebuilt. */
  fingerprint: string;
};

/**
 * Version of the rules that compute rows. Increment it after a change of a rule, so that an index with the old rules is
 * rebuilt. 2: fees of `/analytics` are the locked position's share. 3: cost bases of makers, and splitter receipts. 4:
 * ETH/USD is the median of a window that ends before the block. 5: the accounts of trades, also for traders and cost
 * bases. 6: facts of launches, and what changes the assets of pools. 7: values of locked positions, holders by minute,
 * and totals by day. 8: openings. 9: no openings whose texts are too long for a launch.
 */
export const indexRules = 9;

/**
 * Creates the sources of a manifest. Numbers deployments from the oldest to the newest, so that a new deployment does
 * not change existing ids.
 */
export function toSources(manifest: Manifest): Sources {
  const byAge: { deployment: LaunchDeployment; legacy: boolean }[] = [
    ...manifest.history.toReversed().map((deployment) => ({ deployment, legacy: true })),
    { deployment: manifest.current, legacy: false },
  ];
  const deployments = byAge.map(({ deployment, legacy }, index) => ({
    id: index + 1,
    launchFactory: deployment.launch_factory.address.toLowerCase(),
    feeLocker: deployment.fee_locker.address.toLowerCase(),
    deploymentBlock: deployment.deployment_block,
    legacy,
  }));
  const wrappedNative = manifest.wrapped_native.address.toLowerCase();
  const ethUsd = manifest.eth_usd === null ? null : ethUsdSource(manifest.eth_usd, wrappedNative);
  const gasStation = manifest.gas_station?.address.toLowerCase() ?? null;
  // The fingerprint excludes the gas station and later deployments: they only add rows, and existing rows stay right.
  const identity = [indexRules, manifest.chain_id, wrappedNative, ethUsd?.pool ?? "", deployments[0]!.launchFactory];
  return {
    chainId: manifest.chain_id,
    deployments,
    gasStation,
    wrappedNative,
    ethUsd,
    splitters: byAge.map(({ deployment }) => toSplitterSource(deployment)),
    openingFactories: byAge.map(({ deployment }) => deployment.opening_factory.address.toLowerCase()),
    fromBlock: Math.min(...deployments.map((deployment) => deployment.deploymentBlock)),
    fingerprint: createHash("sha256").update(identity.join("|")).digest("hex"),
  };
}

function toSplitterSource(deployment: LaunchDeployment): SplitterSource {
  return {
    factory: deployment.splitter_factory.address.toLowerCase(),
    implementation: deployment.splitter_implementation.address as `0x${string}`,
  };
}

function ethUsdSource(pinned: NonNullable<Manifest["eth_usd"]>, wrappedNative: string): EthUsdSource {
  const nativeIsToken0 = wrappedNative < pinned.stablecoin.address.toLowerCase();
  return {
    pool: pinned.pool.toLowerCase(),
    nativeIsToken0,
    decimals0: nativeIsToken0 ? 18 : pinned.stablecoin_decimals,
    decimals1: nativeIsToken0 ? pinned.stablecoin_decimals : 18,
  };
}
