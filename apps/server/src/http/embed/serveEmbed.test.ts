import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import {
  headTime,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { moderate } from "../../features/moderation/queries.ts";
import { renderReceiveCode } from "../../features/qr/routes.ts";

const fixture = useReadApp();
let read: ReadApp;
let token: string;

beforeEach(async () => {
  const { db } = fixture.database;
  read = await createReadApp(db, {
    SITE_URL: "https://launch.example",
    MEDIA_PUBLIC_URL: "https://pictures.example/m",
  });
  await insertIndex(db);
  token = await insertToken(db, 1, { name: "Tin Boat", symbol: "TIN" });
  await insertCandle(db, 1, 60, headTime - 120, { c: 1 });
  await insertCandle(db, 1, 60, headTime - 60, { c: 2 });
});

const get = (address: string, headers: Record<string, string> = {}) =>
  read.app.inject({ url: `/embed/${address}`, headers });

describe("GET /embed/{address}", () => {
  test("shows name, price in USD, and the price line, and links to the token's page", async () => {
    await insertEthUsd(fixture.database.db, 2_000, { block: 4_990, time: headTime - 60 });
    const { statusCode, headers, body } = await get(token);
    expect([statusCode, headers["content-type"], headers["cache-control"]]).toEqual([
      ...[200, "text/html; charset=utf-8", "public, max-age=10"],
    ]);
    expect(body).toContain('<bdi>Tin Boat</bdi> <bdi class="muted">TIN</bdi>');
    expect(body).toMatch(/<span class="price">\$[\d.,₀-₉]+<\/span>/);
    expect(body).toMatch(/<polyline points="0\.0,196\.0 600\.0,4\.0"\/>/);
    expect(body).toContain(`<a href="/t/${token.toLowerCase()}" target="_blank" rel="noopener">`);
    expect((await get(token, { "if-none-match": String(headers.etag) })).statusCode).toBe(304);
    expect((await get(token.toLowerCase())).body).toBe(body);
  });

  test("is in Spanish for a browser that prefers Spanish, also a notice", async () => {
    const { headers, body } = await get(token, { "accept-language": "de, es-MX;q=0.9, en;q=0.8" });
    expect([headers["content-language"], String(headers.vary)]).toEqual([
      "es",
      expect.stringMatching(/Accept-Language$/),
    ]);
    expect(body).toContain('<html lang="es">');
    expect(body).toContain(">Abrir en Slipway</a>");
    for (const language of ["en, es;q=0.5", "de", "", "es;q=0", "*", "constructor"])
      expect([language, (await get(token, { "accept-language": language })).body.includes('lang="en"')]).toEqual([
        language,
        true,
      ]);
    const unknown = await get(`0x${"12".repeat(20)}`, { "accept-language": "es" });
    expect([unknown.statusCode, unknown.body.includes("Este token no está disponible.")]).toEqual([404, true]);
  });

  test("C10-95 is the only page that other sites may frame, and has no script, form or cookie", async () => {
    const page = await get(token);
    const policy = String(page.headers["content-security-policy"]);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page.body)![1]!;
    expect(policy.split(";")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      "img-src 'self' https://pictures.example",
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors *"],
    ]);
    expect([page.headers["x-frame-options"], page.headers["set-cookie"]]).toEqual([undefined, undefined]);
    expect(page.body).not.toMatch(/<script|<form|<button|<iframe| style=| on\w+=/i);
    for (const url of ["/guides", "/docs/", "/api/v1/launchpad/tokens", `/og/${token}.svg`]) {
      const { headers } = await read.app.inject({ url });
      expect([url, headers["x-frame-options"]]).toEqual([url, "DENY"]);
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    }
  });

  test("has a QR code of the token's page, which the operator's setting names, not the request", async () => {
    const code = await get(`${token}/code.png`, { host: "evil.example" });
    expect([code.statusCode, code.headers["content-type"]]).toEqual([200, "image/png"]);
    const expected = renderReceiveCode(`https://launch.example/t/${token.toLowerCase()}`);
    expect(code.rawPayload.equals(expected.bytes)).toBe(true);
    expect((await get("0x12/code.png")).statusCode).toBe(404);
    const without = await createReadApp(fixture.database.db, {});
    expect((await without.app.inject({ url: `/embed/${token}/code.png` })).statusCode).toBe(404);
  });

  test("C10-96 a stranger's name and symbol are text: they end no element and change no text direction", async () => {
    const name = `</title><script>alert(1)</script>"'&`;
    const hostile = await insertToken(fixture.database.db, 2, { name, symbol: "\u202eNIT\u0007" });
    await read.deps.readModel.sync();
    const { body } = await get(hostile);
    expect(body).toContain("<bdi>&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;</bdi>");
    expect(body).toContain('<bdi class="muted">NIT</bdi>');
    expect(body).not.toContain("<script");
  });

  test("C10-95 shows no blocked token, and a sentence in place of the error of an unknown one", async () => {
    const { db } = fixture.database;
    const { api } = db;
    await moderate(api, { kind: "token", target: token, blocked: true, reason: "test", administrator: null });
    await read.deps.readModel.sync();
    const paths = [
      token,
      `0x${"1".repeat(40)}`,
      `0x${"0".repeat(40)}`,
      "0x12",
      "..%2f..%2fetc%2fpasswd",
      "%3Cscript%3E",
    ];
    for (const path of paths) {
      const { statusCode, headers, body } = await get(path);
      expect([path, statusCode, headers["cache-control"]]).toEqual([path, 404, "no-store"]);
      expect(body).toContain("This token is not available.");
      expect(headers["content-security-policy"]).toContain("frame-ancestors *");
    }
  });

  test("shows that the price is unavailable while the index is not live, and a token without trades has no line", async () => {
    const { db } = fixture.database;
    const young = await insertToken(db, 3, { name: "Young", symbol: "Y" });
    await read.deps.readModel.sync();
    expect((await get(young)).body).toContain("No price line yet.");
    await db.indexer.query("update chain.status set state = 'halted'");
    await read.deps.readModel.sync();
    const { statusCode, body } = await get(token);
    expect([statusCode, body.includes("The price is not available at the moment.")]).toEqual([503, true]);
  });
});
