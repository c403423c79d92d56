import { addFirstPaint, type FirstPaint } from "./firstPaint.ts";
import type { Site } from "./loadSite.ts";

/** The content of one page's HTML besides the template. */
export type PageContent = {
  title: string;
  description: string;
  /** The page's URL, below the origin of SITE_URL. */
  url?: string;
  /** The picture that other sites show beside a link to the page. */
  image?: string;
  /** The files that the page loads first. */
  files: readonly string[];
  /** First answers of the API by operation, so that the page renders without a request. */
  answers: readonly FirstAnswer[];
  /** The path to render on the server; undefined for a page that only its scripts render. */
  paintedPath?: string;
};

type FirstAnswer = { operation: string; input: unknown; json: Buffer };

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character]!);

/** Escapes JSON for a script element: without `<`, its texts cannot end the element or begin a comment. */
const escapeJson = (json: string) => json.replaceAll("<", "\\u003c");

const meta = (kind: "name" | "property", name: string, content: string | undefined) =>
  content === undefined ? "" : `<meta ${kind}="${name}" content="${escapeHtml(content)}">`;

/** Writes first answers as the JSON text that the site reads. */
export const toAnswersJson = (answers: readonly FirstAnswer[]): string =>
  `[${answers
    .map(
      ({ operation, input, json }) =>
        `{"operation":${JSON.stringify(operation)},"input":${JSON.stringify(input)},"answer":${json.toString()}}`,
    )
    .join(",")}]`;

/**
 * Creates the HTML of a page. Names and descriptions are untrusted: each is escaped where it is inserted; React has
 * escaped them in the first paint.
 *
 * @param answers - The first answers as `toAnswersJson` writes them.
 * @param paint - Null for a page that only its scripts render.
 */
export function fillPage({ template }: Site, content: PageContent, answers: string, paint: FirstPaint | null): string {
  const { title, description, url, image, files } = content;
  const head = [
    `<title>${escapeHtml(title)}</title>`,
    meta("name", "description", description),
    url === undefined ? "" : `<link rel="canonical" href="${escapeHtml(url)}">`,
    meta("property", "og:type", "website"),
    meta("property", "og:site_name", "Slipway"),
    meta("property", "og:title", title),
    meta("property", "og:description", description),
    meta("property", "og:url", url),
    meta("property", "og:image", image),
    meta("name", "twitter:card", image === undefined ? "summary" : "summary_large_image"),
    ...files.map((file) => `<link rel="modulepreload" crossorigin href="${escapeHtml(file)}">`),
  ].join("");
  const data = `<script type="application/json" id="first-answers">${escapeJson(answers)}</script>`;
  // Replacement functions, because `replace` would expand `$&` in a string.
  const html = template
    .replace(/<title>[\s\S]*?<\/title>/, () => "")
    .replace(/<meta name="description"[^>]*>/, () => "")
    .replace("</head>", () => `${head}</head>`)
    .replace("</body>", () => `${content.answers.length === 0 ? "" : data}</body>`);
  return paint === null ? html : addFirstPaint(html, paint);
}
