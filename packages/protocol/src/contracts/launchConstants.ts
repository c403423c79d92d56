// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.

/** The constructor constants of a LaunchFactory with the default start tick. */
export const defaultLaunchConstants = {
  startTick: 203200n,
  sqrtPriceX96IfToken0: 3066678542806029913637481n,
  sqrtPriceX96IfToken1: 2046873073838085973375944779044050n,
  liquidityIfToken0: 38706924980797090535873n,
  liquidityIfToken1: 38706924980797090535873n,
} as const;
