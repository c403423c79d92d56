import type { Queryable } from "../../db/database.ts";
import { selectResembled } from "../../transactions/resemblanceQueries.ts";

export type ReleaseRow = {
  tx_hash: string;
  log_index: number;
  block_number: number;
  block_time: number;
  splitter: string;
  asset: string;
  amount: string;
  /** The launch that earned it; null if the splitter serves several and the asset is none of them. */
  token: { address: string; name: string; symbol: string; resembles: string | null } | null;
};

/** A place among the releases of a wallet. */
export type ReleasePlace = { block_number: number; log_index: number };

export type ReleasesRow = {
  /** Newest first, and one more than the limit if there are more. */
  releases: ReleaseRow[];
  /** The last event that the page has read, if there are more to read. */
  last_scanned: ReleasePlace | null;
};

/** Events that a page reads: anyone can create a splitter that is not proven, and its events are not shown. */
const maxScanned = 1_000;

/** Reads a page of the amounts that proven splitters released to a wallet. @param wallet - Lower case. */
export async function readReleases(
  db: Queryable,
  { wallet, limit, after }: { wallet: string; limit: number; after: ReleasePlace | null },
): Promise<ReleasesRow> {
  const { rows } = await db.query<ReleasesRow>({
    name: "wallet-releases",
    text: `
      with scanned as materialized (
        select * from chain.splitter_events
        where kind = 'released' and account = $1
          and (block_number, log_index) < (coalesce($2::bigint, 9223372036854775807), coalesce($3::int, 0))
        order by block_number desc, log_index desc limit ${maxScanned}
      ),
      shown as materialized (
        select e.* from scanned e
        cross join lateral (select from chain.splitters where address = e.splitter and proven limit 1) p
        order by e.block_number desc, e.log_index desc limit $4::int
      )
      select
        coalesce((
          select json_agg(json_build_object('tx_hash', e.tx_hash, 'log_index', e.log_index, 'block_number', e.block_number,
            'block_time', e.block_time, 'splitter', e.splitter, 'asset', e.asset, 'amount', e.amount::text,
            'token', case when t.id is not null then json_build_object('address', t.address, 'name', t.name,
              'symbol', t.symbol, 'resembles', ${selectResembled("t.address")}) end)
            order by e.block_number desc, e.log_index desc)
          from shown e
          left join lateral (
            select k.id, k.address, k.name, k.symbol from chain.tokens k where k.id = coalesce(
              (select id from chain.tokens where address = e.asset),
              (select min(s.id) from (select id from chain.tokens where splitter = e.splitter order by id limit 2) s
               having count(*) = 1))
          ) t on true
        ), '[]') as releases,
        (select json_build_object('block_number', block_number, 'log_index', log_index) from scanned
         order by block_number desc, log_index desc offset ${maxScanned - 1} limit 1) as last_scanned`,
    values: [wallet, after?.block_number ?? null, after?.log_index ?? null, limit + 1],
  });
  return rows[0]!;
}
