import { findDataFolder } from "./quant/dataFolder.ts";
import { generatePrices } from "./quant/generatedSeries.ts";
import { printGoals, withoutAnchors } from "./quant/goals.ts";
import { scoreIndicators } from "./quant/indicatorGoals.ts";
import { readHourlyBars } from "./quant/readData.ts";
import { scoreSignals } from "./quant/signalGoals.ts";

const folder = findDataFolder();
process.stdout.write(
  folder === null
    ? "No reference data (QUANT_DATA, or ../shared/data beside the checkout): generated prices.\n"
    : `Reference data: ${folder}\n`,
);
process.exitCode = printGoals(
  folder === null
    ? withoutAnchors(scoreSignals(generatePrices(7, 24_000)), /10,000|other code$/)
    : [...scoreIndicators(folder), ...scoreSignals(readHourlyBars(folder))],
);
