import pg from "pg";
import { listTokens } from "./queries.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedIndex } from "../../../../../bench/seedIndex.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";

/** What a request may cost at the most, in milliseconds of CPU of server and database together. */
const budgetMs = 10;
const runs = 12;

const longest = (text: string) => text.repeat(200).slice(0, 200);
const metacharacters = longest("%_\\");

/** Names that make matching slow if anything does: each begins like the search and differs at its end. */
const hostileNames = ["a", "ab", "%", "_", "\\", "%_\\", "a%", "é", "𝒳", "0x", " "].map(longest);

let database: ReadDatabase;
let client: pg.Client;
let read: ReadApp;
/** CPU that the database said its statements used, in milliseconds. */
let databaseMs = 0;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await seedIndex(indexer, { tokens: 2_000, trades: 5_000, headTime: Math.floor(Date.now() / 1000) });
  // Each name stands for many tokens.
  await indexer.query(
    `update chain.tokens t set name = n.name, search_text = lower(n.name || E'\\n' || t.symbol || E'\\n' || t.address)
     from unnest($1::text[]) with ordinality n(name, place) where t.id % 40 = n.place`,
    [hostileNames],
  );
  await indexer.query("vacuum analyze chain.tokens");
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  client.on("notice", ({ message, detail }) => {
    const used = /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/.exec(`${message} ${detail}`);
    if (used) databaseMs += (Number(used[1]) + Number(used[2])) * 1000;
  });
  await client.query("set log_statement_stats = on");
  await client.query("set client_min_messages = log");
  const keepLive = "update chain.status set updated_at = now() + interval '1 hour'";
  await indexer.query(keepLive);
  read = await createReadApp(database.db, { READ_CACHE_BYTES: "0" });
}, 120_000);
afterAll(async () => {
  await client?.end();
  await read?.app.close();
  await database?.stop();
});

/** The least that something used in some runs: whatever else the machine does only adds to it. */
async function leastMs(run: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < runs; n++) least = Math.min(least, await run());
  return least;
}

const serverMs = async (work: () => Promise<unknown>) => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

describe("C4-09 a search costs less than 10 ms of CPU:", () => {
  const searches: [string, string][] = [
    ["percent signs", longest("%")],
    ["underscores", longest("_")],
    ["backslashes", longest("\\")],
    ["all metacharacters", metacharacters],
    ["metacharacters and an end that is nowhere", `${metacharacters.slice(0, 199)}!`],
    ["one letter again and again", longest("a")],
    ["a beginning of many names and another end", `${longest("a").slice(0, 199)}b`],
    [
      "pieces of three, each another one",
      Array.from({ length: 200 }, (_, n) => (n * 7919).toString(36))
        .join("")
        .slice(0, 200),
    ],
    ["two letters in turns", longest("ab")],
    ["beginnings of addresses", longest("0x70")],
    ["nested groups", longest("(a+)+")],
    ["alternatives", longest("(a|aa)*")],
    ["a class without its end", longest("[a-z")],
    ["letters of two bytes", longest("é")],
    ["letters of two UTF-16 units", "𝒳".repeat(100)],
    ["marks that combine", longest("e\u0301")],
    ["spaces", longest(" ")],
    ["line feeds", longest("\n")],
  ];

  test.each(searches)("%s", async (_name, search) => {
    expect(search.length).toBe(200);
    const ofDatabase = await leastMs(async () => {
      databaseMs = 0;
      await listTokens(client as never, { sort: "volume", featured: [], search, limit: 50 });
      // What a statement used is told before the next one is answered.
      await client.query("select 1");
      expect(databaseMs).toBeGreaterThan(0);
      return databaseMs;
    });
    const ofServer = await leastMs(async () =>
      serverMs(async () => {
        const { status } = await read.get(`/tokens?q=${encodeURIComponent(search)}`);
        expect(status).toBe(200);
      }),
    );
    expect(ofDatabase + ofServer).toBeLessThan(budgetMs);
  });

  test("and finds its characters and nothing else", async () => {
    const named = async (q: string) => {
      const { json } = await read.get(`/tokens?limit=300&q=${encodeURIComponent(q)}`);
      return new Set(json.items.map((item: { name: string }) => item.name));
    };
    for (const name of hostileNames.filter((each) => each.trim() !== "")) {
      // A name in capitals of mathematics has no lower case: it is found as it is.
      expect(await named(name), name.slice(0, 6)).toEqual(new Set([name]));
    }
    expect(await named(`${metacharacters.slice(0, 199)}!`)).toEqual(new Set());
    expect(await named("_%")).toEqual(new Set());
  });
});

describe("C4-09 no text of a request makes an expression run long:", () => {
  const long = (text: string, length = 12_000) => text.repeat(length).slice(0, length);
  const address = `0x${"a".repeat(40)}`;
  const requests: [string, string, Record<string, string>?][] = [
    ["a path without end", `/tokens/0x${long("a")}`],
    ["a path of escapes", `/tokens/${long("%25")}`],
    ["an address that ends wrong", `/tokens/0x${"a".repeat(39)}g`],
    ["a limit of digits", `/tokens?limit=${long("9")}`],
    ["a limit that ends wrong", `/tokens?limit=${long("9")}x`],
    ["a time of digits", `/tokens/${address}/candles?before=${long("9")}x`],
    ["parameters without end", `/tokens?${long("a&")}`],
    ["parameters called like credentials", `/tokens?${long("session_session_=&")}`],
    ["a token that is none", `/tokens?token=${long("0xa,")}`],
    ["a userinfo that never comes", `/tokens?q=${long("a:")}`],
    ["a text for a code", `/qr.png?text=${long("ethereum:0x")}`],
    ["a text for a code that ends wrong", `/qr.png?text=ethereum:0x${"a".repeat(40)}@${long("1")}x`],
    ["tags without end", "/tokens", { "if-none-match": long('W/"a", ') }],
    ["tags of spaces", "/tokens", { "if-none-match": `"a"${long(" ")}"b"` }],
    ["a credential without end", "/intents", { authorization: `Bearer ${long("a")}` }],
    ["a credential of spaces", "/intents", { authorization: `Bearer${long(" ")}x` }],
    ["hops without end", "/tokens?limit=1", { "x-forwarded-for": long("1.2.3.4, ") }],
    ["a key of control characters", "/intents", { "idempotency-key": long("a b") }],
  ];

  test.each(requests)("%s", async (_name, path, headers = {}) => {
    const used = await leastMs(async () => serverMs(async () => void (await read.get(path, headers))));
    const plain = await leastMs(async () => serverMs(async () => void (await read.get("/tokens?limit=1"))));
    expect(used).toBeLessThan(budgetMs + plain);
    const { status } = await read.get(path, headers);
    expect(status).toBeLessThan(500);
  });
});
