import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLlmsFullText, createLlmsText } from "@slipway/mcp/documentSections";
import { readSkill } from "@slipway/mcp/readDocuments";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { sendCacheable } from "../registerRoute.ts";
import { createGuides, type Guide, type Guides } from "./guides.ts";
import {
  createGuidePage,
  createIndexPage,
  createNotFoundPage,
  createSearchPage,
  getOtherRoot,
  guidesPolicy,
} from "./guidesHtml.ts";
import { type GuideLanguage, guideLanguages, guideTexts } from "./guideTexts.ts";
import { createGuideSearch } from "./searchGuides.ts";

const maxAgeSeconds = 300;
const types = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  text: "text/plain; charset=utf-8",
} as const;

/**
 * Serves the documentation: each page as HTML without scripts and as Markdown, its translation if there is one, a search in
 * each language, llms.txt, SKILL.md, the changelog, and security.txt. The files are read at the start, and a page is
 * rendered at its first request.
 */
export function serveGuides(app: FastifyInstance, deps: Pick<Deps, "config" | "clock">): void {
  const guides = createGuides();
  serveFiles(app, deps, guides);
  const pages = new Map<string, CachedResponse>();
  const sendGuide = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const isMarkdown = path.endsWith(".md");
    const guide = guides.find(isMarkdown ? path.slice(0, -".md".length) : path);
    if (guide === null) return sendNotFound(request, reply, path.startsWith(`${guideTexts.es.root}/`) ? "es" : "en");
    let page = pages.get(path);
    if (page === undefined) {
      page = isMarkdown
        ? create(guides.toMarkdown(guide), types.markdown)
        : create(renderPage(guides, guide), types.html);
      pages.set(path, page);
    }
    return send(request, reply, page);
  };
  for (const folder of ["/guides", "/guides/errors", guideTexts.es.root])
    app.get<{ Params: { name: string } }>(`${folder}/:name`, (request, reply) =>
      sendGuide(request, reply, `${folder}/${request.params.name}`),
    );
  for (const path of ["/changelog", "/changelog.md"])
    app.get(path, (request, reply) => sendGuide(request, reply, path));
  for (const language of guideLanguages) serveSearch(app, guides, language);
}

function serveSearch(app: FastifyInstance, guides: Guides, language: GuideLanguage): void {
  let search: ReturnType<typeof createGuideSearch> | undefined;
  app.get<{ Querystring: { q?: unknown } }>(`${guideTexts[language].root}/search`, (request, reply) => {
    search ??= createGuideSearch(guides.list(language));
    const { q } = request.query;
    const query = typeof q === "string" ? q : "";
    return send(request, reply, create(createSearchPage(query, search(query), language), types.html));
  });
}

const renderPage = (guides: Guides, guide: Guide) =>
  createGuidePage(guide, guides.render(guide), guides.findTranslation(guide)?.path ?? getOtherRoot(guide.language));

/** Serves the files that have one content each. */
function serveFiles(app: FastifyInstance, { config, clock }: Pick<Deps, "config" | "clock">, guides: Guides): void {
  const origin = config.SITE_URL === undefined ? "" : new URL(config.SITE_URL).origin;
  const toUrl = (name: string) => `${origin}/guides/${name}.md`;
  const files: Record<string, CachedResponse> = {
    [guideTexts.en.root]: create(createIndexPage(guides.getSections("en"), "en"), types.html),
    [guideTexts.es.root]: create(createIndexPage(guides.getSections("es"), "es"), types.html),
    "/guides/style.css": create(readFileSync(join(import.meta.dirname, "guides.css"), "utf8"), types.css),
    "/llms.txt": create(createLlmsText(guides.documents, toUrl), types.text),
    "/llms-full.txt": create(createLlmsFullText(guides.documents), types.text),
    "/SKILL.md": create(readSkill(), types.markdown),
  };
  for (const [path, file] of Object.entries(files)) app.get(path, (request, reply) => send(request, reply, file));
  app.get("/.well-known/security.txt", (request, reply) => {
    if (config.CONTACT_URL === undefined) throw new SlipwayError("not_found");
    const text = createSecurityText(config.CONTACT_URL, origin, clock.now());
    return send(request, reply, create(text, types.text));
  });
}

const dayMs = 86_400_000;
/** RFC 9116 recommends less than a year; the date moves with each month, so that the file is always current. */
const securityValidityDays = 180;

/** Creates security.txt (RFC 9116). */
export function createSecurityText(contact: string, origin: string, nowMs: number): string {
  const month = new Date(nowMs).toISOString().slice(0, "2026-01".length);
  const expires = new Date(Date.parse(`${month}-01T00:00:00Z`) + securityValidityDays * dayMs).toISOString();
  const lines = [`Contact: ${contact}`, `Expires: ${expires}`, "Preferred-Languages: en"];
  if (origin !== "") lines.push(`Canonical: ${origin}/.well-known/security.txt`);
  return `${lines.join("\n")}\n`;
}

function create(text: string, contentType: string): CachedResponse {
  const bytes = Buffer.from(text);
  return new CachedResponse(bytes, strongEtag(bytes), contentType);
}

function send(request: FastifyRequest, reply: FastifyReply, page: CachedResponse) {
  if (page.contentType === types.html) reply.header("content-security-policy", guidesPolicy);
  return sendCacheable(request, reply, page, maxAgeSeconds);
}

/** A browser gets a page; a program gets the error. */
function sendNotFound(request: FastifyRequest, reply: FastifyReply, language: GuideLanguage) {
  if (!request.headers.accept?.includes("text/html")) throw new SlipwayError("not_found");
  reply.code(404).header("content-security-policy", guidesPolicy).header("cache-control", "no-store");
  return reply.type(types.html).send(createNotFoundPage(language));
}
