import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildTestApp } from "../support/buildTestApp.ts";
import { untilIndexed, wallets } from "../support/security/actors.ts";
import { deploySplitter, type LaunchTexts, launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const creator = wallets[0]!;
let stack: TestStack;
let app: Awaited<ReturnType<typeof buildTestApp>>["app"];
let splitter: Hex;

beforeAll(async () => {
  stack = await startTestStack();
  ({ app } = await buildTestApp(stack.deps));
  splitter = await deploySplitter(stack, creator);
});
afterAll(async () => {
  await app?.close();
  await stack?.close();
});

const get = async (path: string) => {
  const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
  return { status: answer.statusCode, body: answer.json() };
};

/** Launches directly at the factory, waits until it is indexed, and returns the token of the API. */
async function launched(texts: LaunchTexts) {
  const token = launchedToken(await sendLaunch(stack, creator, splitter, texts));
  await untilIndexed(stack, token);
  return await vi.waitFor(async () => {
    const answer = await get(`/tokens/${token}`);
    expect(answer.status).toBe(200);
    return answer.body;
  });
}

const dataUri = (document: unknown) =>
  `data:application/json;base64,${Buffer.from(typeof document === "string" ? document : JSON.stringify(document)).toString("base64")}`;

/** Characters that no displayed text may contain: C0 and C1 controls except tab and line feed, direction marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u;

describe("C2-14 a launch is indexed and shown whatever its texts are:", () => {
  test.each<[string, LaunchTexts, Record<string, unknown>]>([
    [
      "NUL in name, symbol and URI",
      { name: "A\0B", symbol: "A\0", contractURI: "data:\0" },
      { name: "AB", symbol: "A" },
    ],
    [
      "direction marks",
      { name: "\u202eeliF\u202c \u2066x\u2069", symbol: "\u200fUSD" },
      { name: "eliF x", symbol: "USD" },
    ],
    [
      "control characters",
      { name: "a\u0007\u001b[31mb\u009fc", symbol: "\r\n\u007fX" },
      { name: "a[31mbc", symbol: "\nX" },
    ],
    ["no text at all", { name: "", symbol: "", contractURI: "" }, { name: "", symbol: "" }],
    ["nothing but what is cleaned", { name: "\0\0", symbol: "\u202e" }, { name: "", symbol: "" }],
    ["a very long name", { name: "x".repeat(20_000) }, { name: "x".repeat(256) }],
    ["a very long symbol", { symbol: "y".repeat(20_000) }, { symbol: "y".repeat(64) }],
    [
      "letters of four bytes cut in the middle",
      { name: `a${"🚀".repeat(200)}` },
      { name: `a${"🚀".repeat(127)}\ufffd` },
    ],
    [
      "SQL and markup",
      { name: "'); drop table chain.tokens;--<script>" },
      { name: "'); drop table chain.tokens;--<script>" },
    ],
    [
      "a document with hostile texts",
      { contractURI: dataUri({ description: "a\0\u202eb", image: "javascript:x", external_link: "http://a.b" }) },
      { description: "ab", image_url: null, website: null },
    ],
    [
      "a document with wrong types",
      { contractURI: dataUri({ description: 1, image: [], external_link: {} }) },
      { description: null, image_url: null, website: null },
    ],
    ["a document that is no JSON", { contractURI: dataUri("{") }, { description: null, image_url: null }],
    ["a document that is null", { contractURI: dataUri("null") }, { description: null, image_url: null }],
    ["broken base64", { contractURI: "data:application/json;base64,@@@" }, { description: null }],
    ["broken percents", { contractURI: "data:application/json,%7B%zz" }, { description: null }],
    ["a deep document", { contractURI: `data:application/json,${"[".repeat(20_000)}` }, { description: null }],
    ["a URI of no scheme", { contractURI: "\u202e\0://" }, { description: null, image_url: null }],
    ["a path that is no URI", { contractURI: "../../etc/passwd" }, { description: null, image_url: null }],
    [
      "__proto__ in the document",
      { contractURI: dataUri('{"__proto__":{"description":"x"},"image":"https://a.b/c"}') },
      { description: null, image_url: "https://a.b/c" },
    ],
  ])("%s", async (_name, texts, shown) => {
    const body = await launched(texts);
    expect(body).toMatchObject(shown);
    expect(forbidden.test([body.name, body.symbol, body.description, body.website, body.image_url].join(""))).toBe(
      false,
    );
    const list = await get("/tokens?sort=new&limit=1");
    expect(list.body.items[0]).toMatchObject({ address: body.address, name: body.name, symbol: body.symbol });
  });

  test("C4-23 a document's links are stored in their normal form, and not at all where parsers read them differently", async () => {
    const normalised = { image: "https://Tin.Example:443/a/../ü.png", external_link: "https://LOCALHOST" };
    expect(await launched({ contractURI: dataUri(normalised) })).toMatchObject({
      image_url: "https://tin.example/%C3%BC.png",
      website: "https://localhost/",
    });
    const ambiguous = {
      image: "https://tin.example\\@evil.example/",
      external_link: "https://tin.example@evil.example/",
    };
    const body = await launched({ contractURI: dataUri(ambiguous) });
    expect(body).toMatchObject({ image_url: null, website: null });
    const { rows } = await stack.deps.db.api.query("select image, website from chain.tokens order by id desc limit 2");
    expect(rows).toEqual([
      { image: null, website: null },
      { image: "https://tin.example/%C3%BC.png", website: "https://localhost/" },
    ]);
  });

  test("bytes that are no UTF-8, where the contract takes them as they come", async () => {
    // The encoder only writes UTF-8, so a marker of the same length is replaced in the call.
    const marker = "0123456789abcdef";
    const token = launchedToken(
      await sendLaunch(stack, creator, splitter, { name: marker, symbol: "BAD" }, (data) =>
        data.replaceAll(Buffer.from(marker).toString("hex"), `fffe80${"c3".repeat(13)}`),
      ),
    );
    await untilIndexed(stack, token);
    const { body } = await get(`/tokens/${token}`);
    expect(body.symbol).toBe("BAD");
    expect(body.name).toMatch(/^\ufffd+$/);
  });

  test("more than a token can hold reverts, and the next launch is indexed", async () => {
    // A megabyte would not fit into a block: its calldata alone costs more gas than a block has.
    const { status } = await sendLaunch(stack, creator, splitter, { name: "z".repeat(2 ** 16) });
    expect(status).toBe("reverted");
    expect((await launched({ name: "After" })).name).toBe("After");
  });
});

test("C2-14 every launch was published and can be found", async () => {
  const { rows } = await stack.deps.db.read.query(
    "select (select count(*)::int from chain.tokens) as tokens, (select count(*)::int from chain.outbox where kind = 'launch') as published",
  );
  expect(rows[0].tokens).toBeGreaterThan(20);
  expect(rows[0].published).toBe(rows[0].tokens);
  const found = await get(`/tokens?q=${encodeURIComponent("'); drop table")}`);
  expect(found.body.total).toBe(1);
});
