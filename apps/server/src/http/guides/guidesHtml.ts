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

const createPage = (title: string, content: string, query = "") => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Slipway</title>
<link rel="stylesheet" href="/guides/style.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<nav class="links" aria-label="Documentation">
<a class="brand" href="/">Slipway</a>
<a href="/guides">Guides</a>
<a href="/docs">API reference</a>
<a href="/guides/errors">Errors</a>
<a href="/changelog">Changelog</a>
</nav>
<form action="/guides/search" role="search">
<input type="search" name="q" aria-label="Search the guides" placeholder="Search the guides" maxlength="${maxQueryLength}" value="${escapeHtml(query)}" required>
<button>Search</button>
</form>
</header>
<main id="content">
${content}
</main>
<footer class="links"><a href="/guides/terms">Terms</a> · <a href="/llms.txt">llms.txt</a></footer>
</body>
</html>
`;

/** Creates a page of the documentation, with its contents if it has several parts. */
export function createGuidePage(title: string, markdownPath: string, { html, headings }: RenderedGuide): string {
  const parts = headings.filter(({ depth }) => depth === 2);
  const links = parts.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
  const contents = parts.length < 3 ? "" : `<details><summary>Contents</summary><ul>${links.join("")}</ul></details>`;
  const [heading = "", ...rest] = html.split(/(?<=<\/h1>\n)/);
  const source = `<p class="muted"><a href="${escapeHtml(markdownPath)}">This page as Markdown</a></p>`;
  return createPage(title, `${heading}${contents}${rest.join("")}${source}`);
}

type Sections = readonly {
  section: string;
  pages: readonly { name: string; title: string; summary: string }[];
}[];

/** Creates the list of all pages by section. */
export function createIndexPage(sections: Sections): string {
  const blocks = sections.map(({ section, pages }) => {
    const items = pages.map(
      ({ name, title, summary }) =>
        `<li><a href="/guides/${name}">${escapeHtml(title)}</a><br><span class="muted">${escapeHtml(toPlain(summary))}</span></li>`,
    );
    const heading = section === "Optional" ? "Operation and internals" : section;
    return `<h2>${heading}</h2><ul class="pages">${items.join("")}</ul>`;
  });
  return createPage("Guides", `<h1>Guides</h1>${blocks.join("")}`);
}

const toPlain = (markdown: string) => markdown.replace(/[`*]/g, "");

/** Creates the results of a search. */
export function createSearchPage(query: string, results: readonly SearchResult[]): string {
  const items = results.map(({ path, title, heading, excerpt }) => {
    const name = heading === title ? title : `${title}: ${heading}`;
    return `<li><a href="${escapeHtml(path)}">${escapeHtml(name)}</a><br><span class="muted">${escapeHtml(excerpt)}</span></li>`;
  });
  const list =
    results.length === 0 ? "<p>No page has all these words.</p>" : `<ul class="pages">${items.join("")}</ul>`;
  return createPage("Search", `<h1>Search</h1>${list}`, query);
}

/** The page of an unknown path. */
export const notFoundPage = createPage(
  "Page not found",
  '<h1>Page not found</h1><p><a href="/guides">All guides</a></p>',
);
