import type { Document } from "./readDocuments.ts";

/** The sections of the documentation with the names of their pages; every other page is in the last section. */
const sections: Record<string, readonly string[]> = {
  "Getting started": [
    "quickstart-creator",
    "quickstart-trader",
    "quickstart-data",
    "quickstart-market-data",
    "quickstart-operator",
    "agents",
  ],
  API: [
    "api",
    "trading",
    "openings",
    "catalogue",
    "accounts",
    "market-data",
    "webhooks",
    "pagination",
    "versioning",
    "limits",
  ],
  Streams: ["streams"],
  Errors: ["errors"],
  Feeds: ["feeds"],
  "Terms and meanings": ["models", "glossary", "terms"],
};
const lastSection = "Optional";

/** Groups the pages by section, in the order of the table. */
export function groupDocuments(documents: readonly Document[]): { section: string; pages: Document[] }[] {
  const named = Object.entries(sections).map(([section, names]) => ({
    section,
    pages: names.flatMap((name) => documents.find((each) => each.name === name) ?? []),
  }));
  const listed = new Set(Object.values(sections).flat());
  const others = documents.filter(({ name }) => !listed.has(name));
  return [...named, { section: lastSection, pages: others }].filter(({ pages }) => pages.length > 0);
}

const summary =
  "Slipway is a noncustodial token launchpad and market-data service for an EVM chain. It returns market data and " +
  "unsigned transactions; a wallet signs and sends them.";

/**
 * Creates llms.txt (llmstxt.org): a heading, a summary, and the pages by section.
 *
 * @param toUrl - The URL of the Markdown of a page.
 */
export function createLlmsText(documents: readonly Document[], toUrl: (name: string) => string): string {
  const blocks = groupDocuments(documents).map(({ section, pages }) => {
    const links = pages.map((page) => `- [${page.title}](${toUrl(page.name)}): ${page.summary}`);
    return `## ${section}\n\n${links.join("\n")}\n`;
  });
  return `# Slipway\n\n> ${summary}\n\n${blocks.join("\n")}`;
}

/** Creates llms-full.txt: the text of all pages in the order of llms.txt. */
export const createLlmsFullText = (documents: readonly Document[]): string =>
  groupDocuments(documents)
    .flatMap(({ pages }) => pages.map(({ text }) => text.trim()))
    .join("\n\n---\n\n")
    .concat("\n");
