/** What a text has as a series, or why it is none. */
export type ParsedSeries =
  | { values: number[]; fault: null }
  | { values: number[]; fault: { kind: "not_number"; text: string } | { kind: "comma" } };

const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
const shownCharacters = 24;
/** A longer text is read only so far: it has more values than any forecast takes. */
const maxCharacters = 200_000;

/**
 * The values of a pasted text, in order: between them spaces, lines, tabs, commas or semicolons. A number is written with a
 * point; `1,5;2,5` is refused, because it would be read as four values.
 */
export function parseSeries(text: string): ParsedSeries {
  const shown = text.slice(0, maxCharacters);
  // With semicolons or lines between the values and no point in them, a comma between digits is somebody's decimal point.
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
