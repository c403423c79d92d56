import { binomialCdf } from "../numeric/distributions.ts";
import { christoffersen, kupiec } from "./backtests.ts";
import type { RiskDay } from "./valueAtRiskPath.ts";

/** The accuracy of the forecasts for the last days, each made before its day. Numbers are null below `minDays` days. */
export type Calibration = {
  windowDays: number;
  breaches95: number | null;
  breaches99: number | null;
  expected95: number | null;
  expected99: number | null;
  kupiecP95: number | null;
  kupiecP99: number | null;
  /** The p value of conditional coverage at 95%: the rate of breaches and their independence from the day before. */
  christoffersenP: number | null;
  zone: Zone | null;
};

const windowDays = 250;
const minDays = 100;

/** Which of the days with a known return exceeded the value at risk of `riskLevels[k]`. */
export const findBreaches = (days: readonly RiskDay[], k: number): boolean[] =>
  days
    .filter((each) => !Number.isNaN(each.return))
    .map((each) => each.return < -each.forecast.downside[k]!.valueAtRisk);

/** Backtests of the last 250 days of a path of forecasts. */
export function calibrate(days: readonly RiskDay[]): Calibration {
  const [at95, at99] = [0, 1].map((k) => findBreaches(days, k).slice(-windowDays)) as [boolean[], boolean[]];
  const count = at95.length;
  const nothing = { breaches95: null, breaches99: null, expected95: null, expected99: null };
  const untested = { kupiecP95: null, kupiecP99: null, christoffersenP: null, zone: null };
  if (count < minDays) return { windowDays: count, ...nothing, ...untested };
  const breaches95 = at95.filter(Boolean).length;
  const breaches99 = at99.filter(Boolean).length;
  return {
    windowDays: count,
    breaches95,
    breaches99,
    expected95: 0.05 * count,
    expected99: 0.01 * count,
    kupiecP95: kupiec(breaches95, count, 0.05).pValue,
    kupiecP99: kupiec(breaches99, count, 0.01).pValue,
    christoffersenP: christoffersen(at95, 0.05).conditionalCoverage.pValue,
    zone: trafficLight(breaches99, count).zone,
  };
}

export type Zone = "green" | "yellow" | "red";

/**
 * The zone of the Basel traffic light (Basel Committee 1996) by breaches of the 99% value at risk: yellow from a
 * cumulative probability of 95% under a correct model, red from 99.99%. For 250 days: green to 4, yellow to 9, red from
 * 10.
 */
export function trafficLight(breaches: number, days = 250): { zone: Zone; cumulative: number } {
  const cumulative = binomialCdf(breaches, days, 0.01);
  const rounded = Math.round(cumulative * 1e4) / 1e4;
  return { zone: cumulative < 0.95 ? "green" : rounded < 0.9999 ? "yellow" : "red", cumulative };
}
