import { Marked, type Tokens } from "marked";

export type Heading = { id: string; text: string; depth: number };
export type RenderedGuide = { html: string; headings: Heading[] };

/** Returns the URL of a link of a page; null for a target that is not served, whose text is shown without a link. */
export type ResolveLink = (href: string) => string | null;

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Renders Markdown to HTML. HTML in the Markdown is shown as text, and links have only the schemes of `ResolveLink`.
 * Headings have the ids that code hosts give them, so that links to a part of a page work in both places.
 *
 * @param tableName - The name of a table for screen readers.
 */
export function renderGuide(markdown: string, resolveLink: ResolveLink, tableName = "Table"): RenderedGuide {
  const headings: Heading[] = [];
  const createId = createSlugger();
  const marked = new Marked({
    gfm: true,
    async: false,
    renderer: {
      heading({ tokens, depth, text }) {
        const plain = toPlainText(text);
        const id = createId(plain);
        headings.push({ id, text: plain, depth });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return escapeHtml(text);
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const url = resolveLink(href);
        return url === null ? text : `<a href="${escapeHtml(url)}">${text}</a>`;
      },
      // The pages show no pictures: their texts describe them.
      image({ text }) {
        return escapeHtml(text);
      },
    },
  });
  const html = (marked.parse(markdown) as string)
    // A wide table scrolls by itself, also with the keyboard, so that the page does not.
    .replaceAll("<table>", `<div class="scroll" tabindex="0" role="region" aria-label="${tableName}"><table>`)
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
  return { html, headings };
}

/** Removes the marks of Markdown from the text of a heading. */
export const toPlainText = (text: string) =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .trim();

/** Creates the function that derives the id of a heading, with a number if an earlier heading has the same id. */
export function createSlugger(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}
