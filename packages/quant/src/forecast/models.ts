import type { Priors } from "./forecastMembers.ts";
import type { IntervalModel } from "./intervalScale.ts";
import type { MoveModel } from "./lastValue.ts";
import type { Interval } from "./periods.ts";
import hourly from "./priors/hourly.json" with { type: "json" };
import hours4 from "./priors/hours4.json" with { type: "json" };
import hours12 from "./priors/hours12.json" with { type: "json" };
import moves from "./priors/moves.json" with { type: "json" };
import weekly from "./priors/weekly.json" with { type: "json" };
import { type StoredPrior, toArPrior } from "./priors.ts";

/** The version of the method and its priors: it changes whenever the same input could give other output. */
export const modelVersion = "6";

/** The learned parameters for series of one kind. */
export type EnsembleModel = {
  /** The priors of the regressions by member. */
  priors: Priors;
  /** The scale of the ensemble's errors. */
  intervals: IntervalModel;
  /** The same for series of fewer seasons than `below`, in ascending order. */
  shortIntervals: readonly ShortIntervalModel[];
};

export type ShortIntervalModel = { below: number; intervals: IntervalModel };

export type Models = {
  /** For seasons of a day and a week; learned on hourly series. */
  daily: EnsembleModel;
  /** For four and twelve hours; learned on averages of hourly series. */
  fourHours: EnsembleModel;
  twelveHours: EnsembleModel;
  /** For weekly series. */
  yearly: EnsembleModel;
  /** The scale of moves from a last value. */
  moves: MoveModel;
};

/** The model of an interval; intervals without a model of their own use the model of hours by the role of each lag. */
export function chooseModel(models: Models, interval: Interval): EnsembleModel {
  if (interval === "HOUR_4") return models.fourHours;
  if (interval === "HOUR_12") return models.twelveHours;
  return interval === "WEEK_1" ? models.yearly : models.daily;
}

type Stored = {
  regressions: Record<string, StoredPrior>;
  intervals: IntervalModel;
  shortIntervals?: ShortIntervalModel[];
};

function toModel({ regressions, intervals, shortIntervals = [] }: Stored): EnsembleModel {
  const priors = Object.fromEntries(Object.entries(regressions).map(([name, stored]) => [name, toArPrior(stored)]));
  return { priors, intervals, shortIntervals };
}

/** The models that ship with the package; `npm run quant:train` writes their files. */
export const shippedModels: Models = {
  daily: toModel(hourly),
  fourHours: toModel(hours4),
  twelveHours: toModel(hours12),
  yearly: toModel(weekly),
  moves,
};
