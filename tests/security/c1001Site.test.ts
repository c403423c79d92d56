import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startHash } from "../../apps/server/src/http/site/firstPaint.ts";
import { readAnswers, sendRaw } from "../support/security/rawHttp.ts";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../support/server/readDatabase.ts";
import { clear, insertEthUsd, insertIndex, insertToken, toAddress } from "../support/server/rows.ts";
import { createSiteFolder, themeScript } from "../support/site/createSiteFolder.ts";

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
  read = await createReadApp(database.db, {
    WEB_DIST: folder,
    SITE_URL: "https://slipway.example",
    MEDIA_PUBLIC_URL: "https://pictures.example/media",
  });
});

const browser = { accept: "text/html" };
const get = (url: string, headers: Record<string, string> = browser) =>
  read.app.inject({ method: "GET", url, headers });

/** Sends the target unchanged: clients and test injection would normalise it. */
async function getRaw(target: string, headers = "Accept: text/html\r\n") {
  if (!read.app.server.listening) await read.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = read.app.server.address() as AddressInfo;
  const text = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
  return readAnswers(text)[0]!;
}

describe("C10-01 texts of strangers in the site's HTML", () => {
  const hostile = [
    `</script><script>alert(1)</script>`,
    `<!--<script>`,
    `"><img src=x onerror=alert(1)>`,
    `' onload='alert(1)`,
    "$&$`$'</head></body>",
    `&lt;script&gt; ]]>`,
  ];

  it("end no element, begin none, and are read back as they were", async () => {
    for (const [index, name] of hostile.entries()) await insertToken(database.db, index + 1, { name, symbol: "X" });
    const { json } = await read.get("/tokens?sort=volume&limit=50");
    const pages = await Promise.all(
      ["/", ...hostile.map((_, index) => `/t/${toAddress(1_001 + index)}`)].map((url) => get(url)),
    );
    for (const { body } of pages) {
      // Two scripts of the template, one with the answers.
      expect(body.match(/<script/g)).toHaveLength(3);
      expect(body.match(/<\/script>/g)).toHaveLength(3);
      expect([body.match(/<img|<!--/g), body.match(/<\/head>/g), body.match(/<\/body>/g)]).toEqual([
        null,
        ["</head>"],
        ["</body>"],
      ]);
      for (const [, attributes] of body.matchAll(/<(?:meta|link|title)([^>]*)>/g))
        expect(attributes!.replaceAll(/"[^"]*"/g, "")).toMatch(/^[a-z\s=:/-]*$/);
    }
    const data = /id="first-answers">(.*?)<\/script>/s.exec(pages[0]!.body)![1]!;
    expect(JSON.parse(data)[0].answer).toEqual(json);
    expect(json.items).toHaveLength(hostile.length);
  });
});

describe("C10-02 paths that lead out of the site's folder", () => {
  const targets = [
    "/../package.json",
    "/assets/../../package.json",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/..\\..\\package.json",
    "/assets/%5c..%5c..%5cpackage.json",
    "/assets/%00index-1.js",
    "/assets//etc/passwd",
    "//etc/passwd.txt",
    "/.vite/manifest.json",
    "/%2evite/manifest.json",
    "/index.html",
    "/assets/index-1.js.br",
    "/assets/",
  ];

  it("are no files: each is refused, and none brings anything but an error of the API", async () => {
    for (const target of targets) {
      const { status, headers, body } = await getRaw(target);
      expect([target, status >= 400 && status < 500]).toEqual([target, true]);
      expect(headers["content-type"]).toContain("application/json");
      expect(JSON.parse(body).error.request_id).toBeTruthy();
    }
  });
});

describe("C10-03 the site's policy", () => {
  it("names the scripts of the HTML by their hashes, and no other source of scripts", async () => {
    const hash = createHash("sha256").update(themeScript).digest("base64");
    const expected = [
      "default-src 'none'",
      `script-src 'self' 'sha256-${hash}' '${startHash}'`,
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data: https://pictures.example",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join(";");
    await insertToken(database.db, 1);
    // The reference page's own policy allows more: no path of the site with the same first letters has that policy.
    for (const url of [
      "/",
      "/gallery",
      `/t/${toAddress(1_001)}`,
      `/t/${toAddress(9)}`,
      "/docs-of-the-site",
      "/docsx/y",
    ]) {
      const { headers } = await get(url);
      expect([url, headers["content-security-policy"]]).toEqual([url, expected]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
      });
      expect(headers["set-cookie"]).toBeUndefined();
    }
  });

  it("leaves that of the API's answers as it is", async () => {
    for (const url of ["/api/v1/launchpad/tokens", "/assets/index-1.js"])
      expect((await get(url)).headers["content-security-policy"]).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe("C10-04 unknown paths of the API", () => {
  const paths = [
    "/api",
    "/api/",
    "/api/v1/launchpad/nothing",
    "/API/v1/launchpad/nothing",
    "/%61pi/v1/launchpad/nothing",
    "//api/v1/launchpad/nothing",
    "/api\\v1",
    "/ws/nothing",
    "/docs/nothing/at/all",
    "/media/nothing",
    "/feeds/nothing",
    "/og/nothing",
    "/assets/index-2.js",
    "/wp-login.php",
    "/gallery%",
  ];

  it("keep their errors in JSON, also for a browser", async () => {
    for (const path of paths) {
      const { status, headers, body } = await getRaw(path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
      expect([path, headers["content-type"]]).toEqual([path, "application/json; charset=utf-8"]);
      expect(JSON.parse(body).error.code).toMatch(/^(not_found|invalid_request)$/);
    }
  });

  it("keep them for programs and for other methods, whatever the path", async () => {
    const program = await get("/gallery", { accept: "application/json" });
    expect([program.statusCode, program.json().error.code]).toEqual([404, "not_found"]);
    for (const method of ["POST", "PUT", "DELETE"] as const) {
      const answer = await read.app.inject({ method, url: "/gallery", headers: browser });
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, "not_found"]);
    }
    const root = await read.app.inject({ method: "POST", url: "/", headers: browser });
    expect([root.statusCode, root.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

describe("C10-05 the site's own address", () => {
  it("comes from the operator's setting, never from a header", async () => {
    await insertToken(database.db, 1);
    const forged = {
      ...browser,
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
    };
    const { body } = await get(`/t/${toAddress(1_001)}`, forged);
    expect(body).toContain(`href="https://slipway.example/t/${toAddress(1_001)}"`);
    expect(body).not.toContain("evil.example");
    const unnamed = await createReadApp(database.db, { WEB_DIST: folder });
    const page = await unnamed.app.inject({ url: `/t/${toAddress(1_001)}`, headers: forged });
    expect(page.body).not.toMatch(/evil\.example|canonical|og:url|og:image/);
  });
});

describe("C10-06 a token that is not known", () => {
  it("is 404 with the same page for every address and text, and none of it in the HTML", async () => {
    const texts = [toAddress(77), "0x12", "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "a".repeat(5_000), "%22%3E"];
    const pages = await Promise.all(texts.map((text) => get(`/t/${text}`)));
    expect(pages.map(({ statusCode }) => statusCode)).toEqual(texts.map(() => 404));
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    expect(pages[0]!.body).toContain('<div id="root">');
  });
});
