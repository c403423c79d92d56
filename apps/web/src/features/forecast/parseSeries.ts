/** The values of a text, or the reason why it is not a series. */
export type ParsedSeries =
  | { values: number[]; fault: null }
  | { values: number[]; fault: { kind: "not_number"; text: string } | { kind: "comma" } };

const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
const shownCharacters = 24;
/** Characters that are parsed. They contain more values than any forecast accepts. */
const maxCharacters = 200_000;

/**
 * Parses pasted values in order, separated by spaces, line breaks, tabs, commas or semicolons. The decimal separator is
 * a point; `1,5;2,5` is rejected, because it would parse as four values.
 */
export function parseSeries(text: string): ParsedSeries {
  const shown = text.slice(0, maxCharacters);
  // A comma between digits is a decimal comma if semicolons or lines separate the values and no point occurs.
  if (!shown.includes(".") && /\d,\d/.test(shown) && /;|\d,\d+\s*\n\s*[+-]?\d+,\d/.test(shown))
    return { values: [], fault: { kind: "comma" } };
  const values: number[] = [];
  for (const part of shown.split(/[\s,;]+/)) {
    if (part === "") continue;
    const value = Number(part);
    if (!number.test(part) || !Number.isFinite(value)) {
      return { values, fault: { kind: "not_number", text: part.slice(0, shownCharacters) } };
    }
    values.push(value);
  }
  return { values, fault: null };
}
