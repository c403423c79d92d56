import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeRpc, hex, toHash } from "../../../../../tests/support/server/fakeRpc.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { toAddress } from "../../../../../tests/support/server/rows.ts";
import { allEvents } from "../events/allEvents.ts";
import { createEventCatalog } from "../events/eventModule.ts";
import type { Deployment, Sources } from "../sources.ts";
import { openIndex } from "./openIndex.ts";

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
});
afterAll(() => database?.stop());

const { rpc } = fakeRpc(({ params }) => {
  const number = Number(params[0]);
  const hash = toHash(number);
  const parentHash = toHash(number - 1);
  return { number: hex(number), hash, parentHash, timestamp: hex(number), transactions: [] };
});

const events = createEventCatalog(allEvents);

const createSources = (...factories: number[]): Sources => ({
  chainId: 1,
  gasStation: null,
  wrappedNative: toAddress(1),
  ethUsd: null,
  splitters: [],
  openingFactories: [],
  fromBlock: 1,
  deployments: factories.map(
    (factory, index): Deployment => ({
      id: index + 1,
      launchFactory: toAddress(factory),
      feeLocker: toAddress(factory + 10),
      deploymentBlock: 1,
      legacy: index + 1 < factories.length,
    }),
  ),
  fingerprint: `first ${factories[0]}`,
});

test("removing a deployment from the manifest changes ids, so the index is rebuilt", async () => {
  const pool = database.db.indexer;
  const open = async (sources: Sources) => await openIndex(pool, rpc, sources, events);
  const stored = async () => (await pool.query("select id, launch_factory from chain.deployments order by id")).rows;
  await open(createSources(101, 102, 103));
  await pool.query("update chain.checkpoint set block_number = 50");
  await open(createSources(101, 102, 103));
  expect((await pool.query("select block_number from chain.checkpoint")).rows).toEqual([{ block_number: 50 }]);

  await open(createSources(101, 103));
  expect(await stored()).toEqual([
    { id: 1, launch_factory: toAddress(101) },
    { id: 2, launch_factory: toAddress(103) },
  ]);
  expect((await pool.query("select block_number from chain.checkpoint")).rows).toEqual([{ block_number: 0 }]);
});
