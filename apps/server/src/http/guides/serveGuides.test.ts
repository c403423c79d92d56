import { errorTable } from "@slipway/protocol/errors";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderGuide } from "./renderGuide.ts";
import { serveGuides } from "./serveGuides.ts";

const origin = "https://launch.example";
const config = { SITE_URL: origin, CONTACT_URL: "mailto:security@launch.example" };
const now = Date.parse("2026-11-26T12:00:00Z");

describe("the served documentation", () => {
  let app: FastifyInstance;
  const get = (url: string, headers = {}) => app.inject({ url, headers });
  beforeAll(() => {
    app = fastify();
    app.setErrorHandler((error: { code: keyof typeof errorTable }, _request, reply) =>
      reply.code(errorTable[error.code]?.status ?? 500).send(),
    );
    serveGuides(app, { config, clock: { now: () => now } } as never);
  });
  afterAll(() => app.close());

  /** Requests a URL of the site and every URL that its page links to, with the part of the page. */
  async function follow(start: string, findLinks: (body: string) => string[]): Promise<string[]> {
    const pages = new Map<string, string>();
    const broken: string[] = [];
    const open = [{ url: start, from: "start" }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [path = "", part] = next.url.replace(origin, "").split("#");
      // Parts of the service that other tests cover.
      if (path === "/" || path === "/docs" || path.startsWith("http")) continue;
      let body = pages.get(path);
      if (body === undefined) {
        const answer = await get(path);
        body = answer.body;
        pages.set(path, body);
        if (answer.statusCode !== 200) broken.push(`${next.from} links to ${next.url}`);
        else
          open.push(
            ...findLinks(body).map((url) => ({ url: url.startsWith("#") ? `${path}${url}` : url, from: path })),
          );
      }
      const hasPart = part === undefined || path.endsWith(".md") || body.includes(`id="${part}"`);
      if (!hasPart) broken.push(`${next.from} links to ${next.url}, a part that does not exist`);
    }
    expect(pages.size).toBeGreaterThan(Object.keys(errorTable).length);
    return broken;
  }

  it("has a page for every link of its pages, and the part that the link names", async () => {
    const findLinks = (body: string) => [...body.matchAll(/ href="([^"]+)"/g)].map(([, url]) => url!);
    expect(await follow("/guides", findLinks)).toEqual([]);
  });

  it("has Spanish pages for every link of theirs, each with its English page, and marks pages in English", async () => {
    const findLinks = (body: string) => [...body.matchAll(/ href="([^"]+)"/g)].map(([, url]) => url!);
    expect(await follow("/guides/es", findLinks)).toEqual([]);
    const list = (await get("/guides/es")).body;
    expect(list).toContain('<html lang="es">');
    expect(list).toContain('<a href="/guides/es/quickstart-trader">Inicio rápido: operadores</a>');
    expect(list).toMatch(
      /<a href="\/guides\/trading" hreflang="en" lang="en">[^<]+<\/a> <span class="muted">\(en inglés\)/,
    );
    const spanish = (await get("/guides/es/terms")).body;
    expect(spanish).toContain('<a href="/guides/terms" hreflang="en" lang="en">English</a>');
    expect((await get("/guides/terms")).body).toContain(
      '<a href="/guides/es/terms" hreflang="es" lang="es">Español</a>',
    );
    // A page without a translation leads to the list.
    expect((await get("/guides/trading")).body).toContain('<a href="/guides/es" hreflang="es" lang="es">Español</a>');
    expect((await get("/changelog")).body).toContain('<a href="/guides/es" hreflang="es" lang="es">Español</a>');
  });

  it("has the Markdown of the Spanish pages, whose links lead to Markdown", async () => {
    const findLinks = (body: string) => [...body.matchAll(/\]\((\/[^)\s]+)\)/g)].map(([, url]) => url!);
    const { body, headers } = await get("/guides/es/openings.md");
    expect(headers["content-type"]).toContain("text/markdown");
    expect(findLinks(body)).toEqual(
      expect.arrayContaining(["/guides/streams.md", "/guides/es/agents.md#herramientas"]),
    );
    for (const url of findLinks(body)) expect([url, (await get(url.split("#")[0]!)).statusCode]).toEqual([url, 200]);
  });

  it("finds Spanish words without their accents, and English pages that have no translation", async () => {
    const found = (await get("/guides/es/search?q=devolucion%20deposito")).body;
    expect(found).toContain('<a href="/guides/es/openings');
    const english = (await get("/guides/es/search?q=idempotency")).body;
    expect(english).toMatch(/<a href="\/guides\/[a-z-]+#[^"]+" hreflang="en" lang="en">/);
    const hostile = await get(`/guides/es/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(hostile.body).not.toContain("<script>");
    expect(hostile.body).toContain("Ninguna página");
    expect(hostile.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("has the Markdown of every link of llms.txt, and of every link in it", async () => {
    const findLinks = (body: string) =>
      [...body.replace(/```[\s\S]*?```/g, "").matchAll(/\]\((\/[^)\s]+|https:\/\/launch\.example[^)\s]*)\)/g)].map(
        ([, url]) => url!,
      );
    const { body } = await get("/llms.txt");
    expect(body).toMatch(
      /^# Slipway\n\n> .+\n\n## Getting started\n\n- \[.+\]\(https:\/\/launch\.example\/guides\/.+\.md\): .+\n/,
    );
    expect(body).toContain("## Optional");
    expect(await follow("/llms.txt", findLinks)).toEqual([]);
  });

  it("has a page with cause and remedy for every error code", async () => {
    for (const [code, { help }] of Object.entries(errorTable)) {
      const { statusCode, body } = await get(`/guides/errors/${code}.md`);
      expect([code, statusCode, body.includes(help), body.includes("**Cause.**")]).toEqual([code, 200, true, true]);
    }
  });

  it("finds a page by its words, and shows a hostile query as text", async () => {
    const found = await get("/guides/search?q=idempotency+key");
    const paths = [...found.body.matchAll(/<li><a href="(\/[^"]+)">/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const [page = "", part] = path.split("#");
      const { body } = await get(page);
      expect([path, part === undefined || body.includes(`id="${part}"`)]).toEqual([path, true]);
    }
    const hostile = await get(`/guides/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(hostile.body).not.toContain("<script>");
    expect(hostile.headers["content-security-policy"]).toContain("default-src 'none'");
    expect((await get(`/guides/search?q=${"x".repeat(5_000)}&q=2`)).statusCode).toBe(200);
  });

  it("answers 404 for an unknown page, with a page for a browser", async () => {
    expect((await get("/guides/unknown")).statusCode).toBe(404);
    const page = await get("/guides/..%2Fsecret", { accept: "text/html" });
    expect([page.statusCode, page.body.includes("Page not found")]).toEqual([404, true]);
    const spanish = await get("/guides/es/no-hay", { accept: "text/html" });
    expect([spanish.statusCode, spanish.body.includes("No se encontró la página")]).toEqual([404, true]);
  });

  it("has security.txt with a contact and a date within a year", async () => {
    const { body, headers } = await get("/.well-known/security.txt");
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(body).toBe(
      "Contact: mailto:security@launch.example\nExpires: 2027-04-30T00:00:00.000Z\nPreferred-Languages: en\n" +
        `Canonical: ${origin}/.well-known/security.txt\n`,
    );
  });

  it("serves llms-full.txt, SKILL.md and the changelog", async () => {
    expect((await get("/llms-full.txt")).body.length).toBeGreaterThan(300_000);
    expect((await get("/SKILL.md")).body).toMatch(/^---\nname: slipway\n/);
    expect((await get("/changelog")).body).toContain("<h1");
    const { etag } = (await get("/guides/api")).headers;
    expect((await get("/guides/api", { "if-none-match": etag })).statusCode).toBe(304);
  });
});

describe("renderGuide", () => {
  it("shows HTML as text, and links only what is served", () => {
    const markdown = "# A <b>\n\n<script>x</script>\n\n[a](javascript:alert(1)) [b](b.md)\n\n## A <b>\n";
    const { html, headings } = renderGuide(markdown, (href) => (href === "b.md" ? '/b"' : null));
    expect(html).not.toMatch(/<script|<b>|javascript:/);
    expect(html).toContain('<a href="/b&#34;">b</a>');
    expect(headings.map(({ id }) => id)).toEqual(["a-b", "a-b-1"]);
  });
});
