import type { Queryable } from "../../db/database.ts";

/** A change of the liquidity in a token's pool. The hash has no 0x, the address is lower case, amounts are decimal text. */
export type LiquidityChangeRow = {
  kind: "mint" | "burn";
  block_number: number;
  block_time: number;
  log_index: number;
  tx_hash: string;
  maker: string;
  token_amount: string;
  quote_amount: string;
};

export type LiquidityChangesRow = {
  changed_block: number;
  changed_time: number;
  /** False for a token of an index of an earlier version, which has no changes of pools. */
  is_complete: boolean;
  changes: LiquidityChangeRow[];
};

/** A place on the chain, before which a page begins. */
export type ChangePlace = { block: number; logIndex: number };

/**
 * Reads the newest changes of the liquidity in a token's pool, newest first, without the liquidity that the launch locks.
 * That is the last mint before the log of the launch: between the two, no other account's code runs. Null if the token
 * is not indexed.
 *
 * @param page.address - Lower case.
 * @param page.before - Only changes before this place; null: the newest.
 */
export async function readLiquidityChanges(
  db: Queryable,
  page: { address: string; limit: number; before: ChangePlace | null },
): Promise<LiquidityChangesRow | null> {
  const { block, logIndex } = page.before ?? { block: Number.MAX_SAFE_INTEGER, logIndex: 0 };
  const { rows } = await db.query<LiquidityChangesRow>({
    name: "token-liquidity-changes",
    text: `
      select s.changed_block, s.changed_time, l.log_index is not null as is_complete, coalesce((
        select json_agg(json_build_object('kind', c.kind, 'block_number', c.block_number, 'block_time', c.block_time,
          'log_index', c.log_index, 'tx_hash', encode(c.tx_hash, 'hex'), 'maker', '0x' || encode(a.address, 'hex'),
          'token_amount', c.token_amount::text, 'quote_amount', c.quote_amount::text)
          order by c.block_number desc, c.log_index desc)
        from (
          select * from chain.pool_changes
          where token_id = t.id and kind in ('mint', 'burn') and (block_number, log_index) < ($3::bigint, $4::integer)
            and (block_number, log_index) <> (t.block_number, l.log_index)
          order by block_number desc, log_index desc limit $2::int
        ) c
        cross join lateral (select address from chain.accounts where id = c.maker_id limit 1) a
      ), '[]') as changes
      from chain.tokens t
      join chain.token_state s on s.token_id = t.id
      left join lateral (
        select log_index from chain.pool_changes
        where token_id = t.id and kind in ('mint', 'burn') and block_number = t.block_number and log_index < t.log_index
        order by log_index desc limit 1
      ) l on true
      where t.address = $1`,
    values: [page.address, page.limit, block, logIndex],
  });
  return rows[0] ?? null;
}
