import { topicAddress, uintWord } from "@slipway/protocol/rawLog";
import { type Abi, encodeEventTopics, parseAbi } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { createHandmadeChain } from "../../../../../tests/support/indexer/handmadeChain.ts";
import { openIndexDatabase } from "../../../../../tests/support/indexer/openIndexDatabase.ts";
import { createTestDeps, until } from "../../../../../tests/support/indexer/testDeps.ts";
import { encodeLog } from "../../../../../tests/support/simulation/encodeLog.ts";
import { createRandom } from "../../../../../tests/support/simulation/random.ts";
import { simulatedManifest } from "../../../../../tests/support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../../../../../tests/support/simulation/simulatedNode.ts";
import { getRows } from "../reduce/batch.ts";
import { startIndexer } from "../startIndexer.ts";
import { allEvents } from "./allEvents.ts";
import type { EventModule } from "./eventModule.ts";
import { createEventTable } from "./eventTable.ts";

/*
 * Shows the cost of a new contract event: only this file defines its topic, role, reduction and table. The event is
 * indexed near the head and by backfill, undone by a reorganisation and emptied by a rebuild, without a change of any
 * other file.
 */

const abi = parseAbi(["event PriceQuoted(address indexed caller, uint256 price)"]) as Abi;

type PriceQuoteRow = { block_number: number; log_index: number; caller: string; price: bigint; note: string };

const priceQuotesTable = createEventTable<PriceQuoteRow>("price_quotes", [
  "block_number",
  "log_index",
  "caller",
  "price",
  "note",
]);

const priceQuoted: EventModule = {
  topic: encodeEventTopics({ abi, eventName: "PriceQuoted" })[0] as string,
  role: "station",
  tables: [priceQuotesTable],
  apply: (log, batch) => {
    getRows(batch, priceQuotesTable).push({
      block_number: batch.at.blockNumber,
      log_index: batch.at.logIndex,
      caller: topicAddress(log.topics[1]!),
      price: uintWord(log.data, 0),
      note: "tab\tbackslash\\newline\n",
    });
  },
};

const createTable = `create table chain.price_quotes (
  block_number bigint, log_index integer, caller text not null, price numeric(78,0) not null, note text not null,
  primary key (block_number, log_index))`;

const caller = `0x${"ab".repeat(20)}`;

/** Creates a chain whose gas station emits the event, and an index of the chain in a new database. */
async function openIndexedChain(windowSeconds: number) {
  const { chain, mine } = createHandmadeChain();
  const station = simulatedManifest.gas_station!.address;
  const quote = (...prices: bigint[]) =>
    mine(prices.map((price) => encodeLog(abi, station, "PriceQuoted", { caller, price })));
  const random = createRandom(1);
  const nodes = createSimulatedNodes(
    chain,
    1,
    random,
    () => noFaults,
    () => [],
  );
  const databaseUrl = await openIndexDatabase();
  const env = { REORG_WINDOW_SECONDS: String(windowSeconds) };
  const deps = await createTestDeps({ databaseUrl, rpcUrl: "http://simulated", env, transport: () => nodes });
  onTestFinished(() => deps.db.close());
  const pool = deps.db.indexer;
  await pool.query(createTable);
  return {
    chain,
    mine,
    quote,
    pool,
    start: () => {
      const indexer = startIndexer(deps, simulatedManifest, [...allEvents, priceQuoted]);
      onTestFinished(() => indexer.stop());
      return indexer;
    },
    /** Waits until the chain's head is indexed. */
    untilIndexed: () =>
      until(async () => {
        const { rows } = await pool.query("select block_hash from chain.checkpoint");
        return rows[0]?.block_hash === chain.head().hash;
      }),
    readRows: async () => (await pool.query("select * from chain.price_quotes order by block_number, log_index")).rows,
  };
}

const toRow = (blockNumber: number, logIndex: number, price: string) => ({
  block_number: blockNumber,
  log_index: logIndex,
  caller,
  price,
  note: "tab\tbackslash\\newline\n",
});

test("an event that is defined in one file is indexed near the head and undone by a reorganisation", async () => {
  const { chain, mine, quote, start, untilIndexed, readRows } = await openIndexedChain(3_600);
  start();
  await untilIndexed();
  const first = chain.head().number + 1;
  quote(1n, 2n);
  await untilIndexed();
  quote(3n);
  await untilIndexed();
  expect(await readRows()).toEqual([toRow(first, 0, "1"), toRow(first, 1, "2"), toRow(first + 1, 0, "3")]);

  chain.blocks.pop();
  quote(4n);
  mine();
  await untilIndexed();
  expect(await readRows()).toEqual([toRow(first, 0, "1"), toRow(first, 1, "2"), toRow(first + 1, 0, "4")]);
});

test("an event that is defined in one file is backfilled by COPY, and a rebuild empties its table", async () => {
  const index = await openIndexedChain(10);
  const { chain, quote, mine, start, untilIndexed, readRows, pool } = index;
  const first = chain.head().number + 1;
  const prices = Array.from({ length: 1_200 }, (_, i) => BigInt(i) ** 20n);
  quote(...prices);
  for (let i = 0; i < 300; i++) mine();
  const expected = prices.map((price, i) => toRow(first, i, String(price)));
  const indexer = start();
  await untilIndexed();
  expect(await readRows()).toEqual(expected);
  await indexer.stop();

  // Only emptying the table removes this row.
  await pool.query("insert into chain.price_quotes values (1, 0, '0x', 1, '')");
  await pool.query("update chain.checkpoint set sources = 'of another manifest'");
  start();
  await until(async () => (await pool.query("select 1 from chain.checkpoint where sources like 'of%'")).rowCount === 0);
  await untilIndexed();
  expect(await readRows()).toEqual(expected);
});
