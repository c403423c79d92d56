import type { Priors } from "./forecastMembers.ts";
import type { IntervalModel } from "./intervalScale.ts";
import type { MoveModel } from "./lastValue.ts";
import hourly from "./priors/hourly.json" with { type: "json" };
import moves from "./priors/moves.json" with { type: "json" };
import weekly from "./priors/weekly.json" with { type: "json" };
import { type StoredPrior, toArPrior } from "./priors.ts";

/** The version of the method and its priors: it changes whenever the same input could give other output. */
export const modelVersion = "1";

/** The learned parameters for series of one kind. */
export type EnsembleModel = {
  /** The priors of the regressions by member. */
  priors: Priors;
  /** The scale of the ensemble's errors. */
  intervals: IntervalModel;
};

export type Models = {
  /** For seasons of a day and a week; learned on hourly series. */
  daily: EnsembleModel;
  /** For weekly series. */
  yearly: EnsembleModel;
  /** The scale of moves from a last value. */
  moves: MoveModel;
};

type Stored = { regressions: Record<string, StoredPrior>; intervals: IntervalModel };

function toModel({ regressions, intervals }: Stored): EnsembleModel {
  const priors = Object.fromEntries(Object.entries(regressions).map(([name, stored]) => [name, toArPrior(stored)]));
  return { priors, intervals };
}

/** The models that ship with the package; `npm run quant:train` writes their files. */
export const shippedModels: Models = { daily: toModel(hourly), yearly: toModel(weekly), moves };
