import type { Guide } from "./guides.ts";
import { type GuideLanguage, guideTexts } from "./guideTexts.ts";
import { escapeHtml, type RenderedGuide } from "./renderGuide.ts";
import { maxQueryLength, type SearchResult } from "./searchGuides.ts";

/** The pages load their style sheet and nothing else, and run no script. */
export const guidesPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(";");

type Page = {
  language: GuideLanguage;
  title: string;
  content: string;
  /** The path of the page in the other language. */
  otherPath: string;
  query?: string;
};

function createPage({ language, title, content, otherPath, query = "" }: Page): string {
  const text = guideTexts[language];
  const other = language === "en" ? "es" : "en";
  const inEnglish = language === "en" ? "" : ' hreflang="en"';
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Slipway</title>
<link rel="stylesheet" href="/guides/style.css">
</head>
<body>
<a class="skip" href="#content">${text.skip}</a>
<header>
<nav class="links" aria-label="${text.documentation}">
<a class="brand" href="/">Slipway</a>
<a href="${text.root}">${text.guides}</a>
<a href="/docs"${inEnglish}>${text.reference}</a>
<a href="/guides/errors"${inEnglish}>${text.errors}</a>
<a href="/changelog"${inEnglish}>${text.changelog}</a>
<a href="${escapeHtml(otherPath)}" hreflang="${other}" lang="${other}">${text.other}</a>
</nav>
<form action="${text.root}/search" role="search">
<input type="search" name="q" aria-label="${text.searchLabel}" placeholder="${text.searchLabel}" maxlength="${maxQueryLength}" value="${escapeHtml(query)}" required>
<button>${text.search}</button>
</form>
</header>
<main id="content">
${content}
</main>
<footer class="links"><a href="${text.root}/terms">${text.terms}</a> · <a href="/llms.txt">llms.txt</a></footer>
</body>
</html>
`;
}

/**
 * Creates a page of the documentation, with its contents if it has several parts.
 *
 * @param otherPath - The path of its translation, or of the list of the guides in the other language.
 */
export function createGuidePage(
  { title, path, language }: Guide,
  { html, headings }: RenderedGuide,
  otherPath: string,
): string {
  const text = guideTexts[language];
  const parts = headings.filter(({ depth }) => depth === 2);
  const links = parts.map(({ id, text: name }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(name)}</a></li>`);
  const contents =
    parts.length < 3 ? "" : `<details><summary>${text.contents}</summary><ul>${links.join("")}</ul></details>`;
  const [heading = "", ...rest] = html.split(/(?<=<\/h1>\n)/);
  const source = `<p class="muted"><a href="${escapeHtml(`${path}.md`)}">${text.asMarkdown}</a></p>`;
  return createPage({ language, title, content: `${heading}${contents}${rest.join("")}${source}`, otherPath });
}

type Listed = Pick<Guide, "path" | "title" | "language"> & { summary: string };

/** Creates an entry of a list of pages; an entry in another language than the list is marked with its language. */
function createEntry({ path, title, language, summary }: Listed, listLanguage: GuideLanguage): string {
  const isOther = language !== listLanguage;
  const mark = isOther ? ` <span class="muted">(${guideTexts[listLanguage].inEnglish})</span>` : "";
  const lang = isOther ? ` lang="${language}"` : "";
  const link = `<a href="${escapeHtml(path)}"${isOther ? ` hreflang="${language}"${lang}` : ""}>${escapeHtml(title)}</a>`;
  return `<li>${link}${mark}<br><span class="muted"${lang}>${escapeHtml(summary)}</span></li>`;
}

type Sections = readonly { section: string; pages: readonly Listed[] }[];

/** Creates the list of all pages by section. */
export function createIndexPage(sections: Sections, language: GuideLanguage): string {
  const text = guideTexts[language];
  const blocks = sections.map(({ section, pages }) => {
    const items = pages.map((page) => createEntry({ ...page, summary: toPlain(page.summary) }, language));
    return `<h2>${section}</h2><ul class="pages">${items.join("")}</ul>`;
  });
  const content = `<h1>${text.guides}</h1>${blocks.join("")}`;
  return createPage({ language, title: text.guides, content, otherPath: getOtherRoot(language) });
}

const toPlain = (markdown: string) => markdown.replace(/[`*]/g, "");

/** Returns the root of the guides in the other language. */
export const getOtherRoot = (language: GuideLanguage): string => guideTexts[language === "en" ? "es" : "en"].root;

/** Creates the results of a search. */
export function createSearchPage(query: string, results: readonly SearchResult[], language: GuideLanguage): string {
  const text = guideTexts[language];
  const items = results.map(({ path, title, heading, excerpt, language: of }) => {
    const name = heading === title ? title : `${title}: ${heading}`;
    return createEntry({ path, title: name, language: of, summary: excerpt }, language);
  });
  const list = results.length === 0 ? `<p>${text.noResults}</p>` : `<ul class="pages">${items.join("")}</ul>`;
  const content = `<h1>${text.search}</h1>${list}`;
  return createPage({ language, title: text.search, content, otherPath: getOtherRoot(language), query });
}

/** Creates the page of an unknown path. */
export function createNotFoundPage(language: GuideLanguage): string {
  const { notFound, allGuides, root } = guideTexts[language];
  const content = `<h1>${notFound}</h1><p><a href="${root}">${allGuides}</a></p>`;
  return createPage({ language, title: notFound, content, otherPath: getOtherRoot(language) });
}
