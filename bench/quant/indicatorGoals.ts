import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ATR, BollingerBands, DonchianChannels, EMA, MACD, RSI } from "trading-signals";
import type { Goal } from "./goals.ts";

const tolerance = 1e-3;

/** One array of a case: `case,indicator,options,series_index,"values"`. */
type Row = { name: string; options: number[]; values: number[] };

/** Parses the published cases by number; inputs first, then outputs, which end with the inputs. */
function readCases(folder: string): Row[][] {
  const text = gunzipSync(readFileSync(join(folder, "indicators", "tulip-untest.csv.gz"))).toString("utf8");
  const rows = [...text.matchAll(/^(\d+),(\w+),([^,]*),\d+,"(.*)"$/gm)].map(([, id, name, options, values]) => ({
    id: id!,
    row: { name: name!, options: options!.split(" ").map(Number), values: values!.split(",").map(Number) },
  }));
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((group) => group.map(({ row }) => row));
}

/** Computes the strategies' indicators from the inputs of a case; null for another indicator. */
function compute([first, ...others]: Row[]): (number | null)[][] | null {
  const { name, options, values } = first!;
  const [a, b, c] = options as [number, number, number];
  const one = (results: (number | null)[]) => [results];
  switch (name) {
    case "rsi": {
      const rsi = new RSI(a);
      return one(values.map((value) => rsi.add(value)));
    }
    case "ema": {
      const ema = new EMA(a);
      return one(values.map((value) => ema.add(value)));
    }
    case "bbands": {
      const bands = new BollingerBands(a, b);
      const results = values.map((value) => bands.add(value));
      return (["lower", "middle", "upper"] as const).map((key) => results.map((result) => result?.[key] ?? null));
    }
    case "macd": {
      const macd = new MACD(new EMA(a), new EMA(b), new EMA(c));
      const results = values.map((value) => macd.add(value));
      return (["macd", "signal", "histogram"] as const).map((key) => results.map((result) => result?.[key] ?? null));
    }
    case "atr": {
      const atr = new ATR(a);
      const low = others[0]!.values;
      const close = others[1]!.values;
      return one(values.map((high, i) => atr.add({ high, low: low[i]!, close: close[i]! })));
    }
    case "max":
    case "min": {
      const channel = new DonchianChannels(a);
      const results = values.map((value) => channel.add({ high: value, low: value }));
      return one(results.map((result) => result?.[name === "max" ? "upper" : "lower"] ?? null));
    }
    default:
      return null;
  }
}

/** Compares the strategies' indicators with published vectors. */
export function scoreIndicators(folder: string): Goal[] {
  let [compared, differing] = [0, 0];
  for (const rows of readCases(folder)) {
    const results = compute(rows);
    if (results === null) continue;
    const outputs = rows.slice(-results.length);
    for (const [k, { values, name }] of outputs.entries()) {
      const computed = results[k]!.slice(-values.length);
      compared++;
      const isEqual = values.every((value, i) => {
        const own = computed[i];
        // The vectors are printed to three decimal places.
        return (
          own !== null && own !== undefined && Math.abs(own - value) <= Math.max(tolerance * Math.abs(value), 6e-4)
        );
      });
      if (!isEqual) {
        differing++;
        process.stderr.write(`${name} ${rows[0]!.options.join(" ")}: ${computed.join()} instead of ${values.join()}\n`);
      }
    }
  }
  return [
    { name: "published vectors of indicators", value: compared, low: 8 },
    { name: "of them, those that differ", value: differing, high: 0 },
  ];
}
