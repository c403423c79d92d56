// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.

/** The constructor constants of a LaunchFactory with the default start tick. */
export const defaultLaunchConstants = {
  startTick: 203400n,
  sqrtPriceX96IfToken0: 3036166099448723169660105n,
  sqrtPriceX96IfToken1: 2067443456577166328115121124008726n,
  liquidityIfToken0: 38321803801799492990105n,
  liquidityIfToken1: 38321803801799492990105n,
} as const;
