import { SlipwayError } from "@slipway/protocol/errors";
import { draftPageSize, type Intent, maxDrafts } from "@slipway/protocol/intent";
import type { LaunchOptions } from "@slipway/protocol/launchOptions";
import { checksummed } from "@slipway/protocol/primitives";
import { recordAccountEvent } from "../../accounts/accountEvents.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { hasEarlierOptions } from "../../transactions/queries.ts";

export type IntentRow = {
  id: string;
  intent: Intent;
  body_hash: Buffer;
  created_at: Date;
  /** The token of the newest indexed launch, in lower case; null without one. */
  launched_token: string | null;
};

/** SQL of the columns of `IntentRow`, of the row `app.intents`. */
const intentColumns = `id, intent, body_hash, created_at, (
  select t.address from app.launches_prepared p join chain.tokens t on t.address = p.token
  where p.intent_id = app.intents.id and p.wallet = t.creator and p.splitter = t.splitter
  order by t.block_number desc, t.log_index desc limit 1) as launched_token`;

type NewIntent = { id: string; accountId: string; idempotencyKey: string; bodyHash: Uint8Array; intent: Intent };

/**
 * Number of drafts up to which one statement counts and stores without a lock. Concurrent statements do not see each
 * other, so they may exceed this number by the number of PostgreSQL connections, which stays far below the limit.
 */
const maxUnlockedDrafts = maxDrafts / 2;

/**
 * Stores a draft, or finds the draft that the account has stored with this idempotency key.
 *
 * @throws SlipwayError `too_many_drafts`.
 */
export async function storeIntent(
  { api, runExclusive }: Pick<Database, "api" | "runExclusive">,
  row: NewIntent,
): Promise<{ stored: IntentRow; isNew: boolean }> {
  const insertLocked = () => withTransaction(api, (client) => insertIntentLocked(client, row));
  let added = await insertIntent(api, row, maxUnlockedDrafts);
  for (;;) {
    if (added !== null) return { stored: added, isNew: true };
    const earlier = await findIntentByKey(api, row.accountId, row.idempotencyKey);
    if (earlier !== null) return { stored: earlier, isNew: false };
    // The account has many drafts, or the earlier draft was deleted since, together with its key.
    added = await runExclusive(row.accountId, insertLocked);
  }
}

/**
 * Stores a draft for an account with fewer than `limit` drafts.
 *
 * @returns null, without storing the draft, if the account has more drafts or has used the idempotency key before.
 */
async function insertIntent(db: Queryable, row: NewIntent, limit: number): Promise<IntentRow | null> {
  const { rows } = await db.query<IntentRow>(
    `insert into app.intents (id, account_id, idempotency_key, body_hash, intent)
     select $1, $2, $3, $4, $5 where (select count(*) from app.intents where account_id = $2) < $6
     on conflict (account_id, idempotency_key) do nothing
     returning id, intent, body_hash, created_at, null as launched_token`,
    [row.id, row.accountId, row.idempotencyKey, row.bodyHash, row.intent, limit],
  );
  return rows[0] ?? null;
}

/**
 * Stores a draft under the lock of the account, up to the limit.
 *
 * @returns null if the account has used the idempotency key before.
 */
async function insertIntentLocked(client: Client, row: NewIntent): Promise<IntentRow | null> {
  // Concurrent requests of the account wait here, and then count the drafts that were committed before.
  await client.query("select from app.accounts where id = $1 for no key update", [row.accountId]);
  const added = await insertIntent(client, row, maxDrafts);
  if (added !== null || (await findIntentByKey(client, row.accountId, row.idempotencyKey)) !== null) return added;
  throw new SlipwayError("too_many_drafts");
}

async function findIntentByKey(db: Queryable, accountId: string, idempotencyKey: string): Promise<IntentRow | null> {
  const { rows } = await db.query<IntentRow>(
    `select ${intentColumns} from app.intents where account_id = $1 and idempotency_key = $2`,
    [accountId, idempotencyKey],
  );
  return rows[0] ?? null;
}

/**
 * Lists a page of the account's drafts, newest first.
 *
 * @param before - `nextBefore` of the previous page: microseconds since the epoch and an id.
 */
export async function listIntents(
  db: Queryable,
  accountId: string,
  before: string | undefined,
): Promise<{ rows: IntentRow[]; nextBefore: string | null }> {
  const [time = null, id = null] = before?.split(".") ?? [];
  const { rows } = await db.query<IntentRow & { position: string }>(
    `select ${intentColumns}, (extract(epoch from created_at) * 1000000)::bigint::text as position
     from app.intents
     where account_id = $1 and ($2::bigint is null
       or (created_at, id) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
     order by created_at desc, id desc limit ${draftPageSize}`,
    [accountId, time, id],
  );
  const last = rows.length === draftPageSize ? rows.at(-1) : undefined;
  return { rows, nextBefore: last === undefined ? null : `${last.position}.${last.id}` };
}

/** A draft with its options. */
export type IntentRowWithOptions = IntentRow & {
  options: LaunchOptions | null;
  /** Whether a launch was prepared with other options than the stored options. */
  hasEarlierOptions: boolean;
};

const withOptions = `${intentColumns}, options, ${hasEarlierOptions} as "hasEarlierOptions"`;

/** Finds a draft of the account; null if the account has no draft with this id. */
export async function findIntent(db: Queryable, accountId: string, id: string): Promise<IntentRowWithOptions | null> {
  const { rows } = await db.query<IntentRowWithOptions>(
    `select ${withOptions} from app.intents where id = $1 and account_id = $2`,
    [id, accountId],
  );
  return rows[0] ?? null;
}

/**
 * Replaces the options of a draft. Equal options change nothing.
 *
 * @returns null if the account has no such draft.
 */
export async function storeOptions(
  db: Queryable,
  accountId: string,
  id: string,
  options: LaunchOptions,
): Promise<IntentRowWithOptions | null> {
  // clock_timestamp() gives two changes two times, even if one change waited for the other.
  const { rows } = await db.query<IntentRowWithOptions>(
    `update app.intents set options = $3,
       options_changed_at = case when options = $3 then options_changed_at else clock_timestamp() end
     where id = $1 and account_id = $2 returning ${withOptions}`,
    [id, accountId, options],
  );
  return rows[0] ?? null;
}

/** An indexed launch that was prepared from a draft; addresses in lower case. */
type DraftLaunchRow = {
  token: string;
  tx_hash: `0x${string}`;
  creator: string;
  splitter: string;
  salt: `0x${string}`;
  block_number: number;
};

/** Maximum number of listed launches of a draft. */
const maxListedLaunches = 100;

/** Lists the newest indexed launches of a draft, oldest first. */
export async function listDraftLaunches(db: Queryable, id: string): Promise<DraftLaunchRow[]> {
  const { rows } = await db.query<DraftLaunchRow>(
    `select t.address as token, t.tx_hash, t.creator, t.splitter, t.salt, t.block_number::float8 as block_number
     from app.launches_prepared p join chain.tokens t on t.address = p.token
     where p.intent_id = $1 and p.wallet = t.creator and p.splitter = t.splitter
     order by t.block_number desc, t.log_index desc limit ${maxListedLaunches}`,
    [id],
  );
  return rows.reverse();
}

/** Finds the lower-case wallets that an account has linked or has prepared the draft with. */
export async function findDraftWallets(db: Queryable, accountId: string, id: string): Promise<Set<string>> {
  const { rows } = await db.query<{ wallet: string }>(
    `select lower(address) as wallet from app.wallets where user_id = $1
     union select wallet from app.splitters_prepared where intent_id = $2
     union (select wallet from app.launches_prepared where intent_id = $2 order by created_at desc limit 1000)`,
    [accountId, id],
  );
  return new Set(rows.map(({ wallet }) => wallet));
}

/** A prepared creation transaction; the wallet is in lower case. */
export type PreparedCreation = { wallet: string; account_nonce: number };

/** Maximum number of prepared creations that are searched for, newest first. */
const maxSearchedCreations = 8;

/** Lists the newest creation transactions that were prepared for a draft's splitter. */
export async function listPreparedCreations(db: Queryable, id: string): Promise<PreparedCreation[]> {
  const { rows } = await db.query<PreparedCreation>(
    `select wallet, account_nonce::float8 as account_nonce from app.splitters_prepared
     where intent_id = $1 and method = 'creation' order by created_at desc limit ${maxSearchedCreations}`,
    [id],
  );
  return rows;
}

/** Maximum number of tokens in an account event. */
const maxNamedTokens = 20;

/**
 * Deletes a draft with the records of its prepared launches, and so the labels of these launches. Records an account
 * event that names the launches, because an API key is sufficient to delete a draft.
 *
 * @returns False if the account has no such draft.
 */
export async function deleteIntent(pool: Database["api"], accountId: string, id: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    // Concurrent preparations of launches from the draft wait here, and then do not find the draft.
    const { rowCount } = await client.query("select from app.intents where id = $1 and account_id = $2 for update", [
      id,
      accountId,
    ]);
    if (rowCount !== 1) return false;
    const { rows } = await client.query<{ token: string }>(
      `select token from app.launches_prepared where intent_id = $1 order by created_at desc limit ${maxNamedTokens}`,
      [id],
    );
    await client.query("delete from app.intents where id = $1", [id]);
    const tokens = rows.map(({ token }) => checksummed(token));
    if (tokens.length > 0) await recordAccountEvent(client, accountId, "draft_deleted", { draft_id: id, tokens });
    return true;
  });
}
