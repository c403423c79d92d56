import type { TrackRecordOut } from "@slipway/protocol/signals";
import type { Skill } from "@slipway/quant/signals/trackRecord";
import type { Client, Queryable } from "../../db/database.ts";

/** A stored resolved signal. */
export type StoredResolved = {
  market_id: number;
  pair: string;
  strategy: string;
  strategy_version: number;
  closed_at: number;
  resolved_at: number;
  price: number;
  exit_price: number;
  net_return: number;
  cost: number;
  confidence: number | null;
};

/** Lists all resolved signals, in the order of their closes. */
export async function listResolved(db: Queryable): Promise<StoredResolved[]> {
  const { rows } = await db.query<StoredResolved>(
    `select market_id, pair, strategy, strategy_version, closed_at, resolved_at, price, exit_price, net_return, cost,
       confidence
     from app.signals where outcome is not null order by closed_at, id`,
  );
  return rows;
}

/** Whether signals were resolved that the stored records do not contain. */
export async function haveRecordsChanged(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ changed: boolean }>(
    `select (select count(*) from app.signals where outcome is not null)
       <> (select coalesce(sum(resolved), 0) from app.signal_records) as changed`,
  );
  return rows[0]!.changed;
}

/** Mean published confidence and hit rate of the signals in one range of confidence. */
export type StoredBin = { from: number; to: number; count: number; mean_confidence: number; hit_rate: number };

export type StoredRecord = {
  market_id: number;
  pair: string;
  strategy: string;
  strategy_version: number;
  resolved: number;
  skill: Skill;
  track_record: TrackRecordOut | null;
  bins: StoredBin[];
  computed_at: number;
};

/** Stores records, in place of earlier records of the same market, strategy and version. */
export async function storeRecords(client: Client, records: readonly StoredRecord[]): Promise<void> {
  await client.query(
    `insert into app.signal_records as s (market_id, strategy, strategy_version, pair, resolved, skill, track_record,
       bins, computed_at)
     select market_id, strategy, strategy_version, pair, resolved, skill, nullif(track_record, 'null'), bins, computed_at
     from jsonb_to_recordset($1::jsonb) as r (market_id int, strategy text, strategy_version int, pair text,
       resolved int, skill text, track_record jsonb, bins jsonb, computed_at bigint)
     on conflict (market_id, strategy, strategy_version) do update
     set pair = excluded.pair, resolved = excluded.resolved, skill = excluded.skill, bins = excluded.bins,
       track_record = excluded.track_record, computed_at = excluded.computed_at`,
    [JSON.stringify(records)],
  );
}
