import type { Guide, Guides } from "./guides.ts";
import { createSlugger, toPlainText } from "./renderGuide.ts";

/** A part of a page: the text below one heading. */
type Part = { path: string; title: string; heading: string; text: string; lowerTitle: string; lowerText: string };
export type SearchResult = { path: string; title: string; heading: string; excerpt: string };

export const maxQueryLength = 100;
const maxWords = 8;
const maxResults = 20;
const excerptLength = 200;

/** The text of all pages is about 500 kB: a search reads it once for each word, in about a millisecond. */
export function createGuideSearch(guides: Pick<Guides, "all">): (query: string) => SearchResult[] {
  const parts = guides.all.flatMap(splitPage);
  return (query) => {
    const words = query.slice(0, maxQueryLength).toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
    if (words.length === 0) return [];
    const found = parts.flatMap((part) => {
      const score = getScore(part, words);
      return score === 0 ? [] : [{ part, score }];
    });
    found.sort((a, b) => b.score - a.score);
    return found.slice(0, maxResults).map(({ part }) => toResult(part, words));
  };
}

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

function toResult({ path, title, heading, text, lowerText }: Part, words: readonly string[]): SearchResult {
  const at = Math.max(0, Math.min(...words.map((word) => lowerText.indexOf(word)).filter((index) => index >= 0)) - 60);
  // At the beginning of a word.
  const start = at === 0 || !Number.isFinite(at) ? 0 : text.indexOf(" ", at) + 1;
  const excerpt = text.slice(start, start + excerptLength).trim();
  return { path, title, heading, excerpt: `${start > 0 ? "… " : ""}${excerpt}…` };
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
    const lowerTitle = `${guide.title} ${heading}`.toLowerCase();
    return { path, title: guide.title, heading, text, lowerTitle, lowerText: text.toLowerCase() };
  });
}
