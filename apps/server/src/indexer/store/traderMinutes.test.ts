import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";

let database: ReadDatabase;

beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

const upsert = `insert into chain.traders as traders (token_id, account_id, last_time)
  select token_id, account_id, last_time
  from json_to_recordset($1) as k(token_id int, account_id int, last_time bigint)
  on conflict (token_id, account_id) do update set last_time = greatest(traders.last_time, excluded.last_time)`;

/** A change of chain.traders: a batch of trades, an undo, a COPY, or the start of a rebuild. */
type Step = { kind: "batch" | "undo" | "copy" | "begin"; seed: number[] };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("batch" as const) },
    { weight: 3, arbitrary: fc.constant("undo" as const) },
    { weight: 1, arbitrary: fc.constant("copy" as const) },
    { weight: 1, arbitrary: fc.constant("begin" as const) },
  ),
  seed: fc.array(fc.nat(2 ** 20), { minLength: 1, maxLength: 30 }),
});

/** Creates rows with unique keys, two tokens (one is token 0), few accounts and a few minutes. */
function createRows(seed: readonly number[]) {
  const rows = seed.map((n) => ({
    token_id: n % 2,
    account_id: (n >> 1) % 12,
    last_time: 1_000_020 + ((n >> 5) % 400),
  }));
  return [...new Map(rows.map((row) => [`${row.token_id}:${row.account_id}`, row])).values()];
}

async function run({ kind, seed }: Step): Promise<void> {
  const { indexer } = database.db;
  const rows = JSON.stringify(createRows(seed));
  if (kind === "batch") await indexer.query(upsert, [rows]);
  else if (kind === "begin") await indexer.query("truncate chain.traders");
  else {
    // An undo restores before images: it deletes the rows and inserts the old rows.
    const keys = "select (k.r->>'token_id')::int, (k.r->>'account_id')::int from json_array_elements($1) k(r)";
    await indexer.query(`delete from chain.traders where (token_id, account_id) in (${keys})`, [rows]);
    if (kind === "copy") {
      const insert = "insert into chain.traders select * from json_populate_recordset(null::chain.traders, $1)";
      await indexer.query(insert, [rows]);
    }
  }
}

test("the count of a minute is the number of wallets whose last trade of any token is in it, after any change of rows", async () => {
  const { indexer } = database.db;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await indexer.query("truncate chain.traders");
      for (const each of steps) {
        await run(each);
        const counted = await indexer.query("select t, traders from chain.trader_minutes order by t");
        const real = await indexer.query(
          `select last_time - last_time % 60 as t, count(*)::int as traders from chain.traders where token_id = 0
           group by 1 order by 1`,
        );
        expect(counted.rows).toEqual(real.rows);
      }
    }),
    { numRuns: 60 },
  );
});
