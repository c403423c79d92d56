import type { Deps } from "@slipway/server/deps";
import { expect, test } from "vitest";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";

const fixture = useIndexerFixture({ ownPostgres: true });
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity } = fixture;

const endConnections = (deps: Deps) =>
  deps.db.api.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slipway-indexer' and datname = current_database()",
  );

const indexedBlock = async (deps: Deps): Promise<number> =>
  (await deps.db.api.query("select block_number from chain.checkpoint")).rows[0].block_number;

test("C3-03 the indexer resumes without intervention after PostgreSQL restarts, and committed rows are there", async () => {
  const deps = await openDeps();
  const indexer = start(deps);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  const before = await indexedBlock(deps);
  await fixture.restartPostgres(async () => {
    await runSampleActivity();
    await until(() => indexer.status().reason !== null);
  });
  expect(await indexedBlock(deps)).toBeGreaterThanOrEqual(before);
  await fixture.untilIndexed(deps);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBe(0);
});

/** Ways in which a database rejects writes: how they begin and end. */
const refusals = [
  {
    name: "is read-only, as after a failover",
    begin: "alter database DATABASE set default_transaction_read_only = on",
    end: "alter database DATABASE set default_transaction_read_only = off",
    reason: /read-only/,
  },
  {
    name: "has no space left",
    begin: `create function chain.refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = 'disk_full', message = 'could not extend file: No space left'; end $$;
      create trigger refuse before insert on chain.headers for each statement execute function chain.refuse()`,
    end: "drop trigger refuse on chain.headers; drop function chain.refuse",
    reason: /No space left/,
  },
];

test.each(refusals)(
  "C3-03 while the database $name no batch is partly written; afterwards the indexer resumes without intervention",
  async (fault) => {
    const chain = fixture.chain();
    const deps = await openDeps();
    const indexer = start(deps);
    const { token } = await runSampleActivity();
    await untilCaughtUp(indexer);
    const before = await indexedBlock(deps);
    const name = new URL(deps.config.DATABASE_URL).pathname.slice(1);
    const change = async (sql: string) => {
      const client = await deps.db.api.connect();
      // This session must be able to end the fault.
      await client.query("set default_transaction_read_only = off");
      await client.query(sql.replace("DATABASE", name));
      client.release();
      await endConnections(deps);
    };
    await change(fault.begin);
    await chain.buy(1, token, "0.1");
    await until(() => fault.reason.test(indexer.status().reason ?? "") || `${indexer.status().reason}`);
    expect(await indexedBlock(deps)).toBe(before);
    await change(fault.end);
    await fixture.untilIndexed(deps);
    await untilCaughtUp(indexer);
    await expectIndexEqualsChain(deps);
    expect(await replayOutbox(deps)).toBe(0);
  },
);
