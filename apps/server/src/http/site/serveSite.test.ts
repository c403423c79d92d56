import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { clear, insertEthUsd, insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { createSiteFolder, script } from "../../../../../tests/support/site/createSiteFolder.ts";
import { alertPages } from "../../features/alerts/pages.ts";
import { chooseLanguage } from "../chooseLanguage.ts";

let database: ReadDatabase;
const temporary = temporaryFolder();
let folder: string;
let read: ReadApp;

beforeAll(async () => {
  database = await startReadDatabase();
  folder = await createSiteFolder(temporary.path);
});
afterAll(async () => {
  await database?.stop();
  temporary.remove();
});
beforeEach(async () => {
  await clear(database.db);
  await insertIndex(database.db);
  await insertEthUsd(database.db, 2_000);
  await insertToken(database.db, 1, { name: "Harbour Light", symbol: "LIGHT" });
  read = await createReadApp(database.db, { WEB_DIST: folder, SITE_URL: "https://slipway.example" });
});

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const get = (url: string, headers: Record<string, string> = browser, method: "GET" | "HEAD" | "POST" = "GET") =>
  read.app.inject({ method, url, headers });
const getAnswers = (body: string) =>
  JSON.parse(/<script type="application\/json" id="first-answers">(.*?)<\/script>/s.exec(body)![1]!);

describe("the site", () => {
  it("has the API's answer for the first tokens in the HTML of its first page", async () => {
    const page = await get("/");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const { json } = await read.get("/tokens?sort=volume&limit=50");
    const input = { sort: "volume", limit: 50 };
    expect(getAnswers(page.body)).toEqual([{ operation: "listTokens", input, answer: json }]);
  });

  it.each([
    ["/?sort=new", ["main-1", "explore-1", "table-1"]],
    ["/gallery?q=boat", ["main-1", "gallery-1", "table-1", "texts-1", "endpoints-1"]],
    ["/business/partner_a:a.b%2Fc", ["main-1", "business-1", "texts-1", "endpoints-1"]],
    ["/business/new", ["main-1", "business-new-1", "texts-1", "endpoints-1"]],
    ["/business/newer", ["main-1", "business-1", "texts-1", "endpoints-1"]],
    ["/nothing", ["main-1", "not-found-1", "texts-1", "endpoints-1"]],
  ])("names the chunks of %s, so that a browser loads them immediately", async (path, chunks) => {
    const { body } = await get(path);
    const links = [...body.matchAll(/<link rel="modulepreload" crossorigin href="([^"]+)">/g)].map(([, href]) => href);
    expect(links).toEqual(chunks.map((chunk) => `/assets/${chunk}.js`));
  });

  it("C10-99 has an inert first paint in the HTML, whose scripts load after it", async () => {
    const { body, headers } = await get("/");
    expect(body).toContain('<div id="root"><div inert><h1>/ listTokens</h1></div></div>');
    expect(body).not.toContain('<link rel="modulepreload"');
    const [, files, start] = /<script data-files="([^"]+)">([^<]+)<\/script><\/body>/.exec(body)!;
    expect(files).toBe(["index-1", "main-1", "explore-1", "table-1"].map((chunk) => `/assets/${chunk}.js`).join(" "));
    const hash = createHash("sha256").update(start!).digest("base64");
    expect(headers["content-security-policy"]).toContain(`'sha256-${hash}'`);
    expect((await get(`/t/${toAddress(1_001)}`)).body).toMatch(/<div inert><h1>\/t\/0x\w+ getToken<\/h1>/);
  });

  it.each([
    [undefined, "en"],
    ["es-AR,es;q=0.9,en;q=0.8", "es"],
    ["fr, es;q=0.5, en;q=0.7", "en"],
    ["de-DE", "en"],
    ["es;q=0, *", "en"],
    [";;q=x,,", "en"],
    [" es ; q=0.9 , en ; q=0.1", "es"],
  ])("chooses the language for %s", (header, language) => expect(chooseLanguage(header)).toBe(language));

  it("is served without a first paint where rendering fails, and says so once", async () => {
    for (let time = 0; time < 2; time++) {
      const { statusCode, headers, body } = await get("/", { ...browser, "accept-language": "es" });
      expect([statusCode, headers.vary]).toEqual([200, "Origin, Accept, Accept-Encoding, Accept-Language"]);
      expect(body).toContain('<div id="root"></div>');
      expect(body).toContain('<script type="module" crossorigin src="/assets/index-1.js"></script>');
    }
  });

  it("has no first paint for a page with options in its URL", async () => {
    expect((await get("/?q=light")).body).toContain('<div id="root"></div>');
    expect((await get(`/t/${toAddress(1_001)}?tab=holders`)).body).toContain('<div id="root"></div>');
  });

  it("describes a token for previews of its link", async () => {
    const page = await get(`/t/${toAddress(1_001)}`, { accept: "*/*" });
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("<title>Harbour Light (LIGHT) · Slipway</title>");
    const url = `https://slipway.example/t/${toAddress(1_001)}`;
    expect(page.body).toContain(`<link rel="canonical" href="${url}">`);
    expect(page.body).toContain('<meta property="og:title" content="Harbour Light (LIGHT) · Slipway">');
    expect(page.body).toContain(
      `<meta property="og:image" content="https://slipway.example/og/${toAddress(1_001)}.png">`,
    );
    expect(page.body).toContain('<meta name="twitter:card" content="summary_large_image">');
    expect(page.body.match(/<title>/g)).toHaveLength(1);
    expect(page.body.match(/name="description"/g)).toHaveLength(1);
    const { json } = await read.get(`/tokens/${toAddress(1_001)}`);
    expect(getAnswers(page.body)).toEqual([
      { operation: "getToken", input: { address: toAddress(1_001) }, answer: json },
    ]);
  });

  it("is revalidated and not sent again while it is unchanged", async () => {
    const { headers } = await get("/");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await get("/", { ...browser, "if-none-match": String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    await insertToken(database.db, 2);
    const other = await createReadApp(database.db, { WEB_DIST: folder });
    const later = await other.app.inject({ url: "/", headers: { "if-none-match": String(headers.etag) } });
    expect(later.statusCode).toBe(200);
  });

  it("is compressed in an encoding that the client accepts", async () => {
    const { body } = await get("/");
    const br = await get("/", { ...browser, "accept-encoding": "gzip, deflate, br" });
    expect(br.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(body);
    const gz = await get("/", { ...browser, "accept-encoding": "br;q=0, gzip" });
    expect(gz.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gz.rawPayload).toString()).toBe(body);
    expect(String(gz.headers.vary).toLowerCase()).toContain("accept-encoding");
  });

  it("has immutable files, compressed by the build", async () => {
    const file = await get("/assets/index-1.js", { "accept-encoding": "br" });
    expect(file.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "br",
      "content-type": expect.stringContaining("javascript"),
    });
    expect(brotliDecompressSync(file.rawPayload).toString()).toBe(script);
    expect((await get("/assets/index-1.js", {})).body).toBe(script);
    expect(String(file.headers.vary).toLowerCase()).toContain("accept-encoding");
    expect((await get("/icon.svg", {})).headers["cache-control"]).toBe("public, max-age=3600");
  });

  it("C10-97 has a service worker that may load only from the site, and that the operator can remove", async () => {
    const worker = await get("/offlineWorker.js", {});
    expect([worker.statusCode, worker.body, worker.headers["cache-control"]]).toEqual([
      ...[200, "self.offline = true;", "no-cache"],
    ]);
    expect(worker.headers["content-security-policy"]).toBe("default-src 'none';connect-src 'self'");
    const without = await createReadApp(database.db, { WEB_DIST: folder, OFFLINE_PAGE: "false" });
    expect((await without.app.inject({ url: "/offlineWorker.js" })).body).toContain("self.registration.unregister()");
  });

  it("answers every page's path with its HTML, and HEAD without a body", async () => {
    for (const url of ["/gallery", `/wallet/${toAddress(7)}`, "/launch/", "/business/partner_a:1", "/fees?q=1"]) {
      const page = await get(url);
      expect([url, page.statusCode, page.headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
      expect(page.body).toContain('<div id="root">');
    }
    const head = await get("/gallery", browser, "HEAD");
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    expect((await get("/", browser, "HEAD")).statusCode).toBe(200);
  });

  it("has a page of a partner's listing, whatever characters its id contains", async () => {
    for (const id of [
      "partner_a:shop.1",
      "partner_a:https%3A%2F%2Fshop.example%2F1",
      "partner_a:%22%3E%3Csvg%2Fonload%3Dx%3E",
    ]) {
      const { statusCode, headers } = await get(`/business/${id}`);
      expect([id, statusCode, headers["content-type"]]).toEqual([id, 200, "text/html; charset=utf-8"]);
    }
    expect((await get("/business/a/b.png")).headers["content-type"]).toContain("application/json");
  });

  it("responds 404 to a path without a page, with the HTML of the error page", async () => {
    const page = await get("/gallery");
    for (const url of ["/no/such/page?q=1", "/gallery/2", "/wallet/0x12", "/account/nothing", "/t"]) {
      const unknown = await get(url, { ...browser, "if-none-match": String(page.headers.etag) });
      expect([url, unknown.statusCode, unknown.headers["content-type"]]).toEqual([
        url,
        404,
        "text/html; charset=utf-8",
      ]);
      const withoutFiles = (body: string) => body.replace(/<link rel="modulepreload"[^>]*>/g, "");
      expect(withoutFiles(unknown.body)).toBe(withoutFiles(page.body));
      expect(unknown.headers["content-security-policy"]).toBe(page.headers["content-security-policy"]);
    }
    const head = await get("/no/such/page", browser, "HEAD");
    expect([head.statusCode, head.body]).toEqual([404, ""]);
  });

  it("is served without data while the index is unavailable", async () => {
    await clear(database.db);
    const empty = await createReadApp(database.db, { WEB_DIST: folder });
    const page = await empty.app.inject({ url: "/", headers: browser });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toContain("first-answers");
  });

  it("is also found by a path relative to the process's folder", async () => {
    const named = await createReadApp(database.db, { WEB_DIST: relative(process.cwd(), folder) });
    expect((await named.app.inject({ url: "/assets/index-1.js" })).body).toBe(script);
    expect((await named.app.inject({ url: "/gallery", headers: browser })).statusCode).toBe(200);
  });

  it("is not served if it is not built: unknown paths are the API's 404", async () => {
    const without = await createReadApp(database.db, { WEB_DIST: join(folder, "missing") });
    for (const url of ["/", "/gallery"]) {
      const answer = await without.app.inject({ url, headers: browser });
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, "not_found"]);
    }
  });

  it("has the pages of the links in mails; without the site the server's own pages work", async () => {
    const without = await createReadApp(database.db, { WEB_DIST: join(folder, "missing") });
    for (const path of ["/alerts/confirm", "/alerts/unsubscribe"]) {
      const page = await get(path);
      expect([page.statusCode, page.body.includes('<div id="root">')]).toEqual([200, true]);
      expect(page.headers["referrer-policy"]).toBe("no-referrer");
      const own = await without.app.inject({ url: path, headers: browser });
      expect([own.statusCode, own.body]).toEqual([200, alertPages[path]!.html]);
      expect(own.headers["content-security-policy"]).toBe(alertPages[path]!.policy);
    }
  });
});
