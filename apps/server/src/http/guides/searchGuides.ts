import type { Guide } from "./guides.ts";
import type { GuideLanguage } from "./guideTexts.ts";
import { createSlugger, toPlainText } from "./renderGuide.ts";

/** A part of a page: the text below one heading. */
type Part = Omit<SearchResult, "excerpt"> & { text: string; lowerTitle: string; lowerText: string };
export type SearchResult = { path: string; title: string; heading: string; language: GuideLanguage; excerpt: string };

export const maxQueryLength = 100;
const maxWords = 8;
const maxResults = 20;
const excerptLength = 200;

/** The text of all pages is about 500 kB: a search reads it once for each word, in about a millisecond. */
export function createGuideSearch(guides: readonly Guide[]): (query: string) => SearchResult[] {
  const parts = guides.flatMap(splitPage);
  return (query) => {
    const words = toSearchText(query.slice(0, maxQueryLength)).split(/\s+/).filter(Boolean).slice(0, maxWords);
    if (words.length === 0) return [];
    const found = parts.flatMap((part) => {
      const score = getScore(part, words);
      return score === 0 ? [] : [{ part, score }];
    });
    found.sort((a, b) => b.score - a.score);
    return found.slice(0, maxResults).map(({ part }) => toResult(part, words));
  };
}

/** People also search for `comisión` with `comision`. An accented letter has one character before and after. */
const toSearchText = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Every word must occur; a word in the title counts as ten in the text. */
function getScore({ lowerTitle, lowerText }: Part, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inTitle = lowerTitle.includes(word);
    if (!inTitle && !lowerText.includes(word)) return 0;
    score += inTitle ? 10 : 1;
  }
  return score;
}

function toResult({ path, title, heading, language, text, lowerText }: Part, words: readonly string[]): SearchResult {
  const at = Math.max(0, Math.min(...words.map((word) => lowerText.indexOf(word)).filter((index) => index >= 0)) - 60);
  // At the beginning of a word.
  const start = at === 0 || !Number.isFinite(at) ? 0 : text.indexOf(" ", at) + 1;
  const excerpt = text.slice(start, start + excerptLength).trim();
  return { path, title, heading, language, excerpt: `${start > 0 ? "… " : ""}${excerpt}…` };
}

/** Splits a page at its headings, outside of code blocks. */
function splitPage(guide: Guide): Part[] {
  const createId = createSlugger();
  const parts: { heading: string; id: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of guide.text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const marked = isCode ? null : /^#{1,6} (.+)$/.exec(line);
    if (marked === null) {
      parts.at(-1)?.lines.push(line);
      continue;
    }
    const heading = toPlainText(marked[1]!);
    parts.push({ heading, id: createId(heading), lines: [] });
  }
  return parts.map(({ heading, id, lines }, index) => {
    const text = lines
      .join(" ")
      .replace(/[`*|]|\]\([^)]*\)|\[/g, "")
      .replace(/[\s-]{2,}/g, " ");
    const path = index === 0 ? guide.path : `${guide.path}#${id}`;
    const { title, language } = guide;
    const lowerTitle = toSearchText(`${title} ${heading}`);
    return { path, title, heading, language, text, lowerTitle, lowerText: toSearchText(text) };
  });
}
