// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.

/** What a LaunchFactory of the default start tick is deployed with. */
export const defaultLaunchConstants = {
  startTick: 203200n,
  sqrtPriceX96IfToken0: 3066678542806029913637481n,
  sqrtPriceX96IfToken1: 2046873073838085973375944779044050n,
  liquidityIfToken0: 38706924980797090535873n,
  liquidityIfToken1: 38706924980797090535873n,
} as const;
