import pg from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { insertIndex, insertToken } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import { parseConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { prepareDatabase } from "../db/migrate.ts";
import { claimManifests, discoverManifests, storeManifest } from "../features/tokens/tokenManifestQueries.ts";
import { createReadModel } from "./createReadModel.ts";
import { readProgress } from "./queries.ts";

const fixture = useReadApp();
const getNewestChanges = async () => (await readProgress(fixture.database.db.read, null, 1)).newest;
const uri = "https://a.example/token.json";
const fetched = (description: string) => ({
  document: { description, image: null, website: null },
  etag: null,
  lastModified: null,
  sha256: Buffer.alloc(32, description),
});

test("a fetched document invalidates only the responses of its token and the lists", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const token = await insertToken(db, 1, { contract_uri: uri });
  await insertToken(db, 2);
  const model = createReadModel({ db, clock: { now: () => 0 }, maxBytes: 2 ** 20, ethUsdSource: () => null });
  let builds: string[] = [];
  const requestAll = async () => {
    builds = [];
    for (const tag of [`token:${token}`, "tokens", "token:0x2", "block"] as const) {
      await model.getResponse(tag, [tag], async () => builds.push(tag));
    }
    return builds;
  };
  await requestAll();
  expect(await requestAll()).toEqual([]);

  expect(await discoverManifests(db.api, null)).toBe(1);
  const [claim] = await claimManifests(db.api, 10, 60_000);
  await model.sync();
  await requestAll();
  await storeManifest(db.api, claim!, fetched("one"), null);
  await model.sync();
  expect(await requestAll()).toEqual([`token:${token}`, "tokens"]);
  await model.sync();
  expect(await requestAll()).toEqual([]);
});

test("the commit that stores a document notifies the listeners, and changes have the order of their commits", async () => {
  const { db, url } = fixture.database;
  await insertIndex(db);
  await insertToken(db, 1, { contract_uri: uri });
  await insertToken(db, 2, { contract_uri: uri });
  await discoverManifests(db.api, null);
  const claims = await claimManifests(db.api, 10, 60_000);
  expect(claims.map((claim) => claim.attempt)).toEqual([1, 1]);

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  let woken = 0;
  client.on("notification", () => woken++);
  await client.query("listen slipway_outbox");
  // An uncommitted transaction with a change number blocks all later transactions that need one.
  const other = await db.api.connect();
  await other.query("begin");
  await other.query("select pg_advisory_xact_lock(7416033556)");
  const before = await getNewestChanges();
  const storing = storeManifest(db.api, claims[0]!, fetched("one"), null);
  await vi.waitFor(async () => {
    const { rows } = await db.read.query(
      `select count(*)::int as n from pg_locks l join pg_database d on d.oid = l.database
       where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
    );
    expect(rows[0].n).toBe(1);
  }, 60_000);
  expect(await getNewestChanges()).toEqual(before);
  expect(woken).toBe(0);
  await other.query("commit");
  other.release();
  await storing;
  await vi.waitFor(() => expect(woken).toBe(1), 60_000);
  expect((await getNewestChanges()).manifests).toBe(before.manifests + 1);
  // Storing the same bytes again is not a change.
  const { rows } = await db.api.query(
    "update app.token_manifests set next_at = now() where token = $1 returning attempts",
    [claims[0]!.token],
  );
  expect(rows[0].attempts).toBe(0);
  const [again] = await claimManifests(db.api, 10, 60_000);
  await storeManifest(db.api, again!, fetched("one"), null);
  expect((await getNewestChanges()).manifests).toBe(before.manifests + 1);
});

test("C3-06 the API's role stores documents, and cannot change the launches that name them", async () => {
  const { url, db: owner } = fixture.database;
  await insertIndex(owner);
  await insertToken(owner, 1, { contract_uri: uri });
  const apiUrl = new URL(url);
  apiUrl.username = "slipway_api";
  apiUrl.password = "secret";
  const config = parseConfig({ DATABASE_URL: url, DATABASE_API_URL: apiUrl.href, RPC_URL: "http://127.0.0.1:1" });
  const log = pino({ level: "silent" });
  await prepareDatabase(config, log);
  const db = openDatabase(config, log);
  onTestFinished(() => db.close());
  expect((await db.api.query("select current_user as name")).rows[0].name).toBe("slipway_api");
  await discoverManifests(db.api, null);
  const [claim] = await claimManifests(db.api, 10, 60_000);
  await storeManifest(db.api, claim!, fetched("one"), null);
  const { rows } = await db.read.query("select description from app.token_manifests");
  expect(rows).toEqual([{ description: "one" }]);
  await expect(db.api.query("update chain.tokens set description = 'x'")).rejects.toThrow(/permission denied/);
});
