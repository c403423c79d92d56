import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const readText = (path: string) => gunzipSync(readFileSync(path)).toString("utf8");
const toRows = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(","));

/** Reads M4's series by row: `id,value,value...`. */
export function readM4(folder: string, name: string): number[][] {
  const rows = toRows(readText(join(folder, "m4", `${name}.csv.gz`)));
  return rows.map((row) =>
    row
      .slice(1)
      .filter((cell) => cell !== "")
      .map(Number),
  );
}

export type Bars = {
  pair: string;
  time: number[];
  open: number[];
  high: number[];
  low: number[];
  close: number[];
  quoteVolume: number[];
};

/** Reads the hourly bars of 2021 to 2023, by pair. */
export function readHourlyBars(folder: string): Bars[] {
  const names = readdirSync(join(folder, "crypto")).filter((name) => name.endsWith("_USDT-1h.csv.gz"));
  return names.sort().map((name) => {
    const rows = toRows(readText(join(folder, "crypto", name))).slice(1);
    const column = (index: number) => rows.map((row) => Number(row[index]));
    return {
      pair: name.replace("-1h.csv.gz", ""),
      time: column(0),
      open: column(1),
      high: column(2),
      low: column(3),
      close: column(4),
      quoteVolume: rows.map((row) => Number(row[4]) * Number(row[5])),
    };
  });
}

/** Reads the rows of a CSV file with a header, as numbers by column. */
export function readColumns(folder: string, path: string): Record<string, string[]> {
  const [header, ...rows] = toRows(readText(join(folder, path)));
  return Object.fromEntries(header!.map((name, index) => [name, rows.map((row) => row[index]!)]));
}
