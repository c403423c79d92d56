import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../../tests/support/server/readDatabase.ts";
import { delaySplitter, postponeSplitter, takeDueSplitters } from "./keeperQueries.ts";

const ether = 10n ** 18n;
/** Fees of 0.01 native: a volume of one native at 100 bp. */
const minFees = ether / 100n;

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

type Launch = { id: number; splitter: string; volume: bigint; feeBps?: number };

async function insertLaunches(launches: readonly Launch[], unproven: readonly string[]): Promise<void> {
  const client = await database.connect();
  for (const { id, splitter, volume, feeBps = 100 } of launches) {
    await client.query(
      `insert into chain.tokens (id, address, pool, deployment_id, is_token0, name, symbol, contract_uri, creator, splitter,
         partner_share_bps, fee_bps, protocol_fee_bps, salt, quote_token, tick_start, tick_lower, tick_upper,
         locked_liquidity, start_price, block_number, block_time, log_index, tx_hash, search_text)
       values ($1, 't' || $1::int, 'p' || $1::int, 1, true, '', '', '', '', $2, 0, $3, 10, '', 'weth', 0, 0, 0, 1, 1, 1, 1, 0, '', '')`,
      [id, splitter, feeBps],
    );
    await client.query(
      `insert into chain.token_state (token_id, sqrt_price_x96, tick, liquidity, price, total_supply, market_cap,
         price_24h_ago, changed_block, changed_time, volume_quote) values ($1, 1, 1, 1, 1, 1, 1, 1, 1, 1, $2)`,
      [id, volume.toString()],
    );
  }
  const proven = [...new Set(launches.map(({ splitter }) => splitter))];
  for (const splitter of proven) {
    await client.query("insert into chain.splitters (address, proven, block_number) values ($1, $2, 1)", [
      splitter,
      !unproven.includes(splitter),
    ]);
  }
}

const take = async (limit = 10) => await takeDueSplitters(database.db.api, { minFees, limit });
const names = async (limit?: number) => (await take(limit)).map(({ splitter }) => splitter);
/** Lets the leases and pauses of all splitters end. */
const endPauses = async () => await database.db.api.query("update app.keeper_splitters set next_check_at = now()");

test("takes the splitters with enough fees, each with its launches of the most fees, once until the lease ends", async () => {
  const client = await database.connect();
  await client.query("set session_replication_role = replica");
  await client.query(
    "insert into chain.deployments (id, launch_factory, fee_locker, deployment_block, legacy) values (1, 'f', 'l', 1, false)",
  );
  const many = Array.from(
    { length: 7 },
    (_, i): Launch => ({ id: 10 + i, splitter: "many", volume: BigInt(i + 1) * ether }),
  );
  await insertLaunches(
    [
      { id: 1, splitter: "rich", volume: 50n * ether },
      { id: 2, splitter: "poor", volume: ether - 1n },
      { id: 3, splitter: "edge", volume: ether },
      // Nothing is left for recipients at 10 bp, and half as much at 50 bp.
      { id: 4, splitter: "none", volume: 1_000n * ether, feeBps: 10 },
      { id: 5, splitter: "half", volume: 3n * ether, feeBps: 50 },
      { id: 6, splitter: "refuted", volume: 100n * ether },
      ...many,
    ],
    ["refuted"],
  );
  // Two workers share the splitters.
  expect(await names(2)).toEqual(["rich", "many"]);
  expect(await names()).toEqual(["half", "edge"]);
  expect(await take()).toEqual([]);
  await endPauses();
  const all = await take();
  expect(all).toEqual([
    { splitter: "rich", tokens: ["t1"], fees: ether / 2n },
    { splitter: "many", tokens: ["t16", "t15", "t14", "t13", "t12"], fees: (28n * ether) / 100n },
    { splitter: "half", tokens: ["t5"], fees: (15n * ether) / 1_000n },
    { splitter: "edge", tokens: ["t3"], fees: ether / 100n },
  ]);
});

test("takes a splitter again when its fees have grown, after its pause, and while no claim is pending", async () => {
  const { api } = database.db;
  await postponeSplitter(api, "rich", { nextFees: ether / 2n + 1n, pauseSeconds: 0 });
  await postponeSplitter(api, "many", { nextFees: 0n, pauseSeconds: 600 });
  await postponeSplitter(api, "edge", { nextFees: 0n, pauseSeconds: 0 });
  await postponeSplitter(api, "half", { nextFees: 0n, pauseSeconds: 0 });
  await api.query(
    `insert into app.keeper_claims (id, chain_id, sender, splitter, tokens, payees, worth, max_cost)
     values (gen_random_uuid(), 1, 's', 'half', '{}', '{}', 1, 1)`,
  );
  expect(await names()).toEqual(["edge"]);
  const client = await database.connect();
  await client.query("update chain.token_state set volume_quote = volume_quote + 100 where token_id = 1");
  expect(await names()).toEqual(["rich"]);
});

test("doubles the pause of each failure, up to a day, and cuts the error", async () => {
  const { api } = database.db;
  const pauses: number[] = [];
  for (let i = 0; i < 13; i++) {
    await delaySplitter(api, "rich", "x".repeat(2_000));
    const { rows } = await api.query(
      `select extract(epoch from next_check_at - now())::int as pause, length(last_error) as size, next_fees::int as next
       from app.keeper_splitters where splitter = 'rich'`,
    );
    expect([rows[0].size, rows[0].next]).toEqual([500, 0]);
    pauses.push(Math.round(rows[0].pause / 60));
  }
  expect(pauses.slice(0, 4)).toEqual([2, 4, 8, 16]);
  expect(pauses.at(-1)).toBe(1_440);
});
