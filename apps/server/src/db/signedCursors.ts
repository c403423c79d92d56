import { createHmac, timingSafeEqual } from "node:crypto";
import type { Ids } from "../ids.ts";
import type { Database, Queryable } from "./database.ts";

/** Bytes of a cursor's signature. */
const macBytes = 16;

/** Signed cursors of lists. Opaque to callers, and valid only for the query that they were issued for. */
export type SignedCursors = {
  /** @param query - All inputs that determine the order and the members of the list. */
  seal(query: unknown, position: readonly (string | number)[]): Promise<string>;
  /** @returns The position, or null for a cursor that this service did not issue for this query. */
  open(query: unknown, cursor: string): Promise<(string | number)[] | null>;
};

/** Creates the cursors of a database. All processes of the database accept the same cursors, also after a restart. */
export function createSignedCursors(db: Pick<Database, "api" | "newest">, ids: Pick<Ids, "bytes">): SignedCursors {
  let secret: Promise<Buffer> | null = null;
  const getSecret = async () => {
    secret ??= readSecret(db.api, ids.bytes(32), db.newest);
    return await secret.catch((error: unknown) => {
      secret = null;
      throw error;
    });
  };
  const sign = (key: Buffer, query: unknown, payload: Buffer) =>
    createHmac("sha256", key).update(JSON.stringify(query)).update("\0").update(payload).digest().subarray(0, macBytes);

  return {
    seal: async (query, position) => {
      const payload = Buffer.from(JSON.stringify(position));
      return Buffer.concat([sign(await getSecret(), query, payload), payload]).toString("base64url");
    },
    open: async (query, cursor) => {
      const bytes = Buffer.from(cursor, "base64url");
      // Rejects another encoding of the same bytes, so that each position has one cursor.
      if (bytes.length <= macBytes || bytes.toString("base64url") !== cursor) return null;
      const payload = bytes.subarray(macBytes);
      const expected = sign(await getSecret(), query, payload);
      return timingSafeEqual(expected, bytes.subarray(0, macBytes)) ? JSON.parse(payload.toString()) : null;
    },
  };
}

/**
 * Reads the secret of the database. Stores `fresh` if the database has no secret.
 *
 * @param fresh - 32 random bytes.
 * @param newest - Where a stored secret is read: `Database.newest`, so that lists have cursors while the primary is down.
 */
export async function readSecret(db: Queryable, fresh: Uint8Array, newest: Queryable = db): Promise<Buffer> {
  const stored = await findSecret(newest);
  if (stored !== null) return stored;
  await db.query("insert into app.cursor_secret (secret) values ($1) on conflict do nothing", [fresh]);
  return (await findSecret(db))!;
}

async function findSecret(db: Queryable): Promise<Buffer | null> {
  const { rows } = await db.query<{ secret: Buffer }>("select secret from app.cursor_secret");
  return rows[0]?.secret ?? null;
}
