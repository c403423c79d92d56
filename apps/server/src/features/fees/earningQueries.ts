import type { Hex } from "viem";
import type { Queryable } from "../../db/database.ts";

export type EarningPage = {
  /** Tokens whose proven splitter pays the wallet, and one more than the limit if there are more; lower case. */
  tokens: Hex[];
  /** Whether the token of the cursor is one of them. */
  is_cursor_known: boolean;
};

/**
 * Lists the launches whose proven splitter pays a wallet: by the splitter's first launch, then by the token's, latest first.
 *
 * @param page.wallet - Lower case.
 * @param page.after - The token after which the page begins, lower case; null for the first page.
 */
export async function listEarningTokens(
  db: Queryable,
  { wallet, after, limit }: { wallet: string; after: string | null; limit: number },
): Promise<EarningPage> {
  const { rows } = await db.query<EarningPage>({
    name: "earning-tokens",
    text: `
      with last as materialized (
        select p.block_number, p.splitter, t.id from chain.tokens t
        join chain.splitter_payees p on p.splitter = t.splitter and p.payee = $1
        where t.address = $2::text limit 1
      ),
      payees as materialized (
        select p.block_number, p.splitter from chain.splitter_payees p
        cross join lateral (select from chain.splitters where address = p.splitter and proven limit 1) c
        where p.payee = $1 and (p.block_number, p.splitter) <= (
          coalesce((select block_number from last), 9223372036854775807), coalesce((select splitter from last), '~'))
        order by p.block_number desc, p.splitter desc limit $3::int + 2
      )
      select $2::text is null or exists (select from last) as is_cursor_known,
        coalesce((
          select json_agg(r.address order by r.block_number desc, r.splitter desc, r.id desc) from (
            select p.block_number, p.splitter, k.id, k.address from payees p
            cross join lateral (
              select id, address from chain.tokens where splitter = p.splitter
                and id < case when p.splitter = (select splitter from last) then (select id from last) else 2147483647 end
              order by id desc limit $3::int + 1
            ) k
            order by p.block_number desc, p.splitter desc, k.id desc limit $3::int + 1
          ) r
        ), '[]') as tokens`,
    values: [wallet, after, limit],
  });
  return rows[0]!;
}
