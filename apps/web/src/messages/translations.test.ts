import { describe, expect, it } from "vitest";
import { enPages } from "./enPages.ts";
import { esFirst } from "./esFirst.ts";
import { esPages } from "./esPages.ts";
import { messages } from "./messages.ts";

type Text = (...values: never[]) => string;

/** Lists all texts of a language by their path: `trade.review`. */
function listTexts(value: unknown, path: string): [string, string | Text][] {
  if (typeof value === "string" || typeof value === "function") return [[path, value as string | Text]];
  return Object.entries(value as object).flatMap(([name, part]) => listTexts(part, `${path}.${name}`));
}

const english = new Map(listTexts({ ...messages, ...enPages }, ""));
const spanish = new Map(listTexts({ ...esFirst, ...esPages }, ""));
const functions = [...english].filter((entry): entry is [string, Text] => typeof entry[1] === "function");

/** Values of all types that texts take: each shows whether a text contains it. */
const values = [
  [..."abcde"].map((letter) => `«${letter}»`),
  [7_001, 7_002, 7_003, 7_004, 7_005],
  ["buy", "«b»", "«c»"],
  ["sell", "«b»", "«c»"],
  ["«a»", 7_002, "«c»"],
  [7_001, true],
  ["1", "1"],
  [1, 1],
  [0, 0],
];

/** Returns the values that a text contains; null for values of another type. */
function findValues(text: Text, given: readonly unknown[]): unknown[] | null {
  try {
    const shown = String(text(...(given.slice(0, text.length) as never[])));
    return given.slice(0, text.length).filter((each) => /«|7/.test(String(each)) && shown.includes(String(each)));
  } catch {
    return null;
  }
}

describe("the Spanish texts", () => {
  it("are all there, and in the same kind: a text, or a text with values", () => {
    const toKinds = (texts: typeof english) => [...texts].map(([path, text]) => `${path} ${typeof text}`).sort();
    expect(toKinds(spanish)).toEqual(toKinds(english));
  });

  it.each(functions)("%s contains the same values", (path, text) => {
    const translated = spanish.get(path) as Text;
    for (const given of values) expect(findValues(translated, given)).toEqual(findValues(text, given));
  });

  it("address the reader as usted, and use the words of the glossary", () => {
    const wrong = /\b(tu|tus|tú|haz|pulsa|wallets?|fees?|holders?|slippage|trades?)\b/i;
    const shown = [...spanish].flatMap(([path, text]) => (typeof text === "string" ? [`${path}: ${text}`] : []));
    const texts = shown.filter((line) => wrong.test(line.slice(line.indexOf(": "))));
    expect(texts).toEqual([]);
  });
});
