import { readFileSync } from "node:fs";
import { join } from "node:path";
import { groupDocuments } from "@slipway/mcp/documentSections";
import { listErrorDocuments, readAllDocuments } from "@slipway/mcp/errorDocuments";
import { type Document, parseDocument } from "@slipway/mcp/readDocuments";
import { type RenderedGuide, renderGuide } from "./renderGuide.ts";

/** A served page. `path` is its URL without `.md`. */
export type Guide = Document & { path: string };

export type Guides = {
  /** The pages that llms.txt lists. */
  documents: readonly Document[];
  all: readonly Guide[];
  sections: readonly { section: string; pages: readonly Document[] }[];
  find(path: string): Guide | null;
  /** Renders a page once. */
  render(guide: Guide): RenderedGuide;
  /** Returns the Markdown of a page with links to served pages. */
  toMarkdown(guide: Guide): string;
};

const changelogPath = join(import.meta.dirname, "../../../../../CHANGELOG.md");

/** Reads the pages of the documentation, with those that are made from the error table, and the changelog. */
export function createGuides(): Guides {
  const documents = readAllDocuments();
  const all: Guide[] = [
    ...documents.map((document) => ({ ...document, path: `/guides/${document.name}` })),
    ...listErrorDocuments().map((document) => ({ ...document, path: `/guides/errors/${document.name}` })),
    { ...parseDocument("changelog", readFileSync(changelogPath, "utf8")), path: "/changelog" },
  ];
  const byPath = new Map(all.map((guide) => [guide.path, guide]));
  const rendered = new Map<string, RenderedGuide>();
  const find = (path: string) => byPath.get(path) ?? null;

  return {
    documents,
    all,
    sections: groupDocuments(documents),
    find,
    render: (guide) => {
      const found = rendered.get(guide.path);
      if (found !== undefined) return found;
      const page = renderGuide(guide.text, (href) => resolveLink(href, guide, find, ""));
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
  // All pages of the repository's folder `docs` are in `/guides`; pages of error codes are one folder below.
  const name = target.replace(/^(\.\.?\/)*(docs\/)?/, "").slice(0, -".md".length);
  const isOutside = /^(\.\.\/)/.test(target) && !guide.path.startsWith("/guides/errors/");
  const path = name === "CHANGELOG" ? "/changelog" : `/guides/${name}`;
  if ((isOutside && path !== "/changelog") || find(path) === null) return null;
  return `${path}${suffix}${part === undefined ? "" : `#${part}`}`;
}
