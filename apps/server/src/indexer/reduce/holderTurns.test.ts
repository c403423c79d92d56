import { expect, test } from "vitest";
import { sumBalanceSteps } from "./holderTurns.ts";

const toSteps = (deltas: readonly number[]) =>
  deltas.map((delta, i) => ({ block: i, time: 60 * i, delta: BigInt(delta) }));

/** The turns of an account with a balance before the batch, one change after the other. */
function countTurns(before: number, deltas: readonly number[]) {
  let balance = before;
  return deltas.flatMap((delta, i) => {
    const had = balance !== 0;
    balance += delta;
    return had === (balance !== 0) ? [] : [{ t: 60 * i, came: !had }];
  });
}

test("has the turns of a balance that was just large enough for the batch", () => {
  for (const deltas of [[5], [-5], [5, -5], [-5, 5], [3, -1, -2, 4], [-2, 1, -1, -1, 2], [0], [0, 1], [1, 0, -1], []]) {
    const sums = deltas.map((_, i) => deltas.slice(0, i + 1).reduce((sum, delta) => sum + delta, 0));
    const before = -Math.min(0, ...sums);
    const { delta, lowest, turns } = sumBalanceSteps(toSteps(deltas));
    expect([delta, -lowest, turns], String(deltas)).toEqual([
      BigInt(sums.at(-1) ?? 0),
      BigInt(before),
      countTurns(before, deltas),
    ]);
    // With more tokens, the account never has none.
    expect(countTurns(before + 1, deltas)).toEqual([]);
  }
});
