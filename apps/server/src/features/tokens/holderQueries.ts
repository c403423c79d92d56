import type { TokenHolders } from "@slipway/protocol/people";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import type { Queryable } from "../../db/database.ts";
import { finiteOrNull, toChecksumAddress } from "../../pricing/format.ts";

type HolderRow = { address: string; balance: string };

type HoldersRow = {
  is_cursor_known: boolean;
  pool: string;
  locker: string;
  splitter: string;
  /** Openings that launched the token, or were closed because of it. */
  openings: string[];
  total_supply: string;
  changed_block: number;
  changed_time: number;
  holder_count: number;
  /** False for an index of an earlier version, which lacks minutes of holders. */
  has_changes: boolean;
  /** Accounts that began and ceased to hold: 1 hour, 24 hours, 7 days. */
  came: number[];
  gone: number[];
  /** Accounts with at least a share of the supply, and their balances; by `bandShares`. */
  band_holders: number[];
  band_amounts: string[];
  /** Balances of accounts that are no holders. */
  excluded_amount: string;
  holders: HolderRow[];
};

/** Windows of changes, in seconds. */
const windows = [3_600, 86_400, 604_800] as const;

/** The lowest shares of the bands above the first one, in parts of 1,000. At most 1,000 accounts have one of them. */
const bandShares = [1, 10, 100] as const;

const toArray = (values: readonly string[]) => `json_build_array(${values.join(", ")})`;

const sumWindows = (column: "came" | "gone") =>
  toArray(windows.map((seconds) => `coalesce(sum(m.${column}) filter (where m.t > c.minute - ${seconds}), 0)`));

/** SQL of `came` and `gone`: sums over the minutes of a week. */
const selectChanges = `
  select ${sumWindows("came")} as came, ${sumWindows("gone")} as gone
  from chain.holder_minutes m where m.token_id = t.id and m.t > c.minute - ${Math.max(...windows)}`;

/** SQL of the largest balances of holders, and of the accounts that are none. */
const selectBands = `
  select
    ${toArray(bandShares.map((share) => `count(*) filter (where b.balance * 1000 >= s.total_supply * ${share})`))} as band_holders,
    ${toArray(bandShares.map((share) => `coalesce(sum(b.balance) filter (where b.balance * 1000 >= s.total_supply * ${share}), 0)::text`))} as band_amounts
  from chain.balances b
  where b.token_id = t.id and b.balance >= ceil(s.total_supply / 1000) and b.balance > 0 and b.account_id <> all (excluded.ids)`;

/** Labelled openings of a token: a creator can create any number with the same parameters. */
const maxOpenings = 20;

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
  index: Pick<FreshIndex, "finalBlock">,
): Promise<TokenHolders | "expired" | null> {
  const { address, limit, cursor } = options;
  const [balance, account] = cursor?.split("~") ?? [null, null];
  const { rows } = await db.query<HoldersRow>({
    name: "token-holders",
    text: `
      with at as materialized (select (select id from chain.accounts where address = decode($3::text, 'hex')) as id)
      select $3::text is null or (select id is not null from at) as is_cursor_known,
        t.pool, d.fee_locker as locker, t.splitter, s.total_supply, s.changed_block, s.changed_time,
        array(select opening from chain.opening_ends where token = t.address limit ${maxOpenings}) as openings,
        s.holders as holder_count, c.has_changes, changes.*, bands.*,
        (select coalesce(sum(x.balance), 0)::text from unnest(excluded.ids) e(id)
         cross join lateral (select balance from chain.balances where token_id = t.id and account_id = e.id limit 1) x
        ) as excluded_amount,
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
      cross join (select block_time - block_time % 60 as minute, rules is not null as has_changes from chain.checkpoint) c
      cross join lateral (
        select array(select id from chain.accounts where address in (
          decode(substr(t.pool, 3), 'hex'), decode(substr(d.fee_locker, 3), 'hex'),
          ${[...burnAddresses].map((address) => `'\\x${address.slice(2)}'`).join(", ")})) as ids
      ) excluded
      cross join lateral (${selectChanges}) changes
      cross join lateral (${selectBands}) bands
      where t.address = $1`,
    values: [address, balance, account?.slice(2) ?? null, limit],
  });
  const row = rows[0];
  if (row === undefined) return null;
  return row.is_cursor_known ? toTokenHolders(row, limit, index) : "expired";
}

function toTokenHolders(row: HoldersRow, limit: number, index: Pick<FreshIndex, "finalBlock">): TokenHolders {
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
    holders: row.holder_count,
    changes: row.has_changes ? { h1: toChange(row, 0), h24: toChange(row, 1), d7: toChange(row, 2) } : null,
    distribution: toDistribution(row),
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, index),
  };
}

function toChange({ came, gone }: HoldersRow, index: number): NonNullable<TokenHolders["changes"]>["h1"] {
  return { came: came[index]!, left: gone[index]!, net: came[index]! - gone[index]! };
}

/** Converts the accounts with at least a share to bands. The first band has all other holders. */
function toDistribution(row: HoldersRow): TokenHolders["distribution"] {
  const supply = BigInt(row.total_supply);
  const shares = [0, ...bandShares.map((share) => share / 1_000)];
  // Sums of each band and the bands above it.
  const holders = [row.holder_count, ...row.band_holders];
  const amounts = [supply - BigInt(row.excluded_amount), ...row.band_amounts.map(BigInt)];
  return shares.map((min_share, n) => {
    const amount = amounts[n]! - (amounts[n + 1] ?? 0n);
    return {
      min_share,
      max_share: shares[n + 1] ?? null,
      holders: holders[n]! - (holders[n + 1] ?? 0),
      amount: amount.toString(),
      share_of_supply: finiteOrNull(Number(amount) / Number(supply)),
    };
  });
}

function getLabel(row: HoldersRow, address: string): TokenHolders["items"][number]["label"] {
  if (burnAddresses.has(address)) return "burn";
  for (const label of ["pool", "locker", "splitter"] as const) if (row[label] === address) return label;
  return row.openings.includes(address) ? "opening" : null;
}
