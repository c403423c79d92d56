import type pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import type { Queryable } from "../../db/database.ts";
import { claimTokenImages, discoverTokenImages, storeTokenImage } from "./tokenImageQueries.ts";

const fixture = useReadApp();
const query = (text: string, values: unknown[] = []) => fixture.database.db.api.query(text, values);
const sha256 = "ab".repeat(32);
beforeEach(async () => {
  await insertIndex(fixture.database.db);
  await query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 20, 20, false, 'LEHV6n', '#102030') on conflict do nothing`,
    [sha256],
  );
});

/** Runs the job once, with a picture that needs no time: 6 statements, each a transaction. */
async function processPicture(db: Queryable): Promise<void> {
  await discoverTokenImages(db, { tokenId: 0, change: "0" });
  for (const claim of await claimTokenImages(db, 8, 60_000)) await storeTokenImage(db, claim, sha256);
}

/** Removes a launch by a reorganisation and inserts it with a new block: 4 statements, in two transactions. */
async function reorganise(db: Queryable, row: object): Promise<void> {
  await db.query("begin; delete from chain.token_state; delete from chain.tokens");
  await db.query("commit");
  const again = JSON.stringify({ ...row, id: 7 }).replaceAll("'", "''");
  await db.query(
    `begin; insert into chain.tokens select (json_populate_record(null::chain.tokens, '${again}'::json)).*`,
  );
  await db.query("commit");
}

type Turns = { next(): Promise<void>; ended: Promise<void> };

/** Starts work whose statements each wait for a turn. `next` resolves when the statement has ended. */
function startTurns(work: (db: Queryable) => Promise<void>, db: Queryable): Turns {
  let isOver = false;
  let open: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  let atStatement = new Promise<void>((resolve) => (arrive = resolve));
  const inTurns = async (text: string, values?: unknown[]) => {
    const turn = new Promise<void>((resolve) => (open = resolve));
    arrive();
    await turn;
    return await db.query(text, values);
  };
  const ended = work({ query: inTurns } as unknown as Queryable).finally(() => {
    isOver = true;
    arrive();
  });
  const next = async () => {
    await atStatement;
    if (isOver) return;
    atStatement = new Promise<void>((resolve) => (arrive = resolve));
    open();
    await atStatement;
  };
  return { next, ended };
}

/** Lists all orders of a number of statements of the job (j) and of the indexer (i). */
function listOrders(job: number, indexer: number): string[] {
  if (job === 0 && indexer === 0) return [""];
  return [
    ...(job > 0 ? listOrders(job - 1, indexer).map((rest) => `j${rest}`) : []),
    ...(indexer > 0 ? listOrders(job, indexer - 1).map((rest) => `i${rest}`) : []),
  ];
}

const isLockAwaited = async () => {
  const { rows } = await query(
    `select count(*)::int as n from pg_locks l join pg_database d on d.oid = l.database
     where not l.granted and d.datname = current_database()`,
  );
  return rows[0].n > 0;
};

/** Runs both in this order; if one waits for a lock of the other, the other continues. */
async function runInOrder(order: string, job: Turns, indexer: Turns): Promise<void> {
  const last = { j: Promise.resolve(), i: Promise.resolve() };
  for (const name of order as Iterable<"j" | "i">) {
    const actor = name === "j" ? job : indexer;
    let isOver = false;
    last[name] = last[name].then(actor.next).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([last[name], new Promise((resolve) => setTimeout(resolve, 5))]);
      if (!isOver && (await isLockAwaited())) break;
    }
  }
  // The job may have fewer statements than the order, if there is nothing to do.
  await Promise.all([last.j, last.i, job.ended, indexer.ended]);
}

async function startWithLaunch(indexer: pg.PoolClient): Promise<object> {
  await query("delete from app.token_images");
  await query("delete from app.gallery");
  await indexer.query("delete from chain.token_state; delete from chain.tokens");
  await insertToken(fixture.database.db, 1, { image: "https://pictures.example/a.png" });
  const { rows } = await indexer.query("select * from chain.tokens");
  return rows[0];
}

test("C5-22 a launch that returns after a reorganisation while its first picture is stored is in the gallery, in every order of statements", async () => {
  const { db } = fixture.database;
  const client = await db.indexer.connect();
  const missing: string[] = [];
  try {
    for (const order of listOrders(6, 4)) {
      const row = await startWithLaunch(client);
      const job = startTurns(processPicture, db.api);
      const indexer = startTurns((gated) => reorganise(gated, row), client);
      await runInOrder(order, job, indexer);
      // The job claims the picture now if the launch was missing before.
      await processPicture(db.api);
      const { rows } = await query(
        "select token_id, exists (select from app.token_images where sha256 is not null) as stored from app.gallery_items",
      );
      if (rows.length !== 1 || rows[0].token_id !== 7 || !rows[0].stored) missing.push(order);
    }
  } finally {
    client.release(true);
  }
  expect(missing).toEqual([]);
});
