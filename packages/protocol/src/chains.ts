/** Facts of a chain that do not depend on a deployment. The manifest contains all facts of a deployment. */
type ChainFacts = {
  testnet: boolean;
  /** Transactions also pay for their bytes on a parent chain; a precompile of the node estimates that cost. */
  hasParentChain: boolean;
};

/** The chains that a draft can name. One process serves one of them, or a local chain with the same id. */
export const chainIds = [4663, 46630] as const;

const chains: Readonly<Record<number, ChainFacts>> = {
  4663: { testnet: false, hasParentChain: true },
  46630: { testnet: true, hasParentChain: true },
} satisfies Record<(typeof chainIds)[number], ChainFacts>;

/** Returns the facts of a chain; an unknown chain is a test network without a parent chain. */
export function getChainFacts(chainId: number): ChainFacts {
  return chains[chainId] ?? { testnet: true, hasParentChain: false };
}

/**
 * The ERC-4337 EntryPoints 0.6, 0.7 and 0.8 (eth-infinitism), lower case. Each has one address on every chain, because
 * the deterministic deployer creates the same code (CREATE2); no other code can have the address.
 */
export const entryPoints: ReadonlySet<string> = new Set([
  "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789",
  "0x0000000071727de22e5e9d8baf0edac6f37da032",
  "0x4337084d9e255ff0702461cf8895ce9e3b5ff108",
]);
