import type { Queryable } from "../db/database.ts";

/** A row of the outbox as far as caches need it. */
export type OutboxChange = {
  id: number;
  kind: string;
  /** Lower-case address; null where the row speaks of no single token. */
  token: string | null;
  /** Addresses of a `state` or `retracted` row: all tokens it touched. */
  tokens: string[] | null;
};

/** The newest outbox id and the newest change of `app.token_manifests`; 0 while there is none. */
export async function newestChanges(db: Queryable): Promise<{ outbox: number; manifests: number }> {
  const { rows } = await db.query<{ outbox: number; manifests: number }>({
    name: "newest-changes",
    text: `select coalesce((select max(id) from chain.outbox), 0) as outbox,
      coalesce((select max(change) from app.token_manifests), 0) as manifests`,
  });
  return rows[0]!;
}

/** The tokens whose outside document changed after a change of `app.token_manifests`; lower-case addresses. */
export async function changedManifests(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.token_manifests where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}

/** The newest outbox id; 0 while there is none. */
export async function newestOutboxId(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>("select coalesce(max(id), 0) as id from chain.outbox");
  return rows[0]!.id;
}

/** What changed after a cursor, oldest first. */
export async function outboxChanges(db: Queryable, after: number, limit: number): Promise<OutboxChange[]> {
  const { rows } = await db.query<OutboxChange>(
    `select id, kind, token,
       case when kind in ('state', 'retracted') then
         array(select jsonb_array_elements_text(coalesce(payload->'tokens', '[]') || coalesce(payload->'launches', '[]')))
       end as tokens
     from chain.outbox where id > $1 order by id limit $2`,
    [after, limit],
  );
  return rows;
}

/**
 * Whether rows between a cursor and the first row after it may be gone. Ids have gaps too, of commits that failed: where
 * something at or before the cursor is still there, nothing after it was pruned.
 */
export async function mayBePruned(db: Queryable, cursor: number, firstAfter: number): Promise<boolean> {
  // 0: it was empty, and nothing was known.
  if (cursor === 0 || firstAfter <= cursor + 1) return false;
  const { rows } = await db.query<{ reaches: boolean }>(
    "select exists (select from chain.outbox where id <= $1) as reaches",
    [cursor],
  );
  return !rows[0]!.reaches;
}

/** What the ETH/USD pool showed after a swap; amounts as decimal text. */
export type ObservationRow = {
  block_number: number;
  block_time: number;
  price: number;
  sqrt_price_x96: string;
  liquidity: string;
};

export type EthUsdRows = {
  /** Unix seconds of the last indexed block. */
  indexTime: number;
  /** Oldest first; the first one is at or before the window's start when the window is covered. */
  observations: ObservationRow[];
};

/** The observations that a window of `seconds` up to the last indexed block needs; null while nothing is indexed. */
export async function readEthUsd(db: Queryable, seconds: number): Promise<EthUsdRows | null> {
  const { rows } = await db.query<{ index_time: number } & (ObservationRow | { price: null })>({
    name: "eth-usd-window",
    text: `
      select c.block_time as index_time, e.*
      from chain.checkpoint c
      left join lateral (
        select block_number, log_index, block_time, price, sqrt_price_x96, liquidity from chain.eth_usd
        where block_number >= coalesce((
          select s.block_number from chain.eth_usd s where s.block_time <= c.block_time - $1
          order by s.block_number desc, s.log_index desc limit 1
        ), 0)
        order by block_number, log_index
      ) e on true
      order by e.block_number, e.log_index`,
    values: [seconds],
  });
  const first = rows[0];
  if (first === undefined) return null;
  return { indexTime: first.index_time, observations: rows.filter((row) => row.price !== null) as ObservationRow[] };
}

/** A row of the outbox with what it says. */
export type OutboxRow = { id: number; kind: string; token: string | null; payload: Record<string, unknown> };

/** What was told after a cursor, oldest first. */
export async function outboxRows(db: Queryable, after: number, limit: number): Promise<OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>({
    name: "outbox-rows",
    text: "select id, kind, token, payload from chain.outbox where id > $1 order by id limit $2",
    values: [after, limit],
  });
  return rows;
}

/** The oldest and the newest id that the outbox still has; null when it is empty. */
export async function outboxRange(db: Queryable): Promise<{ oldest: number; newest: number } | null> {
  const { rows } = await db.query<{ oldest: number | null; newest: number }>(
    "select min(id) as oldest, max(id) as newest from chain.outbox",
  );
  const { oldest, newest } = rows[0]!;
  return oldest === null ? null : { oldest, newest };
}
