import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Hex, PublicClient } from "viem";
import type { Config } from "../config.ts";
import type { HeadBlock, SeenHeads, SeenReads } from "./lastSeen.ts";
import type { RpcPool } from "./rpcPool.ts";

export type { HeadBlock };

/** An EIP-1193 request against the pool of endpoints. */
export type RpcRequest = (args: { method: string; params?: readonly unknown[] }) => Promise<unknown>;

/** The pinned manifest, and whether the chain is verified against it. */
export type ManifestState = {
  /** Null when none is configured, and for a file whose hash is not the pinned one. */
  manifest: Manifest | null;
  sha256: string | null;
  /** Every check passed at `verifiedAtBlock`, at most three minutes ago. */
  verified: boolean;
  verifiedAtBlock: bigint | null;
  /** For an operator: why there is none, or why the chain is not verified. */
  reason: string | null;
  /** Lower-case addresses of gas-station tokens whose own checks failed. */
  disabledGasTokens: ReadonlySet<string>;
};

/**
 * What the node supports, learned from its answers: which kinds of transaction it simulates by `eth_simulateV1` (null:
 * not known yet), and how often in succession an `eth_call` with a state override failed where one without it succeeded.
 */
export type SimulationSupport = { calls: boolean | null; creations: boolean | null; failedOverrides: number };

/** The chain: RPC, the manifest, and what is learned about the node. */
export type Chain = {
  request: RpcRequest;
  /** The pool itself, for batches. */
  rpc: RpcPool;
  /** viem over the same pool of endpoints. */
  client: PublicClient;
  manifestState(): ManifestState;
  heads: SeenHeads;
  seenReads: SeenReads;
  /** Mutable; transactions that created splitters, by the splitter, as they were found before. Only hints. */
  splitterCreations: Map<Hex, Hex>;
  /** Mutable; written by `simulate` and `readAtHead`. */
  simulationSupport: SimulationSupport;
  close(): Promise<void>;
};

/**
 * Returns the id of the chain that this service serves: the manifest's, else the configured one.
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
