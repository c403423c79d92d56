import type { Deps } from "@slipway/server/deps";
import { expect, test } from "vitest";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerWorld } from "../../support/indexer/useIndexerWorld.ts";

const world = useIndexerWorld();
const { openDeps, start, caughtUp, expectIndexEqualsChain, liveALittle } = world;

const endConnections = (deps: Deps) =>
  deps.db.api.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slipway-indexer' and datname = current_database()",
  );

const indexedBlock = async (deps: Deps): Promise<number> =>
  (await deps.db.api.query("select block_number from chain.checkpoint")).rows[0].block_number;

test("C3-03 a PostgreSQL that is restarted: what was committed is there, and the indexer goes on alone", async () => {
  const deps = await openDeps();
  const indexer = start(deps);
  await liveALittle();
  await caughtUp(indexer);
  const before = await indexedBlock(deps);
  await world.restartPostgres(async () => {
    await liveALittle();
    await until(() => indexer.status().reason !== null);
  });
  expect(await indexedBlock(deps)).toBeGreaterThanOrEqual(before);
  await world.reached(deps);
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBe(0);
});

/** Ways in which a database takes no writes, and what ends them. */
const refusals = [
  {
    name: "is read-only, as after a failover",
    begin: "alter database DATABASE set default_transaction_read_only = on",
    end: "alter database DATABASE set default_transaction_read_only = off",
    says: /read-only/,
  },
  {
    name: "has no space left",
    begin: `create function chain.refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'disk_full', message = 'could not extend file: No space left'; end $$;
      create trigger refuse before insert on chain.headers for each statement execute function chain.refuse()`,
    end: "drop trigger refuse on chain.headers; drop function chain.refuse",
    says: /No space left/,
  },
];

test.each(refusals)(
  "C3-03 a database that $name: nothing is half written, and the indexer resumes alone",
  async (fault) => {
    const chain = world.chain();
    const deps = await openDeps();
    const indexer = start(deps);
    const { token } = await liveALittle();
    await caughtUp(indexer);
    const before = await indexedBlock(deps);
    const name = new URL(deps.config.DATABASE_URL).pathname.slice(1);
    const change = async (sql: string) => {
      const client = await deps.db.api.connect();
      // This session must be able to lift what it imposed.
      await client.query("set default_transaction_read_only = off");
      await client.query(sql.replace("DATABASE", name));
      client.release();
      await endConnections(deps);
    };
    await change(fault.begin);
    await chain.buy(1, token, "0.1");
    await until(() => fault.says.test(indexer.status().reason ?? "") || `${indexer.status().reason}`);
    expect(await indexedBlock(deps)).toBe(before);
    await change(fault.end);
    await world.reached(deps);
    await caughtUp(indexer);
    await expectIndexEqualsChain(deps);
    expect(await replayOutbox(deps)).toBe(0);
  },
);
