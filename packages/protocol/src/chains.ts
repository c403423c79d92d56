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
