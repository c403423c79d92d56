import type { TokenHolders } from "@slipway/protocol/people";
import type { Queryable } from "../../db/database.ts";
import { finiteOrNull, toChecksumAddress, toIsoTime } from "../../pricing/format.ts";

type HolderRow = { address: string; balance: string };

type HoldersRow = {
  is_cursor_known: boolean;
  pool: string;
  locker: string;
  splitter: string;
  total_supply: string;
  changed_block: number;
  changed_time: number;
  holders: HolderRow[];
};

const burnAddresses = new Set([`0x${"0".repeat(40)}`, `0x${"0".repeat(36)}dead`]);

/**
 * Reads a page of a token's balances, largest first; equal balances by account id, latest first.
 *
 * @param options.address - Lower case.
 * @param options.cursor - The balance and the account after which the page begins.
 * @returns Null when the token is not indexed, `expired` when the account in the cursor is not indexed.
 */
export async function readHolders(
  db: Queryable,
  options: { address: string; limit: number; cursor: string | null },
): Promise<TokenHolders | "expired" | null> {
  const { address, limit, cursor } = options;
  const [balance, account] = cursor?.split("~") ?? [null, null];
  const { rows } = await db.query<HoldersRow>({
    name: "token-holders",
    text: `
      with at as materialized (select (select id from chain.accounts where address = decode($3::text, 'hex')) as id)
      select $3::text is null or (select id is not null from at) as is_cursor_known,
        t.pool, d.fee_locker as locker, t.splitter, s.total_supply, s.changed_block, s.changed_time,
        coalesce((
          select json_agg(json_build_object('address', '0x' || encode(a.address, 'hex'), 'balance', b.balance::text)
            order by b.balance desc, b.account_id desc)
          from (
            select account_id, balance from chain.balances
            where token_id = t.id and (balance, account_id) < (
              coalesce($2::numeric, 'infinity'), coalesce((select id from at), 0))
            order by balance desc, account_id desc limit $4::int + 1
          ) b
          cross join lateral (select address from chain.accounts where id = b.account_id limit 1) a
        ), '[]') as holders
      from chain.tokens t
      join chain.token_state s on s.token_id = t.id
      join chain.deployments d on d.id = t.deployment_id
      where t.address = $1`,
    values: [address, balance, account?.slice(2) ?? null, limit],
  });
  const row = rows[0];
  if (row === undefined) return null;
  return row.is_cursor_known ? toTokenHolders(row, limit) : "expired";
}

function toTokenHolders(row: HoldersRow, limit: number): TokenHolders {
  const page = row.holders.slice(0, limit);
  const last = row.holders.length > limit ? page.at(-1)! : null;
  return {
    items: page.map((holder) => ({
      address: toChecksumAddress(holder.address),
      amount: holder.balance,
      share_of_supply: finiteOrNull(Number(holder.balance) / Number(row.total_supply)),
      label: getLabel(row, holder.address),
    })),
    next_cursor: last === null ? null : `${last.balance}~${last.address}`,
    as_of: { block_number: row.changed_block, timestamp: toIsoTime(row.changed_time) },
  };
}

function getLabel(row: HoldersRow, address: string): TokenHolders["items"][number]["label"] {
  if (burnAddresses.has(address)) return "burn";
  for (const label of ["pool", "locker", "splitter"] as const) if (row[label] === address) return label;
  return null;
}
