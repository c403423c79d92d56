import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { PublicClient } from "viem";
import type { Config } from "../config.ts";
import type { RpcPool } from "./rpcPool.ts";

/** An EIP-1193 request against the pool of endpoints. */
export type RpcRequest = (args: { method: string; params?: readonly unknown[] }) => Promise<unknown>;

/** What is known of the manifest: its content once read and pinned, and whether the chain was proven against it. */
export type ManifestState = {
  manifest: Manifest | null;
  sha256: string | null;
  /** The file's hash equals MANIFEST_SHA256. */
  pinned: boolean;
  /** Every check held at `verifiedAtBlock`, at most a few minutes ago. */
  verified: boolean;
  verifiedAtBlock: bigint | null;
  /** Why it is not pinned or not verified, for an operator. */
  reason: string | null;
  /** Lower-case addresses of gas-station tokens whose own checks failed. */
  disabledGasTokens: ReadonlySet<string>;
};

/** The chain as the rest of the server sees it. */
export type Chain = {
  request: RpcRequest;
  /** The pool itself, for the indexer's batches. */
  rpc: RpcPool;
  /** viem over the same pool of endpoints. */
  client: PublicClient;
  manifestState(): ManifestState;
  close(): Promise<void>;
};

/**
 * The chain whose data this service shows: the manifest's, or the configured one.
 *
 * @throws SlipwayError `manifest_missing` when neither names one.
 */
export function getServedChainId(runtime: {
  chain: Pick<Chain, "manifestState">;
  config: Pick<Config, "CHAIN_ID">;
}): number {
  const chainId = runtime.chain.manifestState().manifest?.chain_id ?? runtime.config.CHAIN_ID;
  if (chainId === undefined) throw new SlipwayError("manifest_missing");
  return chainId;
}
