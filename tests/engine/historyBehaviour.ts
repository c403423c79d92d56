import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { intervalSeconds } from "@slipway/protocol/candle";
import type { History } from "@slipway/server/history/history";
import { readHistoryState } from "@slipway/server/history/stateQueries";
import type { ClickHouse } from "@slipway/server/providers/clickHouse/createClickHouse";
import { beforeAll, expect, test } from "vitest";
import { seededAddress } from "../../bench/seedModel.ts";
import { copyAll, detach, openHistory, seeded, setFinal } from "../support/engine/historyFixture.ts";
import type { TestEngine } from "../support/engine/startChdb.ts";
import type { ReadDatabase } from "../support/server/readDatabase.ts";
import { headTime } from "../support/server/rows.ts";

export type HistorySetup = {
  database: ReadDatabase;
  engine: TestEngine;
  clickHouse: ClickHouse;
  cluster: string | null;
};

/** Few busy tokens, quiet ones, and the last, which has no trades. */
const tokens = [1, 2, 3, 10, 30, 45, 59, seeded.tokens].map(seededAddress);
const far = 10 ** 12;

/** Reads everything that the API can return of the tokens: latest trades, all pages by filter, all candles. */
async function readAll(history: History, database: ReadDatabase, makers: readonly string[]) {
  const { read } = database.db;
  const answers: Record<string, string[]> = {};
  const keep = (name: string, rows: readonly unknown[] | string | null) => {
    answers[name] = Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)) : [String(rows)];
  };
  for (const address of tokens) {
    for (const limit of [1, 50, 300])
      keep(`${address} latest ${limit}`, (await history.latest(read, address, limit))?.trades ?? null);
    const filters = [
      { maker: null, account: null, side: null },
      { maker: null, account: null, side: "sell" as const },
      { maker: makers[0]!, account: null, side: null },
      { maker: null, account: makers[1]!, side: "buy" as const },
    ];
    for (const filter of filters) {
      keep(
        `${address} ${JSON.stringify(filter)}`,
        await readPages(history, database, { address, limit: 70, ...filter }),
      );
    }
    for (const seconds of Object.values(intervalSeconds)) {
      const candles: unknown[] = [];
      for (let before = far; ; ) {
        const page = (await history.candles(read, { address, seconds, bucketSeconds: seconds, before, limit: 40 }))!;
        const found = page.filter((row) => row.t !== null);
        candles.push(
          ...found.map(({ usd_known, t, o, h, l, c, o_usd, h_usd, l_usd, c_usd, n, buys, vq, v }: any) => [
            usd_known,
            t,
            o,
            h,
            l,
            c,
            o_usd,
            h_usd,
            l_usd,
            c_usd,
            n,
            buys,
            vq,
            v,
          ]),
        );
        if (found.length < 40) break;
        before = found.at(-1)!.t as number;
      }
      keep(`${address} candles ${seconds}`, candles);
    }
    const seconds = await history.seconds(read, { address, before: far });
    keep(`${address} candles of a second`, seconds === null ? null : [...seconds.candles, seconds.hasMore]);
  }
  return answers;
}

type Page = Parameters<History["before"]>[1];

/** Reads all pages; returns the trades. */
async function readPages(
  history: History,
  { db }: ReadDatabase,
  page: Omit<Page, "before">,
  start: string | null = null,
) {
  const trades: unknown[] = [];
  for (let before = start; ; ) {
    const found = await history.before(db.read, { ...page, before });
    if (found === null || found === "expired") return found;
    trades.push(...found.trades);
    if (found.nextBefore === null) return trades;
    before = found.nextBefore;
  }
}

async function findMakers({ db }: ReadDatabase): Promise<string[]> {
  const { rows } = await db.indexer.query(
    `select '0x' || encode(a.address, 'hex') as address from chain.trades t join chain.accounts a on a.id = t.maker_id
     where t.token_id = 1 group by a.address order by count(*) desc limit 2`,
  );
  return rows.map(({ address }) => address);
}

/** The trades of both stores by count, and the copies of one key in the engine. */
async function countRows({ database, engine }: HistorySetup) {
  const state = (await readHistoryState(database.db.indexer))!;
  const stored = await database.db.indexer.query(
    "select count(*)::int as n from chain.trades where block_number <= $1",
    [state.copied_block],
  );
  const table = `slipway.trades_${state.generation}`;
  const distinct = await engine.query(
    `select count() from (select token_id from ${table} group by token_id, block_number, log_index)`,
  );
  return { stored: stored.rows[0].n as number, copied: Number(distinct), table, generation: state.generation };
}

/** Runs `npm run history:check`. */
export async function runCheck({ database, engine, cluster }: HistorySetup, ...options: string[]) {
  const command = join(import.meta.dirname, "../../apps/server/src/historyCheckCommand.ts");
  const env = { DATABASE_URL: database.url, HISTORY_URL: engine.url, ...(cluster && { HISTORY_CLUSTER: cluster }) };
  const child = spawn(process.execPath, [command, ...options], { env: { ...process.env, ...env } });
  let output = "";
  child.stdout.on("data", (text: Buffer) => (output += text.toString()));
  child.stderr.on("data", (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

/** Compares the answers one by one, so that a failure shows the first rows that differ. */
function expectEqual(found: Record<string, string[]>, expected: Record<string, string[]>): void {
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const [name, rows] of Object.entries(expected)) {
    const index = rows.findIndex((row, place) => row !== found[name]![place]);
    if (index !== -1) expect([name, index, found[name]![index]]).toEqual([name, index, rows[index]]);
    expect([name, found[name]!.length]).toEqual([name, rows.length]);
  }
}

/** Tests that hold for every engine. Each continues with the state that the one before leaves. */
export function describeHistory(getSetup: () => HistorySetup): void {
  let expected: Record<string, string[]>;
  let makers: string[];

  beforeAll(async () => {
    const { database } = getSetup();
    makers = await findMakers(database);
    expected = await readAll(openHistory(null), database, makers);
  });

  test("a copy that is killed between any two steps loses nothing and copies nothing twice", {
    timeout: 900_000,
  }, async () => {
    const setup = getSetup();
    const { database, engine, cluster } = setup;
    const program = join(import.meta.dirname, "../support/engine/copyUntilKilled.ts");
    const watermarks: number[] = [];
    let kills = 0;
    // Every second run is killed after its last request has reached the engine.
    for (let step = 1; ; step += 1) {
      const args = [program, database.url, engine.url, cluster ?? "", String(step)];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
      const [code, signal] = (await once(child, "close")) as [number | null, string | null];
      watermarks.push((await readHistoryState(database.db.indexer))?.copied_block ?? 0);
      if (signal === "SIGKILL") kills++;
      else {
        expect(code).toBe(0);
        break;
      }
    }
    expect(kills).toBeGreaterThan(8);
    expect(watermarks).toEqual(watermarks.toSorted((a, b) => a - b));
    const { stored, copied } = await countRows(setup);
    expect([copied, copied]).toEqual([stored, expect.any(Number)]);
    expect(stored).toBeGreaterThan(4_000);
    expect(await runCheck(setup)).toMatchObject({ code: 0, output: expect.stringContaining("0 differences") });
  });

  test("the job continues from the watermark when later blocks are final", async () => {
    const setup = getSetup();
    await copyAll(setup.database, setup.clickHouse);
    const before = await countRows(setup);
    await setFinal(setup.database, headTime - 43_200);
    await copyAll(setup.database, setup.clickHouse);
    const after = await countRows(setup);
    expect(after.copied).toBe(after.stored);
    expect(after.copied).toBeGreaterThan(before.copied);
  });

  test("every page that crosses the watermark is equal to the page of PostgreSQL alone", async () => {
    const { database, clickHouse } = getSetup();
    // A trade's id as a cursor of an earlier version, and of another token.
    const { rows } = await database.db.indexer.query(
      `select '0x' || encode(tx_hash, 'hex') || ':' || log_index as id, block_number::float8 as block from chain.trades
       where token_id = 1 order by block_number offset 40 limit 1`,
    );
    const page = { address: tokens[0]!, limit: 15, maker: null, account: null, side: null };
    const rest = await readPages(openHistory(null), database, page, rows[0].id);

    const block = await detach(database, headTime - 3 * 86_400);
    expectEqual(await readAll(openHistory(clickHouse), database, makers), expected);

    expect(rows[0].block).toBeLessThan(block);
    expect(await readPages(openHistory(clickHouse), database, page, rows[0].id)).toEqual(rest);
    expect(await readPages(openHistory(clickHouse), database, page, `${rows[0].id}:${rows[0].block}`)).toEqual(rest);
    const unknown = `0x${"12".repeat(32)}:1`;
    expect(await readPages(openHistory(clickHouse), database, page, unknown)).toBe("expired");
    // A block above the watermark is not trusted: the trade may have been reorganised away.
    expect(await readPages(openHistory(clickHouse), database, page, `${unknown}:${block + 1}`)).toBe("expired");
  });

  test("copies of a row in the engine appear once", async () => {
    const setup = getSetup();
    const { table } = await countRows(setup);
    await setup.engine.query(`insert into ${table} select * from ${table} where token_id = 1 and block_number % 3 = 0`);
    expectEqual(await readAll(openHistory(setup.clickHouse), setup.database, makers), expected);
  });

  test("history:check finds changed, missing and added rows, and repairs what PostgreSQL has", async () => {
    const setup = getSetup();
    const { table, generation } = await countRows(setup);
    const state = (await readHistoryState(setup.database.db.indexer))!;
    // In the last range, which PostgreSQL has.
    const recent = `block_number > ${state.copied_block - 450}`;
    const others =
      "eth_usd, maker_id, recipient_id, account_id, account_source, is_buy, tx_hash, token_amount, quote_amount";
    const block = await setup.engine.query(`select max(block_number) from ${table} where token_id = 2`);
    // Changed: a later version. Added: another log index.
    await setup.engine.query(
      `insert into ${table} select token_id, block_number, log_index, block_time, pool_price * 2, ${others}, version + 1
       from ${table} where token_id = 1 and ${recent} limit 3`,
    );
    await setup.engine.query(
      `insert into ${table} select token_id, block_number, 4000000, block_time, pool_price, ${others}, version
       from ${table} where token_id = 2 and block_number = ${block}`,
    );
    const candles = `slipway.candles_${generation}`;
    await setup.engine.query(
      `insert into ${candles} select token_id, seconds, t, o, h, l, c, o_usd, h_usd, l_usd, c_usd, n + 1, buys, vq, v, version + 1
       from ${candles} where token_id = 3 and seconds = 60 and t > ${state.copied_time - 20_000} limit 1`,
    );
    const found = await runCheck(setup);
    expect(found.code).toBe(1);
    for (const [kind, token] of [
      ["trades", 1],
      ["trades", 2],
      ["candles", 3],
    ] as const) {
      expect(found.output).toMatch(new RegExp(`differs: ${kind} of ${seededAddress(token)} in blocks`));
    }
    const repaired = await runCheck(setup, "--repair");
    expect([repaired.code, repaired.output]).toEqual([0, expect.stringContaining("repaired: trades")]);
    expect((await runCheck(setup)).code).toBe(0);
    expectEqual(await readAll(openHistory(setup.clickHouse), setup.database, makers), expected);
  });

  test("history:check compares detached ranges with the digest of their copy, and repairs nothing from missing rows", async () => {
    const setup = getSetup();
    const { db } = setup.database;
    const { table } = await countRows(setup);
    const state = (await readHistoryState(db.indexer))!;
    const others =
      "eth_usd, maker_id, recipient_id, account_id, account_source, is_buy, tx_hash, token_amount, quote_amount";
    await setup.engine.query(
      `insert into ${table} select token_id, block_number, log_index, block_time, pool_price * 2, ${others}, version + 5
       from ${table} where token_id = 1 and block_number < ${state.detached_block} order by block_number limit 1`,
    );
    const found = await runCheck(setup, "--repair");
    expect([found.code, found.output]).toEqual([1, expect.stringMatching(/differs: trades of all tokens .*attach/)]);

    // PostgreSQL loses rows without a record of it: the engine has the only copy, which must stay.
    const { copied } = await countRows(setup);
    const lost = "token_id = 2 and block_number > $1 and block_number <= $2";
    await db.indexer.query(`delete from chain.trades where ${lost}`, [state.copied_block - 500, state.copied_block]);
    const changed = await runCheck(setup, "--repair");
    expect([changed.code, changed.output]).toEqual([1, expect.stringContaining("nothing is repaired from it")]);
    expect((await countRows(setup)).copied).toBe(copied);
  });
}
