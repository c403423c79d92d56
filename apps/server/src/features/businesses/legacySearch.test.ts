import { maxScannedRows } from "@slipway/protocol/searchLimits";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainStatements, rowsRead } from "../../../../../bench/queryPlan.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { countLegacy, listLegacy } from "./directoryQueries.ts";
import type { ListingFilter } from "./listingSql.ts";

/** The deployment before the current one, which `insertIndex` inserts. */
const chain = { chainId: 46630, legacyDeployments: [2] };
/** More tokens than a search without an index reads. */
const tokens = maxScannedRows + 4_000;

let database: ReadDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await startReadDatabase();
  await insertIndex(database.db);
  await insertToken(database.db, 1, { deployment_id: 2 });
  // Copies the token: the names of the newest and the oldest contain "qj", every fourth name contains "boat".
  await database.db.indexer.query(`
    insert into chain.tokens
    select c.* from generate_series(2, ${tokens}) n
    cross join lateral (
      select case when n in (2, ${tokens}) then 'qj ' || n when n % 4 = 0 then 'boat ' || n else 'crane ' || n end as name,
        '0x' || lpad(to_hex(1000000 + n), 40, '0') as address
    ) x
    join chain.tokens t on t.deployment_id = 2
    cross join lateral jsonb_populate_record(t, jsonb_build_object('id', 1000 + n, 'address', x.address, 'pool', x.address,
      'name', x.name, 'search_text', x.name || E'\\nsym\\n' || x.address, 'block_number', 1000 + n,
      'block_time', t.block_time + n)) c`);
  await database.db.indexer.query("vacuum analyze chain.tokens");
  client = await database.connect();
});
afterAll(() => database?.stop());

/** Runs both queries of a search and counts the rows that their plans read. */
async function search(text: string) {
  const { db, plans } = explainStatements(client);
  const { count } = await countLegacy(db as never, chain, text, false);
  const filter: ListingFilter = { list: "directory legacy", source: null, search: text };
  const rows = await listLegacy(db as never, chain, filter, { after: null, limit: 20 });
  return { count: Number(count), names: rows.map(({ listing }) => listing.name), read: rowsRead(plans.flat()) };
}

describe("C5-45 a search for tokens of earlier deployments reads a bounded number of rows:", () => {
  test("for two letters, the newest tokens", async () => {
    const found = await search("qj");
    expect(found).toMatchObject({ count: 1, names: [`qj ${tokens}`] });
    expect(found.read).toBeLessThanOrEqual(2 * (maxScannedRows + 1_000));
  });

  test("for a common text, the newest tokens", async () => {
    const found = await search("boat");
    expect([found.count, found.names[0], found.names.length]).toEqual([1_000, `boat ${tokens - 4}`, 20]);
    expect(found.read).toBeLessThanOrEqual(2 * (maxScannedRows + 2_000));
  });

  test("for a rare text, the index", async () => {
    const found = await search("crane 1001");
    expect(found.names[0]).toBe("crane 1001");
    expect(found.read).toBeLessThanOrEqual(2_000);
  });
});
