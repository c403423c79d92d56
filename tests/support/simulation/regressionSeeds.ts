/** Seeds that failed once, each with the cause; every run includes them. */
export const regressionSeeds: readonly { seed: number; why: string }[] = [
  { seed: 6, why: "a lagging node without the creation transaction made a good splitter unproven" },
  { seed: 36, why: "a gap of hours between two blocks left the reorg window with no block" },
  { seed: 9, why: "a launch that was reorganised away left what its splitter had done before it" },
  { seed: 1, why: "a launch in a later range of one commit dropped the ETH/USD observations of the ranges before" },
  { seed: 0, why: "liquidity that was placed in a pool before its launch was not known" },
  { seed: 12, why: "a node whose log index has holes lost logs of final blocks, also those of a splitter's creation" },
  { seed: 7, why: "a reader of the stream whose rows were pruned in part got the rest without an error" },
  { seed: 21040, why: "after all rows of the outbox were pruned, a cursor of the first moment counted as the newest" },
];
