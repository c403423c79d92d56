import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import fastifyStatic from "@fastify/static";
import type { Language } from "@slipway/protocol/languages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { strongEtag } from "../../cache/cachedResponse.ts";
import { toOwnBytes } from "../../cache/toOwnBytes.ts";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import type { Route } from "../../route.ts";
import { chooseLanguage } from "../chooseLanguage.ts";
import { fillPage, type PageContent, toAnswersJson } from "./fillPage.ts";
import { createFirstPaint, startHash } from "./firstPaint.ts";
import { loadSite, type Site } from "./loadSite.ts";
import { createSitePages, type SitePage } from "./sitePages.ts";

/** Maximum bytes of cached HTML in all encodings. A page is created and compressed once for each state of its data. */
const maxCachedBytes = 16 * 1024 * 1024;
/** Paths without pages: an unknown path below them is the API's 404. */
const reserved = new Set(["api", "docs", "ws", "media", "feeds", "og", "embed", "assets"]);
/** A higher quality would save a tenth of the bytes and take ten times as long. */
const brotliQuality = 5;

type Html = { etag: string; identity: Buffer; br?: Buffer; gzip?: Buffer };

export type ServedSite = {
  /**
   * Answers a browser's request for a page without a route with the site's HTML. @returns whether the request was
   * answered.
   */
  answerPage(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
};

/**
 * Serves the built site at the root: its files, compressed by the build, and its HTML with the first answers of the API.
 * Without a built site, unknown paths are 404.
 */
export async function serveSite(
  app: FastifyInstance,
  deps: Deps,
  routes: readonly Route[],
): Promise<ServedSite | null> {
  const site = loadSite(deps.config.WEB_DIST, deps.log);
  if (site === null) return null;
  const pages = createSitePages(deps, routes, site);
  const send = createSendPage(site, deps);
  await app.register(fastifyStatic, {
    root: site.folder,
    // Each file of the build has a route, so that no request path is ever used as a file name.
    wildcard: false,
    globIgnore: ["index.html", "offlineWorker.js", "**/*.br", "**/*.gz"],
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isNamedByHash = path.includes("/assets/");
      reply.header("cache-control", isNamedByHash ? "public, max-age=31536000, immutable" : "public, max-age=3600");
    },
  });
  serveOfflineWorker(app, site, deps.config);
  app.get("/", async (request, reply) => await send(request, reply, withoutOptions(request, await pages.explore())));
  app.get<{ Params: { address: string } }>("/t/:address", async (request, reply) => {
    return await send(request, reply, withoutOptions(request, await pages.token(request.params.address)));
  });
  return {
    answerPage: async (request, reply) => {
      const path = getPagePath(request);
      if (path === null) return false;
      await send(request, reply, pages.other(path));
      return true;
    },
  };
}

/** Removes the first paint of a page with options in its URL, such as a search, because it shows the defaults. */
function withoutOptions({ raw }: FastifyRequest, page: SitePage): SitePage {
  if (!raw.url!.includes("?") || page.content.paintedPath === undefined) return page;
  const { paintedPath: _, ...content } = page.content;
  return { ...page, key: `${page.key} ?`, content };
}

/** Removes the service worker from a browser that asks for its current file. */
const removal =
  'self.addEventListener("install",()=>self.skipWaiting());self.addEventListener("activate",(event)=>event.waitUntil(self.registration.unregister()));';

/** Serves the service worker of the installed app, or its removal. Its policy lets it pass on requests to the site only. */
function serveOfflineWorker(app: FastifyInstance, site: Site, { OFFLINE_PAGE }: Config): void {
  const path = join(site.folder, "offlineWorker.js");
  const script = OFFLINE_PAGE && existsSync(path) ? readFileSync(path, "utf8") : removal;
  app.get("/offlineWorker.js", (_request, reply) =>
    reply
      .header("content-security-policy", "default-src 'none';connect-src 'self'")
      .header("cache-control", "no-cache")
      .type("text/javascript; charset=utf-8")
      .send(script),
  );
}

/** Returns the path of a page that a browser opens: a GET that accepts HTML, of a path without an extension. */
function getPagePath({ method, raw, headers }: FastifyRequest): string | null {
  if (method !== "GET" && method !== "HEAD") return null;
  if (!headers.accept?.includes("text/html")) return null;
  const [encodedPath] = raw.url!.split("?") as [string];
  // The id of a partner's listing may contain dots and encoded slashes.
  if (/^\/business\/[^/\\]+$/i.test(encodedPath)) return encodedPath;
  let path: string;
  try {
    path = decodeURIComponent(encodedPath);
  } catch {
    return null;
  }
  const segments = path.split(/[/\\]+/).filter(Boolean);
  const isPage = !segments.some((segment) => segment.includes(".")) && !reserved.has(segments[0]?.toLowerCase() ?? "");
  return isPage ? path : null;
}

/** Creates the policy: the site loads its own files only, and names its inline scripts by their hashes. */
function createPolicy(site: Site, config: Config): string {
  const media = getMediaUrl(config);
  const pictures = ["'self'", "data:", ...(media === null ? [] : [new URL(media).origin])];
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...[...site.scriptHashes, startHash].map((hash) => `'${hash}'`)].join(" ")}`,
    "style-src 'self'",
    "font-src 'self'",
    `img-src ${pictures.join(" ")}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join(";");
}

function createSendPage(site: Site, { config, log }: Pick<Deps, "config" | "log">) {
  const renderFirstPaint = createFirstPaint(site, log);
  const policy = createPolicy(site, config);
  const cache = new LRUCache<string, Html>({
    maxSize: maxCachedBytes,
    // Counts the compressed forms, which are added later.
    sizeCalculation: ({ identity }) => identity.length * 2,
  });
  /** Pages in the making, so that concurrent requests render a page once. */
  const pending = new Map<string, Promise<Html>>();

  const create = async (key: string, language: Language, content: PageContent): Promise<Html> => {
    const { paintedPath } = content;
    const answers = toAnswersJson(content.answers);
    const paint = paintedPath === undefined ? null : await renderFirstPaint(language, paintedPath, answers);
    const identity = toOwnBytes(Buffer.from(fillPage(site, content, answers, paint)));
    // Weak, because all encodings have the same tag.
    const html = { etag: `W/${strongEtag(identity)}`, identity };
    cache.set(key, html);
    return html;
  };
  const getHtml = async ({ key, content }: SitePage, language: Language): Promise<Html> => {
    const name = `${language} ${key}`;
    const found = cache.get(name) ?? pending.get(name);
    if (found !== undefined) return await found;
    const created = create(name, language, content).finally(() => pending.delete(name));
    pending.set(name, created);
    return await created;
  };

  return async (request: FastifyRequest, reply: FastifyReply, page: SitePage) => {
    const { status } = page;
    const html = await getHtml(page, chooseLanguage(request.headers["accept-language"]));
    reply
      .code(status)
      .header("content-security-policy", policy)
      .header("cache-control", "no-cache")
      .header("etag", html.etag)
      .header("vary", "Origin, Accept, Accept-Encoding, Accept-Language");
    const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim()) ?? [];
    if (status === 200 && known.includes(html.etag)) return reply.code(304).send();
    reply.type("text/html; charset=utf-8");
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    if (encoding === null) return reply.send(html.identity);
    html[encoding] ??= toOwnBytes(await compress(html.identity, encoding));
    return reply.header("content-encoding", encoding).send(html[encoding]);
  };
}

/** Chooses the better encoding that the client accepts (RFC 9110, 12.5.3). */
function chooseEncoding(header: string | undefined): "br" | "gzip" | null {
  const accepted = (header ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(\.0*)?$/.test(each))
    .map((each) => each.split(";")[0]!.trim());
  if (accepted.includes("br")) return "br";
  return accepted.includes("gzip") ? "gzip" : null;
}

async function compress(bytes: Buffer, encoding: "br" | "gzip"): Promise<Buffer> {
  if (encoding === "gzip") return await promisify(gzip)(bytes);
  return await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });
}
