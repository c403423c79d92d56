import { readFileSync } from "node:fs";
import { join } from "node:path";
import { groupDocuments } from "@slipway/mcp/documentSections";
import { listErrorDocuments, readAllDocuments } from "@slipway/mcp/errorDocuments";
import { type Document, parseDocument, readDocuments } from "@slipway/mcp/readDocuments";
import { type GuideLanguage, guideTexts } from "./guideTexts.ts";
import { type RenderedGuide, renderGuide } from "./renderGuide.ts";

/** A served page. `path` is its URL without `.md`. */
export type Guide = Document & { path: string; language: GuideLanguage };

export type Guides = {
  /** The English pages that llms.txt lists. */
  documents: readonly Document[];
  /** The pages that a search in a language finds: those in the language, and in place of a missing one the English page. */
  list(language: GuideLanguage): readonly Guide[];
  /** The pages of a language by section; a page without a translation is in English. */
  getSections(language: GuideLanguage): readonly { section: string; pages: readonly Guide[] }[];
  find(path: string): Guide | null;
  /** Returns the same page in the other language; null without one. */
  findTranslation(guide: Guide): Guide | null;
  /** Renders a page once. */
  render(guide: Guide): RenderedGuide;
  /** Returns the Markdown of a page with links to served pages. */
  toMarkdown(guide: Guide): string;
};

const repositoryRoot = join(import.meta.dirname, "../../../../..");

/** Reads the pages of the documentation, with those that are made from the error table, and the changelog. */
export function createGuides(): Guides {
  const documents = readAllDocuments();
  const english: Guide[] = [
    ...documents.map((document) => toGuide(document, "en", "/guides")),
    ...listErrorDocuments().map((document) => toGuide(document, "en", "/guides/errors")),
    toGuide(parseDocument("changelog", readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8")), "en", ""),
  ];
  const spanish = readDocuments(join(repositoryRoot, "docs/es")).map((document) =>
    toGuide(document, "es", guideTexts.es.root),
  );
  const byPath = new Map([...english, ...spanish].map((guide) => [guide.path, guide]));
  const rendered = new Map<string, RenderedGuide>();
  const find = (path: string) => byPath.get(path) ?? null;
  const findTranslation = ({ path, language }: Guide) => {
    const [from, to] =
      language === "en" ? (["/guides/", "/guides/es/"] as const) : (["/guides/es/", "/guides/"] as const);
    return path.startsWith(from) ? find(path.replace(from, to)) : null;
  };
  const inLanguage = (guide: Guide, language: GuideLanguage) =>
    (guide.language === language ? null : findTranslation(guide)) ?? guide;
  const list = (language: GuideLanguage) => english.map((guide) => inLanguage(guide, language));

  return {
    documents,
    list,
    getSections: (language) =>
      groupDocuments(documents).map(({ section, pages }) => ({
        section: guideTexts[language].sections[section] ?? section,
        pages: pages.map(({ name }) => inLanguage(find(`/guides/${name}`)!, language)),
      })),
    find,
    findTranslation,
    render: (guide) => {
      const found = rendered.get(guide.path);
      if (found !== undefined) return found;
      const { table } = guideTexts[guide.language];
      const page = renderGuide(guide.text, (href) => resolveLink(href, guide, find, ""), table);
      rendered.set(guide.path, page);
      return page;
    },
    toMarkdown: (guide) =>
      guide.text.replace(/\[([^\][]*)\]\(([^()\s]+)\)/g, (_, text: string, href: string) => {
        const url = resolveLink(href, guide, find, ".md");
        return url === null ? text : `[${text}](${url})`;
      }),
  };
}

const toGuide = (document: Document, language: GuideLanguage, folder: string): Guide => ({
  ...document,
  path: `${folder}/${document.name}`,
  language,
});

/**
 * Resolves a link of a page: to a part of the page, to another site, or to a page that is served. Other files of the
 * repository are not served.
 *
 * @param suffix - `.md` for links between the Markdown forms of pages.
 */
function resolveLink(href: string, guide: Guide, find: Guides["find"], suffix: "" | ".md"): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  const [target = "", part] = href.split("#");
  if (!target.endsWith(".md")) return target.startsWith("/") && !target.startsWith("//") ? href : null;
  // All pages of the repository's folder `docs` are in `/guides`; pages of error codes and translations are one folder below.
  const name = target.replace(/^(\.\.?\/)*(docs\/)?/, "").slice(0, -".md".length);
  const isUp = target.startsWith("../");
  const isBelow = guide.path.startsWith("/guides/errors/") || guide.language !== "en";
  const folder = guide.language === "en" || isUp ? "/guides" : guideTexts[guide.language].root;
  const path = name === "CHANGELOG" ? "/changelog" : `${folder}/${name}`;
  if ((isUp && !isBelow && path !== "/changelog") || find(path) === null) return null;
  return `${path}${suffix}${part === undefined ? "" : `#${part}`}`;
}
