import { arMembers } from "../src/forecast/arDesigns.ts";
import type { Priors } from "../src/forecast/forecastMembers.ts";
import type { ArPrior } from "../src/forecast/hierarchicalAr.ts";
import { firstRow } from "../src/forecast/hierarchicalAr.ts";
import type { Periods } from "../src/forecast/periods.ts";
import { standardise, takeChanges } from "../src/forecast/transform.ts";
import { learnPrior } from "./expectationMaximization.ts";

const maxWindows = 4;

/** The last windows of a length, without overlap. */
function cutWindows(values: readonly number[], length: number): number[][] {
  const count = Math.min(maxWindows, Math.floor(values.length / length));
  return Array.from({ length: count }, (_, k) => values.slice(values.length - (k + 1) * length).slice(0, length));
}

/** Learns the prior of every regression whose design fits one of these periods. */
export function learnRegressions(series: readonly number[][], periods: Periods): Priors {
  const found: Record<string, ArPrior> = {};
  for (const member of arMembers) {
    const design = member.design(periods) ?? member.design({ ...periods, cycle: null });
    if (design === null) continue;
    const length = member.windowSeasons === undefined ? null : member.windowSeasons * (periods.season ?? 1);
    const usable = (length === null ? series : series.flatMap((values) => cutWindows(values, length))).filter(
      (values) => !member.isLog || values.every((value) => value > 0),
    );
    const scaled = usable.map((values) => {
      const scale = standardise(values, member.isLog);
      return member.isOfChanges ? takeChanges(scale).values : scale.values;
    });
    const long = scaled.filter((values) => values.length > 2 * firstRow(design));
    if (long.length > 0) found[member.name] = learnPrior(long, design);
  }
  return found;
}
