import { describe, expect, it } from "vitest";
import { createGuides, type Guide } from "./guides.ts";
import { guideTexts } from "./guideTexts.ts";

const guides = createGuides();
const translated = guides.list("es").filter(({ language }) => language === "es");
const pairs = translated.map((spanish) => [spanish.name, spanish, guides.findTranslation(spanish)!] as const);

/** Returns the structure that a page and its translation share. A difference shows that the translation is out of date. */
function describeStructure({ text }: Guide) {
  const blocks = [...text.matchAll(/^```[\s\S]*?^```$/gm)].map(([block]) => block);
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  const lines = prose.split("\n");
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, href]) => href!.replace(/^(\.\.\/)+/, "").split("#")[0]!,
  );
  const numbers = prose.replace(/`[^`]*`|\]\([^)]*\)/g, "").match(/\d[\d,.]*\d|\d/g) ?? [];
  return {
    headings: lines.flatMap((line) => /^#+(?= )/.exec(line)?.[0] ?? []),
    code: [...prose.matchAll(/`[^`]+`/g)].map(([code]) => code).sort(),
    links: links.sort(),
    numbers: numbers.sort(),
    bold: [...prose.matchAll(/\*\*[^*]+\*\*/g)].length,
    rows: count(/^\|/),
    items: count(/^\s*(-|\d+\.) /),
    blocks,
  };
}

describe("the Spanish guides", () => {
  it("are the pages with which creators, traders and readers of the data begin", () => {
    expect(translated.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "quickstart-creator",
        "quickstart-trader",
        "quickstart-data",
        "terms",
        "models",
        "openings",
      ]),
    );
  });

  it.each(pairs)(
    "%s has the headings, rows, items, numbers, code and links of the English page",
    (_, spanish, english) => {
      expect(describeStructure(spanish)).toEqual(describeStructure(english));
    },
  );

  it.each(pairs)("%s has a title and a summary of its own", (_, spanish, english) => {
    expect(spanish.title).not.toBe(english.title);
    expect(spanish.summary).not.toBe(english.summary);
    expect(spanish.summary).not.toBe(spanish.title);
  });

  it("address the reader as usted, and use the words of the site", () => {
    const wrong = /\b(tu|tus|tú|haz|pulsa|wallets?|fees?|holders?|slippage|trades?|traders?)\b/i;
    const lines = translated.flatMap(({ name, text }) =>
      text
        .replace(/^```[\s\S]*?^```$/gm, "")
        .replace(/`[^`]*`|\]\([^)]*\)/g, "")
        .split("\n")
        .filter((line) => wrong.test(line))
        .map((line) => `${name}: ${line}`),
    );
    expect(lines).toEqual([]);
  });

  it("have a name for every section of the list", () => {
    const names = guides.getSections("es").map(({ section }) => section);
    expect(Object.values(guideTexts.es.sections)).toEqual(expect.arrayContaining(names));
  });
});
