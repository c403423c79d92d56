import { randomUUID } from "node:crypto";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import type { ManifestState } from "@slipway/server/chain/chain";
import { migrate } from "@slipway/server/db/migrate";
import { withTransaction } from "@slipway/server/db/withTransaction";
import type { Deps } from "@slipway/server/deps";
import { createRoutes } from "@slipway/server/http/routes";
import { mutableTables } from "@slipway/server/indexer/store/undoLog";
import type pg from "pg";
import { expect, test } from "vitest";
import { buildTestApp } from "../../support/buildTestApp.ts";
import type { TestToken } from "../../support/indexer/testChain.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";

/*
 * The second part of C3-04, "the old server still reads"; the first is apps/server/src/db/expandOnly.test.ts. No older
 * program can run here, so the current program takes its place: a possible migration of a next version, with additions
 * to every relation, is applied under its running processes, over their open connections, with before images saved
 * earlier. The test shows that the API's reads return the same, and that the indexer writes and undoes correctly: no
 * executed statement depends on the exact columns of a relation.
 *
 * The test does not cover statements that were not executed here (the writes of accounts, drafts and the relayer), nor
 * an added column with a name that a statement uses unqualified. A statement of the indexer that failed once and
 * succeeded when repeated passes.
 */

const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity, chain } = useIndexerFixture();
const restored = new Set(Object.keys(mutableTables).map((table) => `chain.${table}`));

/** Migrates like a version after this one: each table and view gets more columns, and there are new tables. */
async function migrateFurther(pool: pg.Pool): Promise<void> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('chain', 'app') and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  expect(tables.length).toBeGreaterThan(30);
  const { rows: views } = await pool.query<{ name: string; definition: string }>(
    `select format('%I.%I', schemaname, viewname) as name, rtrim(definition, ';') as definition from pg_views
     where schemaname in ('chain', 'app')`,
  );
  const statements = [
    ...tables.flatMap(({ name }) => [
      `alter table ${name} add column newer text`,
      // Before images lack the column: expandOnly.test.ts rejects such a column there.
      ...(restored.has(name) ? [] : [`alter table ${name} add column newer_count integer not null default 7`]),
    ]),
    ...views.map(({ name, definition }) => {
      return `create or replace view ${name} as select v.*, null::text as newer from (${definition}) v`;
    }),
    "create table app.newer (id uuid primary key, account_id uuid references app.accounts on delete cascade)",
    `insert into public.slipway_migrations (name, checksum) values ('9999_newer.sql', 'of a newer version')`,
  ];
  await withTransaction(pool, (client) => client.query(statements.join(";\n")));
}

/** A key with read access to everything. */
async function createKey({ db, ids }: Deps): Promise<string> {
  const { key, ...kept } = createApiKeySecret(ids);
  const owner = { accountId: ids.uuid(), name: "reader", keyId: ids.uuid(), keyName: "test" };
  await createAccount(db.api, { ...owner, ...kept, scopes: ["read", "account", "admin"] });
  return key;
}

/** Removes fields that differ in each response. */
const withoutVolatileFields = (name: string, value: unknown) =>
  name === "request_id" || name === "last_used_at" ? undefined : value;

type Answer = [path: string, status: number, body: unknown];

/** Returns the responses of a server over these pools, with empty caches, to each read operation of the API. */
async function readEverything(deps: Deps, key: string, { token, splitter, pool }: TestToken): Promise<Answer[]> {
  // Copies the dependencies, which contain the caches.
  const own = { ...deps };
  const { app } = await buildTestApp(own);
  const authorization = `Bearer ${key}`;
  const wallet = chain().accounts[0]!.address;
  const queries: Record<string, string[]> = {
    "/tokens": ["", "?sort=volume", "?sort=market_cap", "?sort=gainers", "?q=alp"],
    "/tokens/:address/candles": ["", "?interval=1h", "?interval=1d"],
    "/tokens/:address/trades": ["", "?side=buy", `?maker=${wallet}`],
    "/recipients": ["?provider=social&handle=unproven"],
    "/fees/pending": [`?token=${token}`],
    "/fees/positions": [`?token=${token}&wallet=${wallet}`],
    "/qr.png": [`?text=${splitter}`],
    "/events": ["?from_block=0"],
    "/feeds/dexscreener/asset": [`?id=${token}`],
    "/feeds/dexscreener/pair": [`?id=${pool}`],
    "/feeds/dexscreener/events": ["?fromBlock=0&toBlock=1"],
    "/feeds/geckoterminal/asset": [`?id=${token}`],
    "/feeds/geckoterminal/pair": [`?id=${pool}`],
    "/feeds/geckoterminal/events": ["?fromBlock=0&toBlock=1"],
    "/feeds/udf/symbols": [`?symbol=${token}`],
    "/feeds/udf/history": [`?symbol=${token}&resolution=1&from=0&to=9999999999&countback=9`],
  };
  // Operations that are endless, about the process itself, or about an external provider; an export adds an account
  // event.
  const others = [
    "/stream",
    "/metrics",
    "/healthz",
    "/readyz",
    "/feeds/udf/time",
    "/api/auth/callback/:provider",
    "/api/account/export",
  ];
  const answers: Answer[] = [];
  for (const { method, path, site } of createRoutes(own)) {
    if (method !== "GET" || others.includes(path)) continue;
    for (const query of queries[path] ?? [""]) {
      const filled = path
        .replace(":address", path.startsWith("/wallets/") ? wallet : path.startsWith("/pools/") ? pool : token)
        .replace(":hash", `0x${"3".repeat(64)}`)
        .replace(":pair", "NONE_USDT")
        .replace(":id", randomUUID());
      const url = `${site ? "" : "/api/v1/launchpad"}${filled}${query}`;
      const { statusCode, headers, body } = await app.inject({ method, url, headers: { authorization } });
      const isJson = String(headers["content-type"]).startsWith("application/json");
      answers.push([`${path}${query}`, statusCode, isJson ? JSON.parse(body, withoutVolatileFields) : body]);
    }
  }
  await app.close();
  return answers;
}

test("C3-04 a server reads, indexes and undoes earlier batches while and after a newer version migrates", async () => {
  const deps = await openDeps({ env: { FEED_DELAY_SECONDS: "0" } });
  const manifest: ManifestState = {
    manifest: chain().manifest,
    sha256: "ab".repeat(32),
    verified: true,
    verifiedAtBlock: 1n,
    reason: null,
    disabledGasTokens: new Set(),
  };
  const simulationSupport = { calls: null, creations: null, failedOverrides: 0 };
  Object.assign(deps.chain, { client: chain().client, manifestState: () => manifest, simulationSupport });
  const key = await createKey(deps);
  const indexer = start(deps);
  const token = await runSampleActivity();
  await untilCaughtUp(indexer);
  // A batch that is undone below, after the migration.
  await chain().buy(1, token.token, "0.3");
  await untilCaughtUp(indexer);
  const before = await readEverything(deps, key, token);
  expect(before.length).toBeGreaterThan(15);
  // Drafts, pictures, a top-up, a card, a handle, a business and a market that do not exist, a document that is not on the
  // chain, a token list that no job has made, a plan that the account does not have, a ticket without the secret that
  // signs them, a webhook, a descriptor, an opening and a payment that do not exist, and a key where a cookie is required.
  const refused = before.filter(([, status]) => status !== 200).map(([path, status]) => [path, status]);
  expect(refused).toEqual([
    ["/intents/:id", 404],
    ["/intents/:id/progress", 404],
    ["/media/:name", 404],
    ["/media/:sha256/:size", 404],
    ["/openings/:address", 404],
    ["/openings/:address/deposits", 404],
    ["/gas/topups/:hash", 404],
    ["/og/:name", 404],
    ["/tokens/:address/contract-uri", 404],
    ["/feeds/tokenlist.json", 503],
    ["/.well-known/erc7730/:name", 404],
    ["/recipients?provider=social&handle=unproven", 404],
    ["/businesses/:id", 404],
    ["/api/markets/:pair/bars", 404],
    ["/api/alerts/unsubscribe/:ticket", 503],
    ["/api/webhooks/:id/deliveries", 404],
    ["/api/risk", 403],
    ["/api/risk/:pair", 403],
    ["/api/auth/session", 403],
    ["/api/account/payments/:id", 404],
  ]);

  await migrateFurther(deps.db.indexer);

  expect(await readEverything(deps, key, token)).toEqual(before);
  await chain().reorg(1);
  await chain().mine(1);
  await until(async () => {
    const { rows } = await deps.db.indexer.query("select payload from chain.outbox where kind = 'retracted'");
    return rows.flatMap((row) => row.payload.trades).length > 0;
  });
  await runSampleActivity();
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);

  // Another process of this version starts, and takes over.
  await indexer.stop();
  expect(await migrate(deps.db.indexer, deps.log)).toEqual([]);
  const next = await openDeps({ databaseUrl: deps.config.DATABASE_URL, env: { FEED_DELAY_SECONDS: "0" } });
  Object.assign(next.chain, { client: chain().client, manifestState: () => manifest, simulationSupport });
  const successor = start(next);
  await chain().sell(1, token.token, 10n);
  await untilCaughtUp(successor);
  await expectIndexEqualsChain(next);
  expect(await readEverything(next, key, token)).toEqual(await readEverything(deps, key, token));
});
