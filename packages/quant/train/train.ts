import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fittingPeriods } from "../src/forecast/periods.ts";
import { toStoredPrior } from "../src/forecast/priors.ts";
import { mean } from "../src/numeric/quantile.ts";
import { learnIntervals } from "./learnIntervals.ts";
import { learnMoves } from "./learnMoves.ts";
import { learnRegressions } from "./learnRegressions.ts";
import { readInput } from "./readSeries.ts";

const usage = `npm run quant:train -- FOLDER [--prices] [--until UNIX_SECONDS] [--out FOLDER]

Learns the forecast's priors and prints the SHA-256 of its input.
FOLDER contains hourly and weekly series, one a row without a header: id,value,value... (hourly*-train.csv, weekly*-train.csv,
or .csv.gz).
With --prices it contains bars with the header time,open,high,low,close,... (*-1h*.csv or .csv.gz); bars at or after --until
are omitted.
`;
const digits = 5;
/** The held-back data to learn intervals: the last `ends` blocks of `horizon` values. */
const kinds = [
  { name: "hourly", source: "hourly", size: 1, interval: "HOUR_1", horizon: 48, ends: 3, blockEnds: [6, 12, 24, 48] },
  { name: "hours4", source: "hourly", size: 4, interval: "HOUR_4", horizon: 12, ends: 3, blockEnds: [3, 6, 12] },
  { name: "hours12", source: "hourly", size: 12, interval: "HOUR_12", horizon: 4, ends: 3, blockEnds: [2, 4] },
  { name: "weekly", source: "weekly", size: 1, interval: "WEEK_1", horizon: 13, ends: 3, blockEnds: [4, 8, 13] },
] as const;
/** The lengths of series of 4 hours; see `shortHours`. */
const shortFourHours = [
  { below: 7, lengths: [24, 36] },
  { below: 14, lengths: [48, 72] },
];
/** The lengths of hourly series by which the intervals of series of fewer seasons than `below` are learned. */
const shortHours = [
  { below: 1.5, lengths: [24, 30] },
  { below: 3, lengths: [36, 54] },
  { below: 5, lengths: [72, 90] },
  { below: 10, lengths: [120, 168] },
  { below: 21, lengths: [240, 336] },
];

const shortLengths = { hourly: shortHours, hours4: shortFourHours, hours12: [], weekly: [] };

/** Means of `size` consecutive values, aligned to the end. */
function averageBlocks(values: readonly number[], size: number): number[] {
  const count = Math.floor(values.length / size);
  const start = values.length - count * size;
  return Array.from({ length: count }, (_, k) => mean(values.slice(start + k * size, start + (k + 1) * size)));
}

const round = (_key: string, value: unknown) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value;

function trainSeries(folder: string, kind: (typeof kinds)[number]) {
  const { files, sha256 } = readInput(folder, new RegExp(`^${kind.source}.*-train\\.csv(\\.gz)?$`));
  const series = files.flatMap((file) => file.series.map((values) => averageBlocks(values, kind.size)));
  const periods = fittingPeriods(kind.interval, Math.max(...series.map((values) => values.length)));
  // Intervals are learned from forecasts whose priors exclude the forecast values.
  const known = series.map((values) => values.slice(0, -kind.horizon * kind.ends));
  const excluding = learnRegressions(known, periods);
  const intervals = learnIntervals(series, { ...kind, lengths: [null] }, excluding);
  const shortIntervals = shortLengths[kind.name].map(({ below, lengths }) => {
    return { below, intervals: learnIntervals(series, { ...kind, lengths }, excluding) };
  });
  const priors = Object.entries(learnRegressions(series, periods));
  const regressions = Object.fromEntries(priors.map(([name, prior]) => [name, toStoredPrior(prior)]));
  return { name: `${kind.name}.json`, sha256, model: { inputSha256: sha256, regressions, intervals, shortIntervals } };
}

function trainMoves(folder: string, until: number) {
  const { files, sha256 } = readInput(folder, /-1h.*\.csv(\.gz)?$/, until);
  const model = learnMoves(files.flatMap((file) => file.series));
  return { name: "moves.json", sha256, model: { inputSha256: sha256, until, ...model } };
}

/** See `usage`. */
function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      prices: { type: "boolean" },
      until: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean" },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || values.help) {
    process.stdout.write(usage);
    return values.help ? 0 : 64;
  }
  const until = Number(values.until ?? Number.MAX_SAFE_INTEGER);
  const out = values.out ?? fileURLToPath(new URL("../src/forecast/priors", import.meta.url));
  const found = values.prices ? [trainMoves(folder, until)] : kinds.map((kind) => trainSeries(folder, kind));
  for (const { name, sha256, model } of found) {
    const text = `${JSON.stringify(model, round)}\n`;
    writeFileSync(`${out}/${name}`, text);
    process.stdout.write(`input sha256 ${sha256}\nwrote ${out}/${name}, ${text.length} bytes\n`);
  }
  return 0;
}

process.exitCode = main();
