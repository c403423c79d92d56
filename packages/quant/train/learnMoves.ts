import { centralLevels, getSteps, type MoveModel, moveFeatures, toMove } from "../src/forecast/lastValue.ts";
import { quantileSorted, toSorted } from "../src/numeric/quantile.ts";
import { fitLeastSquares } from "./leastSquares.ts";

const horizons = [1, 2, 3, 6, 12, 24, 48, 96, 192, 256];
const windowLength = 960;
const stride = 61;
const moveFloor = 0.02;

type Case = { features: number[]; ratio: number; horizonIndex: number };

function collectCases(series: readonly number[][]): Case[] {
  const cases: Case[] = [];
  for (const values of series)
    for (let end = windowLength; end < values.length; end += stride) {
      const window = values.slice(end - windowLength, end);
      const steps = getSteps(window);
      for (const [horizonIndex, h] of horizons.entries()) {
        const actual = values[end - 1 + h];
        const found = moveFeatures(steps, windowLength - 1, h);
        if (actual === undefined || found === null) continue;
        const move = Math.abs(toMove(window[windowLength - 1]!, actual, steps.isLog));
        cases.push({ features: found.features, ratio: move / found.unit, horizonIndex });
      }
    }
  return cases;
}

/** Learns the scale of moves from a last value by regression of log |move|, and the quantiles of |move| / scale. */
export function learnMoves(series: readonly number[][]): MoveModel {
  const cases = collectCases(series);
  const coefficients = fitLeastSquares(
    cases.map(({ features }) => features),
    cases.map(({ ratio }) => Math.log(Math.max(ratio, moveFloor))),
  );
  const model: MoveModel = { coefficients, horizons, multipliers: [] };
  const ratios = horizons.map(() => [] as number[]);
  for (const { features, ratio, horizonIndex } of cases) {
    let sum = 0;
    for (const [i, feature] of features.entries()) sum += coefficients[i]! * feature;
    ratios[horizonIndex]!.push(ratio / Math.exp(sum));
  }
  model.multipliers = ratios.map((each) => {
    const sorted = toSorted(each);
    return centralLevels.map((level) => quantileSorted(sorted, level));
  });
  return model;
}
