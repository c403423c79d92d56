import type { DayForecast } from "@slipway/quant/risk/dayForecasts";
import type { PairRisk } from "@slipway/quant/risk/riskSnapshot";
import type { Queryable } from "../../db/database.ts";

/** Seconds for which the worker computes a market after a request; readers repeat the request every 30 seconds. */
const demandSeconds = 90;
/** A request writes nothing while the stored demand lasts more than these seconds: less than two repetitions. */
const repeatSeconds = 55;
/** Seconds for which a worker may compute a market, and after which a failed market is retried. */
const claimSeconds = 60;

/** The channel of notifications of new snapshots; the payload is the market's id. */
export const riskChannel = "slipway_risk";

/** Requests the risk of markets: the worker computes it for the next 90 seconds. */
export async function wantRisk(db: Queryable, marketIds: readonly number[]): Promise<void> {
  if (marketIds.length === 0) return;
  // The fixed order prevents deadlocks of concurrent writers. Most requests write nothing.
  await db.query(
    `insert into app.risk_demand as d (market_id, wanted_until)
     select m.id, now() + interval '${demandSeconds} seconds' from app.markets m
     where m.id = any($1::int[]) and not exists (
       select from app.risk_demand r where r.market_id = m.id and r.wanted_until > now() + interval '${repeatSeconds} seconds')
     order by m.id
     on conflict (market_id) do update set wanted_until = greatest(d.wanted_until, excluded.wanted_until)`,
    [marketIds],
  );
}

/** A market whose risk is requested, with the input of its snapshot. */
export type WantedRisk = { market_id: number; input: string | null; revised_at: string };

/**
 * Lists markets whose risk is requested and that no worker computes now. `revised_at` covers the last 40 days: the
 * revision of an older bar takes effect with the next bar.
 */
export async function listWantedRisk(db: Queryable): Promise<WantedRisk[]> {
  const { rows } = await db.query<WantedRisk>({
    name: "wanted-risk",
    text: `
      select d.market_id, s.input,
        coalesce((select max(b.revised_at) from app.market_bars b
          where b.market_id = d.market_id and b.revised_at is not null and b.interval = 3600
            and b.time > extract(epoch from now()) - 40 * 86400)::text, '') as revised_at
      from app.risk_demand d left join app.risk_snapshots s using (market_id)
      where d.wanted_until > now() and d.claimed_until < now()
      order by s.computed_at nulls first`,
    values: [],
  });
  return rows;
}

/** Claims a market for this worker. @returns false when another has claimed it, or computed it from the same input. */
export async function claimRisk(db: Queryable, marketId: number, input: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.risk_demand d set claimed_until = now() + interval '${claimSeconds} seconds'
     where d.market_id = $1 and d.claimed_until < now()
       and not exists (select from app.risk_snapshots s where s.market_id = $1 and s.input = $2)`,
    [marketId, input],
  );
  return rowCount === 1;
}

/** Lists the stored forecasts of a market from a time on. */
export async function listRiskForecasts(db: Queryable, marketId: number, from: number): Promise<DayForecast[]> {
  const { rows } = await db.query<{ forecast: DayForecast }>(
    "select forecast from app.risk_forecasts where market_id = $1 and made_at >= $2 order by made_at",
    [marketId, from],
  );
  return rows.map(({ forecast }) => forecast);
}

/** Stores a snapshot and its new forecasts, ends the claim, and notifies readers; to be called in a transaction. */
export async function storeRisk(
  client: Queryable,
  marketId: number,
  input: string,
  { snapshot, history, made, ...card }: PairRisk,
): Promise<void> {
  await client.query(
    `insert into app.risk_forecasts (market_id, made_at, forecast)
     select $1, (f->>'madeAt')::bigint, f from jsonb_array_elements($2::jsonb) f
     on conflict do nothing`,
    [marketId, JSON.stringify(made)],
  );
  await client.query(
    `insert into app.risk_snapshots (market_id, input, data_through, snapshot, history, card)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (market_id) do update set input = excluded.input, data_through = excluded.data_through,
       computed_at = now(), snapshot = excluded.snapshot, history = excluded.history, card = excluded.card`,
    [marketId, input, snapshot.dataThrough, snapshot, JSON.stringify(history), card],
  );
  await client.query("update app.risk_demand set claimed_until = '-infinity' where market_id = $1", [marketId]);
  await client.query("select pg_notify($1, $2)", [riskChannel, String(marketId)]);
}

/** The stored risk of a market. */
export type StoredRisk = {
  market_id: number;
  computed_at: Date;
  data_through: number;
  snapshot: PairRisk["snapshot"];
  /** Only in the result of `findRisk`. */
  history: PairRisk["history"];
  card: Pick<PairRisk, "change24h" | "volatilityDaily" | "sparkline">;
};

/** Finds the newest risk of a market; null when it was never computed. */
export async function findRisk(db: Queryable, marketId: number): Promise<StoredRisk | null> {
  const { rows } = await db.query<StoredRisk>({
    name: "risk",
    text: `select market_id, computed_at, data_through, snapshot, history, card from app.risk_snapshots
      where market_id = $1`,
    values: [marketId],
  });
  return rows[0] ?? null;
}

/** Lists the newest risk of all markets, without histories. */
export async function listRisk(db: Queryable): Promise<Omit<StoredRisk, "history">[]> {
  const { rows } = await db.query<Omit<StoredRisk, "history">>({
    name: "risks",
    text: "select market_id, computed_at, data_through, snapshot, card from app.risk_snapshots",
    values: [],
  });
  return rows;
}
