import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Hex, PublicClient } from "viem";
import type { Config } from "../config.ts";
import type { HeadBlock, SeenHeads, SeenReads } from "./lastSeen.ts";
import type { RpcPool } from "./rpcPool.ts";

export type { HeadBlock };

/** An EIP-1193 request to the pool of endpoints. */
export type RpcRequest = (args: { method: string; params?: readonly unknown[] }) => Promise<unknown>;

/** The pinned manifest, and whether the chain is verified against it. */
export type ManifestState = {
  /** Null if no manifest is configured, or the file's hash is not the pinned hash. */
  manifest: Manifest | null;
  sha256: string | null;
  /** Whether all checks passed at `verifiedAtBlock`, at most three minutes ago. */
  verified: boolean;
  verifiedAtBlock: bigint | null;
  /** For operators: why there is no manifest, or why the chain is not verified. */
  reason: string | null;
  /** Lower-case addresses of gas-station tokens whose own checks failed. */
  disabledGasTokens: ReadonlySet<string>;
};

/**
 * The node's capabilities, learned from its answers: the kinds of transactions that it simulates by `eth_simulateV1`
 * (null: unknown), and the number of consecutive `eth_call`s that failed with a state override and succeeded without.
 */
export type SimulationSupport = { calls: boolean | null; creations: boolean | null; failedOverrides: number };

/** The chain: RPC, the manifest, and learned facts about the node. */
export type Chain = {
  request: RpcRequest;
  /** The pool itself, for batches. */
  rpc: RpcPool;
  /** viem over the same pool of endpoints. */
  client: PublicClient;
  manifestState(): ManifestState;
  heads: SeenHeads;
  seenReads: SeenReads;
  /** Mutable; creation transactions of splitters, by splitter, as last found. Only hints. */
  splitterCreations: Map<Hex, Hex>;
  /** Mutable; written by `simulate` and `readAtHead`. */
  simulationSupport: SimulationSupport;
  close(): Promise<void>;
};

/**
 * Returns the id of the chain that this service serves: the manifest's, else the configured one.
 *
 * @throws SlipwayError `manifest_missing` when neither exists.
 */
export function getServedChainId(runtime: {
  chain: Pick<Chain, "manifestState">;
  config: Pick<Config, "CHAIN_ID">;
}): number {
  const chainId = runtime.chain.manifestState().manifest?.chain_id ?? runtime.config.CHAIN_ID;
  if (chainId === undefined) throw new SlipwayError("manifest_missing");
  return chainId;
}
