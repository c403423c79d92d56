import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlanNode, pagesTouched, queryPlan, type Statement } from "../../../../../bench/queryPlan.ts";
import { seedIndex } from "../../../../../bench/seedIndex.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { noFilters } from "./tokenFilterQueries.ts";
import { listTokens } from "./tokenListQueries.ts";

const runs = 12;
/** Number of newest tokens that determine whether a text is common. */
const maxSampled = 200;
const tokens = 2_000;
/** Tokens with the same hostile name. */
const tokensPerName = 50;
/** Maximum CPU of a search relative to a scan of all tokens that hashes each text. */
const maxScanRatio = 8;
/** Maximum CPU of a hostile request relative to a plain one of the same run. */
const maxRequestRatio = 10;

const longest = (text: string) => text.repeat(200).slice(0, 200);
const metacharacters = longest("%_\\");

/** Names with the longest common prefix with a search that does not match them: the worst case of matching. */
const hostileNames = ["a", "ab", "%", "_", "\\", "%_\\", "a%", "é", "𝒳", "0x", " "].map(longest);

let database: ReadDatabase;
let client: pg.Client;
let read: ReadApp;
/** CPU of the database for the statements of the client, in milliseconds. */
let databaseMs = 0;

beforeAll(async () => {
  database = await startReadDatabase();
  const { indexer } = database.db;
  await seedIndex(indexer, { tokens, trades: 5_000, headTime: Math.floor(Date.now() / 1000) });
  await indexer.query(
    `update chain.tokens t set name = n.name, search_text = lower(n.name || E'\\n' || t.symbol || E'\\n' || t.address)
     from unnest($1::text[]) with ordinality n(name, place) where t.id % 40 = n.place`,
    [hostileNames],
  );
  await indexer.query("vacuum analyze chain.tokens");
  client = await database.connect();
  client.on("notice", ({ message, detail }) => {
    const used = /([\d.]+) s user, ([\d.]+) s system, [\d.]+ s elapsed/.exec(`${message} ${detail}`);
    if (used) databaseMs += (Number(used[1]) + Number(used[2])) * 1000;
  });
  await client.query("set log_statement_stats = on");
  await client.query("set client_min_messages = log");
  const keepLive = "update chain.status set updated_at = now() + interval '1 hour'";
  await indexer.query(keepLive);
  read = await createReadApp(database.db, { READ_CACHE_BYTES: "0" });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

/** The minimum CPU of several runs: other load on the machine only increases it. */
async function measureMinMs(run: () => Promise<number>): Promise<number> {
  let minimum = Number.POSITIVE_INFINITY;
  for (let n = 0; n < runs; n++) minimum = Math.min(minimum, await run());
  return minimum;
}

/** CPU of the database for some statements of the client, in milliseconds. */
async function measureDatabaseMs(work: () => Promise<unknown>): Promise<number> {
  databaseMs = 0;
  await work();
  // The statistics of a statement arrive before the response to the next one.
  await client.query("select 1");
  expect(databaseMs).toBeGreaterThan(0);
  return databaseMs;
}

/** CPU of this process for a request, in milliseconds. */
async function measureServerMs(path: string, headers: Record<string, string> = {}): Promise<number> {
  const before = process.cpuUsage();
  await read.get(path, headers);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

type ScanNode = PlanNode & { "Rows Removed by Index Recheck"?: number };

/** Rows of a table that a plan reads, with those that a filter or a recheck removes. */
function countRows(nodes: readonly ScanNode[], table: string): number {
  return nodes
    .filter((node) => node["Relation Name"] === table)
    .reduce((sum, node) => {
      const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
      return sum + (node["Actual Rows"] + removed) * node["Actual Loops"];
    }, 0);
}

describe("C4-09 a search reads each token at most once and matches it in linear time:", () => {
  const searches: [string, string][] = [
    ["percent signs", longest("%")],
    ["underscores", longest("_")],
    ["backslashes", longest("\\")],
    ["all metacharacters", metacharacters],
    ["metacharacters and a different end", `${metacharacters.slice(0, 199)}!`],
    ["one repeated letter", longest("a")],
    ["the prefix of many names and a different end", `${longest("a").slice(0, 199)}b`],
    [
      "200 different characters",
      Array.from({ length: 200 }, (_, n) => (n * 7919).toString(36))
        .join("")
        .slice(0, 200),
    ],
    ["two alternating letters", longest("ab")],
    ["prefixes of addresses", longest("0x70")],
    ["nested groups", longest("(a+)+")],
    ["alternatives", longest("(a|aa)*")],
    ["an unterminated character class", longest("[a-z")],
    ["letters of two bytes", longest("é")],
    ["letters of two UTF-16 units", "𝒳".repeat(100)],
    ["combining marks", longest("e\u0301")],
    ["spaces", longest(" ")],
    ["line feeds", longest("\n")],
  ];

  /**
   * Searches without three letters or digits in a row: the database reads each token once. All others use the index.
   */
  const unindexed = new Set([
    ...["percent signs", "underscores", "backslashes", "all metacharacters", "spaces", "line feeds"],
    ...["metacharacters and a different end", "200 different characters", "combining marks"],
    ...["nested groups", "alternatives", "an unterminated character class"],
  ]);

  test.each(searches)("%s", async (name, search) => {
    expect(search.length).toBe(200);
    const statements: Statement[] = [];
    const spy = {
      query: async (query: string | Statement, values: unknown[] = []) => {
        const statement = typeof query === "string" ? { text: query, values } : query;
        statements.push(statement);
        return await client.query(statement.text, statement.values);
      },
    };
    const searchTokens = async () =>
      await listTokens(spy as never, {
        sort: "volume",
        featured: [],
        search,
        limit: tokensPerName,
        filters: noFilters,
        after: null,
      });

    const found = await searchTokens();
    if (found === "expired") throw new Error("a first page needs no token");
    // Whether the text is common, the matching tokens, and their page; beyond a to z, also whether it has letters.
    expect(statements).toHaveLength(name.startsWith("letters of two") ? 4 : 3);
    const nodes: PlanNode[] = [];
    for (const statement of statements) nodes.push(...(await queryPlan(client, statement)));
    // Matching tokens are read a second time for the page. Only a search without trigrams reads all tokens.
    const pageRows = found.total === 0 ? 0 : tokensPerName;
    const matching = (unindexed.has(name) ? tokens : tokensPerName) + pageRows;
    expect(countRows(nodes, "tokens")).toBeLessThanOrEqual(maxSampled + matching);
    expect(countRows(nodes, "token_state")).toBeLessThanOrEqual(2 * pageRows);
    expect(pagesTouched(nodes)).toBeLessThanOrEqual(1_000);
    // One wildcard at each end: matching a text is linear in its length.
    const pattern = String(statements[0]!.values!.at(-1));
    expect(pattern.at(0) + pattern.at(-1)!).toBe("%%");
    expect(pattern.slice(1, -1).replace(/\\[\\%_]/g, "")).not.toMatch(/[\\%_]/);

    const scanMs = await measureMinMs(() =>
      measureDatabaseMs(() => client.query("select count(*) from chain.tokens where md5(search_text) = ''")),
    );
    const searchMs = await measureMinMs(() => measureDatabaseMs(searchTokens));
    expect(searchMs / scanMs).toBeLessThan(maxScanRatio);
    const plainMs = await measureMinMs(() => measureServerMs("/tokens?limit=1"));
    const path = `/tokens?q=${encodeURIComponent(search)}`;
    const requestMs = await measureMinMs(() => measureServerMs(path));
    expect(requestMs / plainMs).toBeLessThan(maxRequestRatio);
    expect((await read.get(path)).status).toBe(200);
  });

  test("finds its characters literally", async () => {
    const named = async (q: string) => {
      const { json } = await read.get(`/tokens?limit=300&q=${encodeURIComponent(q)}`);
      return new Set(json.items.map((item: { name: string }) => item.name));
    };
    for (const name of hostileNames.filter((each) => each.trim() !== "")) {
      // Mathematical capitals have no lower case: they match unchanged.
      expect(await named(name), name.slice(0, 6)).toEqual(new Set([name]));
    }
    expect(await named(`${metacharacters.slice(0, 199)}!`)).toEqual(new Set());
    expect(await named("_%")).toEqual(new Set());
  });
});

describe("C4-09 no text of a request causes excessive CPU:", () => {
  const long = (text: string, length = 12_000) => text.repeat(length).slice(0, length);
  const address = `0x${"a".repeat(40)}`;
  const requests: [string, string, Record<string, string>?][] = [
    ["a long path", `/tokens/0x${long("a")}`],
    ["a path of escapes", `/tokens/${long("%25")}`],
    ["an address with an invalid end", `/tokens/0x${"a".repeat(39)}g`],
    ["a limit of digits", `/tokens?limit=${long("9")}`],
    ["a limit with an invalid end", `/tokens?limit=${long("9")}x`],
    ["a time of digits", `/tokens/${address}/candles?before=${long("9")}x`],
    ["many parameters", `/tokens?${long("a&")}`],
    ["parameters named like credentials", `/tokens?${long("session_session_=&")}`],
    ["an invalid token", `/tokens?token=${long("0xa,")}`],
    ["text like a userinfo", `/tokens?q=${long("a:")}`],
    ["a QR text", `/qr.png?text=${long("ethereum:0x")}`],
    ["a QR text with an invalid end", `/qr.png?text=ethereum:0x${"a".repeat(40)}@${long("1")}x`],
    ["many entity tags", "/tokens", { "if-none-match": long('W/"a", ') }],
    ["entity tags with spaces", "/tokens", { "if-none-match": `"a"${long(" ")}"b"` }],
    ["a long credential", "/intents", { authorization: `Bearer ${long("a")}` }],
    ["a credential of spaces", "/intents", { authorization: `Bearer${long(" ")}x` }],
    ["many proxy hops", "/tokens?limit=1", { "x-forwarded-for": long("1.2.3.4, ") }],
    ["a key with spaces", "/intents", { "idempotency-key": long("a b") }],
  ];

  test.each(requests)("%s", async (_name, path, headers = {}) => {
    const requestMs = await measureMinMs(() => measureServerMs(path, headers));
    const plainMs = await measureMinMs(() => measureServerMs("/tokens?limit=1"));
    expect(requestMs / plainMs).toBeLessThan(maxRequestRatio);
    const { status } = await read.get(path, headers);
    expect(status).toBeLessThan(500);
  });
});
