import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { storeTestBars, storeTestMarket, testBar } from "../../../tests/support/markets/storeTestBars.ts";
import { runProgram } from "../../../tests/support/runProgram.ts";
import { type ReadDatabase, startReadDatabase } from "../../../tests/support/server/readDatabase.ts";
import { clear } from "../../../tests/support/server/rows.ts";
import { readBars } from "./markets/readBars.ts";

const program = fileURLToPath(new URL("./marketsCommand.ts", import.meta.url));
const header = "time,open,high,low,close,volume";
const folder = temporaryFolder();
const file = join(folder.path, "bars.csv");

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(async () => {
  await database?.stop();
  folder.remove();
});
beforeEach(async () => {
  await clear(database.db);
});

async function run(content: string, ...options: string[]) {
  writeFileSync(file, content);
  const args = options.length > 0 ? options : ["--pair", "BTC_USDT", "--interval", "1h"];
  const { code, stdout, stderr } = await runProgram(program, [file, ...args], { env: { DATABASE_URL: database.url } });
  return { code, out: stdout.trim(), err: stderr.trim() };
}

const hour = 3600;
const first = Date.UTC(2024, 0, 1) / 1000;
const line = (n: number, close = 100 + n) => `${first + n * hour},${close},${close + 1},${close - 1},${close},5`;
const read = async () => {
  const { rows } = await database.db.api.query<{ id: number }>("select id from app.markets");
  return await readBars(database.db.api, { id: rows[0]?.id ?? -1, source: "import", token: null }, hour, {});
};

describe("markets:import", () => {
  test("stores the bars of a file, in any order of columns, with times in either format", async () => {
    const csv = [
      "close,time,open,high,low,volume,quote_volume,trades",
      `10,${first},9,11,8,5,50,3`,
      "11,2024-01-01T01:00:00Z,10,12,9,6,,",
    ];
    const { code, out, err } = await run(`\ufeff${csv.join("\r\n")}\r\n`);
    expect([code, out, err]).toEqual([0, "2 read: 2 new, 0 replaced, 0 unchanged", "2 read"]);
    expect(await read()).toEqual([
      { time: first, open: 9, high: 11, low: 8, close: 10, volume: 5, quoteVolume: 50, trades: 3 },
      { time: first + hour, open: 10, high: 12, low: 9, close: 11, volume: 6, quoteVolume: null, trades: null },
    ]);
  });

  test("reports its progress in a long file", async () => {
    const count = 12_000;
    const { out, err } = await run([header, ...Array.from({ length: count }, (_, n) => line(n))].join("\n"));
    expect(out).toBe(`${count} read: ${count} new, 0 replaced, 0 unchanged`);
    expect(err.split("\n")).toEqual(["5000 read", "10000 read", "12000 read"]);
  });

  test("replaces a different bar of the same time only with --replace", async () => {
    await run([header, line(0), line(1)].join("\n"));
    const changed = [header, line(0), line(1, 300), line(2)].join("\n");
    const refused = await run(changed);
    expect(refused.code).toBe(1);
    expect(refused.err).toBe("Nothing was imported. line 3: another bar of this time is stored; --replace replaces it");
    expect((await read()).map(({ close }) => close)).toEqual([100, 101]);
    const replaced = await run(changed, "--pair", "BTC_USDT", "--interval", "1h", "--replace");
    expect(replaced.out).toBe("3 read: 1 new, 1 replaced, 1 unchanged");
    expect((await read()).map(({ close }) => close)).toEqual([100, 300, 102]);
  });

  test("adds to the history of a market of an exchange", async () => {
    const market = await storeTestMarket(database.db, "BTC_USDT");
    await storeTestBars(database.db, market, hour, [testBar(first + 2 * hour, 7)]);
    expect((await run([header, line(0), line(1)].join("\n"))).code).toBe(0);
    expect(await read()).toHaveLength(3);
    const { rows } = await database.db.api.query("select source from app.markets");
    expect(rows).toEqual([{ source: "exchange" }]);
  });

  test.each([
    ["the header is wrong", "a,b,c\n1,2,3", "line 1: the header must be time,open,high,low,close,volume"],
    ["the file is empty", "", "the file is empty"],
    ["a time is repeated", [header, line(0), line(0)].join("\n"), "line 3: the time equals the previous line's time"],
    ["times go backwards", [header, line(1), line(0)].join("\n"), "line 3: the time precedes the previous line's time"],
    ["a high is below its low", `${header}\n${first},5,4,6,5,1`, "line 2: high, low, open and close contradict"],
    ["a close is above its high", `${header}\n${first},5,6,4,7,1`, "line 2: high, low, open and close contradict"],
    ["a price is 0", `${header}\n${first},0,6,0,5,1`, "line 2: a price is not above 0"],
    ["a number is NaN", `${header}\n${first},5,6,4,NaN,1`, "line 2: close is not a number"],
    ["a number is too large", `${header}\n${first},5,6,4,5,1e999`, "line 2: a number is too large"],
    ["a cell is empty", `${header}\n${first},5,6,4,5,`, "line 2: volume is not a number"],
    ["a time is within an hour", `${header}\n${first + 60},5,6,4,5,1`, "line 2: the time is not the start of a bar"],
    [
      "a bar has not ended",
      `${header}\n${first + 10 ** 9 - (10 ** 9 % hour)},5,6,4,5,1`,
      "line 2: the bar has not ended yet",
    ],
    ["a line has more columns", `${header}\n${line(0)},9`, "line 2: the number of columns is wrong"],
    ["C9-09 a cell is a formula", `${header}\n${first},5,6,4,=1+5,1`, "line 2: close is not a number"],
    [
      "C9-09 a cell has control characters",
      `${header}\n${first},5,6,4,\u001b]0;x\u0007,1`,
      "line 2: close is not a number",
    ],
    ["C9-09 a line is huge", `${header}\n${line(0)}\n${"9".repeat(3_000_000)}`, "line 3: it is longer than 1024 bytes"],
    ["C9-09 a quote is not closed", `${header}\n"${line(0)}\n${"x\n".repeat(2_000)}`, "it is longer than 1024 bytes"],
  ])("stores nothing when %s, and names the line", async (_, content, message) => {
    const { code, out, err } = await run(content);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`Nothing was imported. `);
    expect(err).toContain(message);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that a terminal would execute
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]|=1\+5/);
    expect((await database.db.api.query("select from app.markets")).rowCount).toBe(0);
    expect(await read()).toEqual([]);
  });

  test.each([
    ["no pair", ["--interval", "1h"], "--pair must be a pair such as BTC_USDT"],
    ["a pair in lower case", ["--pair", "btc_usdt", "--interval", "1h"], "--pair must be a pair"],
    ["another interval", ["--pair", "BTC_USDT", "--interval", "5m"], "--interval must be 1h or 1m"],
  ])("prints the usage for %s", async (_, options, message) => {
    const { code, err } = await run(`${header}\n${line(0)}`, ...options);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });

  test("refuses the name of a launch's market", async () => {
    const { code, err } = await run(`${header}\n${line(0)}`, "--pair", "T00000003E9_WETH", "--interval", "1h");
    expect([code, err]).toEqual([1, expect.stringContaining("is the name of a launch's market")]);
  });
});
