import { styleText } from "node:util";
import { cleanText, toJsonLine } from "./cleanText.ts";

type Cell = string | number | null | undefined;
/** A column of a table: its title, and the cell of an item. */
export type Column<Item> = readonly [title: string, getCell: (item: Item) => Cell];

/** The used part of a stream of the process. */
export type Sink = { write(text: string): unknown; isTTY?: boolean };

/** Everything that the program prints. Every text is cleaned here, so that no command can forget it. */
export type Output = {
  isJson(): boolean;
  /** Prints a table, or each item as a line of JSON. */
  table<Item>(items: readonly Item[], columns: readonly Column<Item>[]): void;
  /** Prints an item as lines of title and value, or as a line of JSON. */
  fields<Item>(item: Item, columns: readonly Column<Item>[]): void;
  /** Prints one item of a series at once, as one line. */
  line(item: object, cells: readonly Cell[]): void;
  /** Prints lines without a title to standard output, in any mode. */
  plain(lines: readonly string[]): void;
  /** Prints progress to standard error. */
  note(text: string): void;
};

/** Creates the output of one run. Colours only for a terminal, and not with `NO_COLOR` (no-color.org). */
export function createOutput(
  streams: { stdout: Sink; stderr: Sink },
  { isJson, env }: { isJson: () => boolean; env: Readonly<Record<string, string | undefined>> },
): Output {
  const { stdout, stderr } = streams;
  const hasColor = stdout.isTTY === true && !env.NO_COLOR;
  const emphasize = (text: string) => (hasColor ? styleText("bold", text, { validateStream: false }) : text);
  const printJson = (item: unknown) => stdout.write(`${toJsonLine(item)}\n`);
  return {
    isJson,
    table: (items, columns) => {
      if (isJson()) return items.forEach(printJson);
      const rows = items.map((item) => columns.map(([, getCell]) => formatCell(getCell(item))));
      const [header, ...lines] = alignRows([columns.map(([title]) => title), ...rows]);
      stdout.write(`${[emphasize(header!), ...lines].join("\n")}\n`);
    },
    fields: (item, columns) => {
      if (isJson()) return void printJson(item);
      const width = Math.max(...columns.map(([title]) => title.length));
      for (const [title, getCell] of columns)
        stdout.write(`${emphasize(title.padEnd(width))}  ${formatCell(getCell(item))}\n`);
    },
    line: (item, cells) => {
      if (isJson()) printJson(item);
      else stdout.write(`${cells.map(formatCell).join("  ")}\n`);
    },
    plain: (lines) => {
      for (const line of lines) stdout.write(`${cleanText(line)}\n`);
    },
    note: (text) => {
      stderr.write(`${cleanText(text)}\n`);
    },
  };
}

/** Formats a cell; `-` for an unknown value. */
function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined) return "-";
  return cleanText(typeof cell === "number" ? formatNumber(cell) : cell) || "-";
}

/** Formats a number with six significant digits and without an exponent. Machines read `--json`. */
function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toLocaleString("en-US", { maximumSignificantDigits: 6, useGrouping: false });
}

/** Pads every column to its longest cell, in code points. */
function alignRows(rows: readonly (readonly string[])[]): string[] {
  const getWidth = (text: string) => [...text].length;
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => getWidth(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat(widths[column]! - getWidth(cell)))
      .join("  ")
      .trimEnd(),
  );
}
