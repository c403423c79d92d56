import { bucketStart } from "@slipway/protocol/candle";
import type { BalanceStep } from "../indexState.ts";

/** A minute in which an account came to have tokens at the end of a block, or had none any more. */
export type HolderTurn = { t: number; came: boolean };

/** The changes of one balance in a batch. */
export type BalanceSums = {
  delta: bigint;
  /** The lowest sum of the first changes; zero or less, because the sum of no change is zero. */
  lowest: bigint;
  /** The turns of an account whose balance before the batch is `-lowest`. An account with more tokens has none. */
  turns: HolderTurn[];
};

/**
 * Sums the changes of a balance without knowing the balance before them. A balance is never negative, so it can only be
 * zero where the sum is lowest. PostgreSQL compares one balance for each account instead of one for each change.
 *
 * @param steps - In the order of blocks, one for each block.
 */
export function sumBalanceSteps(steps: readonly BalanceStep[]): BalanceSums {
  let delta = 0n;
  let lowest = 0n;
  for (const step of steps) {
    delta += step.delta;
    if (delta < lowest) lowest = delta;
  }
  const turns: HolderTurn[] = [];
  let sum = 0n;
  let hadTokens = lowest !== 0n;
  for (const step of steps) {
    sum += step.delta;
    const hasTokens = sum !== lowest;
    if (hasTokens !== hadTokens) turns.push({ t: bucketStart(step.time, 60), came: hasTokens });
    hadTokens = hasTokens;
  }
  return { delta, lowest, turns };
}
