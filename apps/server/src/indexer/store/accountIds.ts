import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";

/** Surrogate ids of accounts. Caches committed ids. */
export type AccountIds = {
  /** Finds the ids of addresses. Assigns the next ids to new addresses, which `insertNew` inserts. */
  resolve(client: Client, addresses: Iterable<string>): Promise<Map<string, number>>;
  /** Inserts the accounts that the last `resolve` created, in the same transaction. */
  insertNew(client: Client): Promise<void>;
  /** Caches the ids of the last `resolve`. Call it after the commit of the transaction. */
  committed(): void;
  /** Clears the cache. Needed after a failed commit, because the cached ids may not exist. */
  reset(nextId: number): void;
};

/** The cache is emptied when it is full: one query a batch fills it again, and an empty cache takes no memory. */
const maxCachedIds = 200_000;

export function createAccountIds(): AccountIds {
  const cache = new Map<string, number>();
  let nextId = 1;
  let pending = new Map<string, number>();
  let created: { id: number; address: string }[] = [];
  return {
    resolve: async (client, addresses) => {
      const ids = new Map<string, number>();
      const unknown: string[] = [];
      pending = new Map();
      created = [];
      for (const address of addresses) {
        const id = cache.get(address);
        if (id === undefined) unknown.push(address);
        else ids.set(address, id);
      }
      if (unknown.length === 0) return ids;
      const bytes = unknown.map((address) => Buffer.from(address.slice(2), "hex"));
      const { rows } = await runPrepared<{ id: number; address: string }>(
        client,
        `select id, '0x' || encode(address, 'hex') as address from chain.accounts where address = any($1::bytea[])`,
        [bytes],
      );
      for (const row of rows) pending.set(row.address, row.id);
      for (const address of unknown) {
        if (pending.has(address)) continue;
        created.push({ id: nextId, address });
        pending.set(address, nextId++);
      }
      for (const [address, id] of pending) ids.set(address, id);
      return ids;
    },
    insertNew: async (client) => {
      if (created.length === 0) return;
      await runPrepared(
        client,
        "insert into chain.accounts (id, address) select * from unnest($1::int[], $2::bytea[])",
        [created.map((row) => row.id), created.map((row) => Buffer.from(row.address.slice(2), "hex"))],
      );
    },
    committed: () => {
      if (cache.size + pending.size > maxCachedIds) cache.clear();
      for (const [address, id] of pending) cache.set(address, id);
      pending = new Map();
    },
    reset: (id) => {
      cache.clear();
      pending = new Map();
      nextId = id;
    },
  };
}
