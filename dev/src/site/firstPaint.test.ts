import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "../stack/stackFolder.ts";
import { buildSite } from "./buildSite.ts";

type Render = (path: string, answers: string) => Promise<string>;
type Answer = { operation: string; input: unknown; answer: unknown };

const renderers = new Map<string, Render>();
let token: Record<string, unknown> & { address: string };
let tokens: { items: Record<string, unknown>[] };

beforeAll(async () => {
  const { folder } = await buildSite();
  for (const language of ["en", "es"]) {
    const file = pathToFileURL(join(folder, ".vite/firstPaint", language, "firstPaint.js")).href;
    renderers.set(language, ((await import(file)) as { renderFirstPaint: Render }).renderFirstPaint);
  }
  const examples = JSON.parse(readFileSync(join(repositoryRoot, "apps/server/openApi/examples.json"), "utf8"));
  token = examples.getToken.answers[200];
  tokens = examples.listTokens.answers[200];
});

const render = (path: string, answers: readonly Answer[], language = "en") =>
  renderers.get(language)!(path, JSON.stringify(answers));
const renderList = (items: readonly unknown[], language?: string) =>
  render(
    "/",
    [{ operation: "listTokens", input: { sort: "volume", limit: 50 }, answer: { ...tokens, items } }],
    language,
  );
const renderToken = (changes: object, language?: string) => {
  const input = { address: token.address.toLowerCase() };
  return render(`/t/${token.address}`, [{ operation: "getToken", input, answer: { ...token, ...changes } }], language);
};

const hostile = [
  '"><script>alert(1)</script>',
  "</div></main><img src=x onerror=alert(1)>",
  '" style="position:fixed',
  " style=&quot;color:red&quot;",
  "$& $1 $`",
];

describe("a first paint", () => {
  test.each(hostile)("C10-99 escapes the name %s", async (name) => {
    const shown = name
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");
    for (const html of [
      await renderList([{ ...tokens.items[0], name, symbol: name }]),
      await renderToken({ name, symbol: name, description: name }),
    ]) {
      expect(html).toContain(shown);
      expect(html.match(/<script|<img src=x|\bonerror=(?!alert\(1\)&gt;)| style="/g)).toBeNull();
    }
  });

  test("C10-99 has nothing of the page that was rendered before", async () => {
    await renderToken({ name: "First Token" });
    const [first, second] = await Promise.all([renderToken({ name: "Second" }), renderToken({ name: "Third" })]);
    expect(first).toContain("Second");
    expect(first).not.toMatch(/First Token|Third/);
    expect(second).toContain("Third");
    expect(second).not.toMatch(/First Token|Second/);
  });

  test("has the texts and numbers of its language", async () => {
    const figures = { market_cap_usd: 1_234_567.8, holders: 12_345 };
    const find = async (language: string) =>
      [...(await renderToken(figures, language)).matchAll(/<dt[^>]*>([^<]+)<\/dt><dd[^>]*>([^<]+)</g)].map(
        ([, ...row]) => row,
      );
    expect(await find("en")).toEqual(
      expect.arrayContaining([
        ["Market cap", "$1.23M"],
        ["Holders", "12,345"],
      ]),
    );
    expect(await find("es")).toEqual(expect.arrayContaining([["Titulares", "12.345"]]));
  });

  test("has no times, because the server's HTML is cached", async () => {
    const html = await renderToken({ launched_at: new Date().toISOString() });
    expect(html.match(/<time[^>]*>[^<]+/)).toBeNull();
    expect(html).toContain("<time");
  });

  test("has at most 20 rows of a list", async () => {
    const items = [...Array(50).keys()].map((number) => ({
      ...tokens.items[0],
      address: `0x${String(number).padStart(40, "0")}`,
    }));
    const html = await renderList(items);
    expect(html.match(/<tr/g)!.length).toBe(21);
  });
});
