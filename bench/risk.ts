import { fitGarch, garchDeviations, garchVariance } from "@slipway/quant/volatility/garch";
import { findDataFolder } from "./quant/dataFolder.ts";
import { generatePrices } from "./quant/generatedSeries.ts";
import { type Goal, printGoals, withoutAnchors } from "./quant/goals.ts";
import { readColumns, readHourlyBars } from "./quant/readData.ts";
import { scoreRisk } from "./quant/riskGoals.ts";

/** The benchmark of GARCH(1,1) on DEM/GBP (Fiorentini, Calzolari & Panattoni 1996), and its forecasts of five days. */
const benchmark = { mu: -0.00619041, omega: 0.0107613, alpha: 0.153134, beta: 0.805974, logLikelihood: -1106.6079 };
const deviations = [0.3834, 0.38954, 0.39535, 0.40084, 0.40603];

function measureGarch(folder: string): Goal[] {
  const returns = Float64Array.from(readColumns(folder, "garch/dem2gbp.csv.gz").return_pct!, Number);
  const fit = fitGarch(returns, { isStudent: false });
  if (fit === null) return [{ name: "GARCH DEM/GBP", value: Number.NaN, low: 0 }];
  const within = (name: string, value: number, expected: number, tolerance: number): Goal => {
    return { name, value, low: expected - tolerance, high: expected + tolerance };
  };
  const next = garchVariance(returns, fit).at(-1)!;
  return [
    ...(["mu", "omega", "alpha", "beta"] as const).map((name) =>
      within(`GARCH DEM/GBP ${name}`, fit[name], benchmark[name], 1e-3 * Math.max(Math.abs(benchmark[name]), 0.05)),
    ),
    within("GARCH DEM/GBP log-likelihood", fit.logLikelihood, benchmark.logLikelihood, 1e-3),
    ...garchDeviations(next, fit, 5).map((value, step) =>
      within(`GARCH DEM/GBP deviation, ${step + 1} days`, value, deviations[step]!, 2e-5),
    ),
  ];
}

const folder = findDataFolder();
process.stdout.write(
  folder === null
    ? "No reference data (QUANT_DATA, or ../shared/data beside the checkout): generated prices.\n"
    : `Reference data: ${folder}\n`,
);
process.exitCode = printGoals(
  folder === null
    ? withoutAnchors(scoreRisk(generatePrices(7, 24_000)), /^cold|^one more/)
    : [...measureGarch(folder), ...scoreRisk(readHourlyBars(folder))],
);
