import type { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import type { Bar, BarInterval } from "../../markets/readBars.ts";
import { type BarFault, findBarFault } from "../../markets/screenBars.ts";

/** A fault that prevents the import. The message names the line and the remedy, and quotes nothing of the file. */
export class CsvFault extends Error {
  override readonly name = "CsvFault";
}

const required = ["time", "open", "high", "low", "close", "volume"] as const;
const optional = ["quote_volume", "trades"] as const;

/** Maximum bytes of a line; several times the longest line of eight numbers. */
const maxLineBytes = 1_024;

const explanations: Record<BarFault, string> = {
  not_finite: "a number is too large",
  not_positive: "a price is not above 0",
  impossible: "high, low, open and close contradict each other, or a volume is negative",
  misaligned: "the time is not the start of a bar; --interval sets the length of bars",
  future: "the bar has not ended yet",
  duplicate: "the time equals the previous line's time",
  jump: "the price is far from the last one",
};

/**
 * Reads bars of a file with the header `time,open,high,low,close,volume[,quote_volume,trades]`, times as Unix seconds or
 * RFC 3339 in UTC, ascending.
 *
 * @throws CsvFault at the first line that is not a bar, or whose time does not follow the previous line's time.
 */
export async function* readCsvBars(
  file: Readable,
  { interval, nowSeconds }: { interval: BarInterval; nowSeconds: number },
): AsyncGenerator<{ line: number; bar: Bar }> {
  const parser = file.pipe(
    parse({
      bom: true,
      info: true,
      trim: true,
      skip_empty_lines: true,
      max_record_size: maxLineBytes,
      relax_quotes: false,
    }),
  );
  file.once("error", (error) => parser.destroy(error));
  let header: string[] | null = null;
  let lastTime = Number.NEGATIVE_INFINITY;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const line = info.lines;
      if (header === null) {
        header = parseHeader(record);
        continue;
      }
      const bar = toBar(line, header, record);
      const fault = bar.time === lastTime ? "duplicate" : findBarFault(bar, interval, nowSeconds);
      if (fault !== null) throw new CsvFault(`line ${line}: ${explanations[fault]}`);
      if (bar.time < lastTime)
        throw new CsvFault(`line ${line}: the time precedes the previous line's time; sort the file`);
      lastTime = bar.time;
      yield { line, bar };
    }
  } catch (error) {
    if (error instanceof CsvError) throw toCsvFault(error);
    throw error;
  } finally {
    file.destroy();
  }
  if (header === null) throw new CsvFault(`the file is empty; its first line must be ${required.join(",")}`);
}

function parseHeader(record: readonly string[]): string[] {
  const names = record.map((name) => name.toLowerCase());
  const known = [...required, ...optional];
  const isComplete = required.every((name) => names.includes(name)) && new Set(names).size === names.length;
  if (!isComplete || !names.every((name) => known.some((one) => one === name))) {
    throw new CsvFault(`line 1: the header must be ${required.join(",")}, optionally with ${optional.join(",")}`);
  }
  return names;
}

function toBar(line: number, header: readonly string[], record: readonly string[]): Bar {
  const read = (name: string, parse: (text: string) => number | null) => {
    const value = parse(record[header.indexOf(name)]!);
    if (value === null) throw new CsvFault(`line ${line}: ${name} is not a ${name === "time" ? "time" : "number"}`);
    return value;
  };
  const readOptional = (name: string) =>
    !header.includes(name) || record[header.indexOf(name)] === "" ? null : read(name, parseNumber);
  return {
    time: read("time", parseTime),
    open: read("open", parseNumber),
    high: read("high", parseNumber),
    low: read("low", parseNumber),
    close: read("close", parseNumber),
    volume: read("volume", parseNumber),
    quoteVolume: readOptional("quote_volume"),
    trades: readOptional("trades"),
  };
}

/** Parses decimal digits: `Number` would parse an empty cell as 0. Rejects formulas of spreadsheets. */
function parseNumber(text: string): number | null {
  return /^-?\d{1,30}(\.\d{1,30})?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : null;
}

function parseTime(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.0+)?(Z|\+00:00)$/.test(text)
    ? Date.parse(text) / 1000
    : Number.NaN;
  return Number.isInteger(time) ? time : null;
}

/** Converts the library's error without its text, which quotes the line. */
function toCsvFault(error: CsvError): CsvFault {
  const { lines } = error as CsvError & { lines?: number };
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return new CsvFault(`line ${lines}: it is longer than ${maxLineBytes} bytes, or a quote is not closed`);
  }
  const problem =
    error.code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH" ? "the number of columns is wrong" : "it is not CSV";
  return new CsvFault(`line ${lines ?? "?"}: ${problem}`);
}
