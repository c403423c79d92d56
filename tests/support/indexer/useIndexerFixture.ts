import { type Postgres, startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { Deps } from "@slipway/server/deps";
import { type Indexer, startIndexer } from "@slipway/server/indexer/startIndexer";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { dumpIndex } from "../simulation/dumpIndex.ts";
import { referenceIndex } from "../simulation/reference.ts";
import { differences } from "../simulation/tables.ts";
import { fetchCanonicalBlocks } from "./fetchCanonicalBlocks.ts";
import { openIndexDatabase } from "./openIndexDatabase.ts";
import { startTestChain, type TestChain, type TestToken } from "./testChain.ts";
import { createTestDatabase, createTestDeps, type TestDepsOptions, until } from "./testDeps.ts";

/**
 * A real chain and a real PostgreSQL for the tests of a file. The chain is reverted after each test; each `openDeps`
 * has a separate database unless it receives one.
 *
 * @param options.ownPostgres - For `restartPostgres`. Otherwise the databases are on the server of the test run.
 */
export function useIndexerFixture(options: { ownPostgres?: boolean } = {}) {
  const folder = temporaryFolder();
  let postgres: Postgres | null = null;
  let chain: TestChain;
  let databases = 0;

  beforeAll(async () => {
    if (options.ownPostgres) postgres = await startPostgres({ dir: folder.path, durable: false });
    chain = await startTestChain(folder.path);
  });
  afterAll(async () => {
    await chain?.chain.stop();
    await postgres?.stop();
    folder.remove();
  });
  beforeEach(async () => {
    const id = (await chain.test.snapshot()) as `0x${string}`;
    onTestFinished(() => chain.test.revert({ id }));
  });

  const createDatabase = () =>
    postgres === null ? openIndexDatabase() : createTestDatabase(postgres.url, `index_${++databases}`);

  const openDeps = async (own: Partial<TestDepsOptions> = {}): Promise<Deps> => {
    const databaseUrl = own.databaseUrl ?? (await createDatabase());
    const deps = await createTestDeps({ databaseUrl, rpcUrl: chain.chain.rpcUrl, ...own });
    onTestFinished(() => deps.db.close());
    return deps;
  };

  const start = (deps: Deps): Indexer => {
    const indexer = startIndexer(deps, chain.manifest);
    onTestFinished(() => indexer.stop());
    return indexer;
  };

  return {
    folder,
    chain: () => chain,
    createDatabase,
    /** Stops PostgreSQL, and starts it again on the same port after `whileDown`. */
    restartPostgres: async (whileDown: () => Promise<void>): Promise<void> => {
      if (postgres === null) throw new Error("The fixture has no PostgreSQL of its own.");
      const { port } = postgres;
      await postgres.stop();
      try {
        await whileDown();
      } finally {
        postgres = await startPostgres({ dir: folder.path, durable: false, port });
      }
      expect(postgres.port, "another process took the port").toBe(port);
    },
    openDeps,
    start,
    /** Waits until an indexer is live and at the head. */
    untilCaughtUp: (indexer: Indexer) =>
      until(async () => {
        const status = indexer.status();
        const head = await chain.head();
        return (status.state === "live" && status.indexedBlock === head) || `${JSON.stringify(status)} at head ${head}`;
      }),
    /** Waits until the database contains the head, whichever indexer wrote it. */
    untilIndexed: async (deps: Deps) =>
      until(async () => {
        const { hash } = await chain.client.getBlock();
        const { rows } = await deps.db.api.query("select block_hash, block_number from chain.checkpoint");
        return rows[0]?.block_hash === hash || `at block ${rows[0]?.block_number}`;
      }),
    expectIndexEqualsChain: async (deps: Deps): Promise<void> => {
      const blocks = await fetchCanonicalBlocks(chain.client as never, await chain.head());
      const expected = referenceIndex(chain.manifest, blocks, sqrtPriceX96AtTick);
      expect(differences(expected, await dumpIndex(deps.db.indexer))).toEqual([]);
    },
    /** Emits one of each indexed event. */
    runSampleActivity: async (): Promise<TestToken> => {
      const payees = [chain.accounts[0]!.address, chain.accounts[1]!.address];
      const splitter = await chain.splitter(payees, [7000, 3000]);
      const launched = await chain.launch("Alpha \u0000\u202e", "ALP", splitter, { buyInWei: 10n ** 17n });
      const other = await chain.launch("Beta", "BET", splitter);
      await chain.buy(1, launched.token, "0.2");
      await chain.buyDollars(3, "0.4");
      await chain.sell(1, launched.token, 50n);
      await chain.buy(2, other.token, "0.05");
      await chain.transfer(2, other.token, chain.accounts[4]!.address, 10n ** 18n);
      await chain.transfer(2, other.token, "0x000000000000000000000000000000000000dEaD", 10n ** 18n);
      await chain.collect(launched.token);
      await chain.settle(launched.token);
      await chain.release(splitter, chain.weth, payees[0]!);
      return launched;
    },
  };
}
