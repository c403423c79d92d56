import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createLlmsFullText, createLlmsText } from "@slipway/mcp/documentSections";
import { readSkill } from "@slipway/mcp/readDocuments";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CachedResponse, strongEtag } from "../../cache/cachedResponse.ts";
import type { Config } from "../../config.ts";
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
 * each language, llms.txt, SKILL.md, the changelog, and security.txt. The files are read at the first request for one of
 * them, and a page is rendered at its first request.
 */
export function serveGuides(app: FastifyInstance, deps: Pick<Deps, "config" | "clock">): void {
  let guides: Guides | undefined;
  const getGuides = () => (guides ??= createGuides());
  const pages = new Map<string, CachedResponse>();
  const getPage = (path: string, build: () => CachedResponse) => {
    let page = pages.get(path);
    if (page === undefined) {
      page = build();
      pages.set(path, page);
    }
    return page;
  };
  const sendGuide = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const isMarkdown = path.endsWith(".md");
    const all = getGuides();
    const guide = all.find(isMarkdown ? path.slice(0, -".md".length) : path);
    if (guide === null) return sendNotFound(request, reply, path.startsWith(`${guideTexts.es.root}/`) ? "es" : "en");
    const build = () =>
      isMarkdown ? create(all.toMarkdown(guide), types.markdown) : create(renderPage(all, guide), types.html);
    return send(request, reply, getPage(path, build));
  };
  for (const folder of ["/guides", "/guides/errors", guideTexts.es.root])
    app.get<{ Params: { name: string } }>(`${folder}/:name`, (request, reply) =>
      sendGuide(request, reply, `${folder}/${request.params.name}`),
    );
  for (const path of ["/changelog", "/changelog.md"])
    app.get(path, (request, reply) => sendGuide(request, reply, path));
  for (const language of guideLanguages) serveSearch(app, getGuides, language);
  for (const [path, build] of Object.entries(createFiles(deps.config, getGuides)))
    app.get(path, (request, reply) => send(request, reply, getPage(path, build)));
  serveSecurityText(app, deps);
}

function serveSearch(app: FastifyInstance, getGuides: () => Guides, language: GuideLanguage): void {
  let search: ReturnType<typeof createGuideSearch> | undefined;
  app.get<{ Querystring: { q?: unknown } }>(`${guideTexts[language].root}/search`, (request, reply) => {
    search ??= createGuideSearch(getGuides().list(language));
    const { q } = request.query;
    const query = typeof q === "string" ? q : "";
    return send(request, reply, create(createSearchPage(query, search(query), language), types.html));
  });
}

const renderPage = (guides: Guides, guide: Guide) =>
  createGuidePage(guide, guides.render(guide), guides.findTranslation(guide)?.path ?? getOtherRoot(guide.language));

/** Returns the origin of the site; empty without one. */
const getOrigin = ({ SITE_URL }: Pick<Config, "SITE_URL">) => (SITE_URL === undefined ? "" : new URL(SITE_URL).origin);

/** Creates the functions that build the files with one content each, by path. */
function createFiles(config: Config, getGuides: () => Guides): Record<string, () => CachedResponse> {
  const origin = getOrigin(config);
  const toUrl = (name: string) => `${origin}/guides/${name}.md`;
  const createIndex = (language: GuideLanguage) =>
    create(createIndexPage(getGuides().getSections(language), language), types.html);
  return {
    [guideTexts.en.root]: () => createIndex("en"),
    [guideTexts.es.root]: () => createIndex("es"),
    "/guides/style.css": () => create(readFileSync(join(import.meta.dirname, "guides.css"), "utf8"), types.css),
    "/llms.txt": () => create(createLlmsText(getGuides().documents, toUrl), types.text),
    "/llms-full.txt": () => create(createLlmsFullText(getGuides().documents), types.text),
    "/SKILL.md": () => create(readSkill(), types.markdown),
  };
}

function serveSecurityText(app: FastifyInstance, { config, clock }: Pick<Deps, "config" | "clock">): void {
  app.get("/.well-known/security.txt", (request, reply) => {
    if (config.CONTACT_URL === undefined) throw new SlipwayError("not_found");
    const text = createSecurityText(config.CONTACT_URL, getOrigin(config), clock.now());
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
