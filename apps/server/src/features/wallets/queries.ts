import type { Queryable } from "../../db/database.ts";
import { hasHash } from "../../history/tradePageQueries.ts";
import type { TradeRow } from "../../pricing/toIndexedTrade.ts";
import { selectResembled } from "../../transactions/resemblanceQueries.ts";

/** Maximum entries of each list on a page. */
export const pageSize = 50;

/**
 * A token in lists about people; `sha256`: of its processed picture. `image` and `sha256` are null if it is blocked.
 */
export type TokenNameRow = {
  address: string;
  name: string;
  symbol: string;
  resembles: string | null;
  image: string | null;
  sha256: string | null;
};

/** The columns for the figures of a token, and the block of its last change. */
type TokenStateRow = {
  price: number;
  total_supply: string;
  market_cap: number;
  changed_block: number;
  changed_time: number;
};

export type HoldingRow = TokenNameRow & TokenStateRow & { balance: string };
export type LaunchRow = TokenNameRow &
  TokenStateRow & { splitter: string; block_number: number; block_time: number; tx_hash: string };
/** `received` by the splitter and `released` to the wallet: each the amounts of the token and of the quote asset. */
export type ReceiptRow = TokenNameRow &
  TokenStateRow & { splitter: string; share_bps: number; quote_token: string; received: string[]; released: string[] };
export type WalletTradeRow = TradeRow & { token: TokenNameRow };

export type WalletRow = {
  /** Whether every entry in the cursor is indexed. */
  is_cursor_valid: boolean;
  /** One more than `pageSize` when further entries exist; each list newest first. */
  holdings: HoldingRow[];
  launches: LaunchRow[];
  receipts: ReceiptRow[];
  trades: WalletTradeRow[];
  /** The block from which trades are stored; null if none was detached. */
  trades_from_block: number | null;
  /** Base units and micro-USD; null when unknown. */
  realized_quote: string | null;
  realized_usd: string | null;
};

/** The position in each list: after a token's lower-case address or a trade's id, "" at the start, "-" at the end. */
export type WalletCursor = { holdings: string; launches: string; receipts: string; trades: string };

const nameColumns = `t.address, t.name, t.symbol, ${selectResembled("t.address")} as resembles, m.image, m.sha256`;
const stateColumns = "s.price, s.total_supply::text as total_supply, s.market_cap, s.changed_block, s.changed_time";
// `limit 1` on a key only changes the plan: a lookup for each row, never a hash of the whole table.
const joinImage = `
  left join lateral (
    select case when b.token is null and (g.sha256 is null or g.shown) then coalesce(t.image, d.image) end as image,
      case when g.shown then encode(g.sha256, 'hex') end as sha256
    from (values (1)) v
    left join lateral (select image from app.token_manifests where token = t.address limit 1) d on true
    left join lateral (select sha256, shown from app.gallery where token = t.address limit 1) g on true
    left join lateral (
      select token from app.blocked_tokens where token = t.address and blocked_at is not null limit 1
    ) b on true
  ) m on true`;
const joinState = "cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s";
const joinToken = (id: string) => `cross join lateral (select * from chain.tokens where id = ${id} limit 1) t`;

/** SQL of the token id after which a list continues: above all at the start, below all at the end, or null. */
const tokenPosition = (parameter: string) => `case ${parameter} when '' then 2147483647 when '-' then 0
  else (select id from chain.tokens where address = ${parameter}) end`;

/** SQL of a list as a JSON array. */
const toList = (rows: string, order: string) =>
  `coalesce((select json_agg(r order by ${order}) from (${rows}) r), '[]')`;

/**
 * SQL of the first rows below a position, with one index lookup per row. Otherwise the planner reads and sorts the
 * whole list if it estimates a short one.
 *
 * @param name - The name of the recursive query.
 * @param rows - SQL of the list, which an index orders by `key`.
 */
const toWalk = (name: string, rows: string, key: string, position: string) => {
  const next = (below: string) => `${rows} and ${key} < ${below} order by ${key} desc limit 1`;
  return `
    select n.*, 1 as place from (${next(position)}) n
    union all
    select n.*, w.place + 1 from ${name} w cross join lateral (${next(`w.${key}`)}) n where w.place <= ${pageSize}`;
};

/** SQL of the next proven splitter that pays the wallet. */
const nextPayee = (comparison: string, position: string) => `
  select p.block_number as known_at, p.splitter, p.share_bps from chain.splitter_payees p
  cross join lateral (select from chain.splitters where address = p.splitter and proven limit 1) c
  where p.payee = $1 and (p.block_number, p.splitter) ${comparison} (${position})
  order by p.block_number desc, p.splitter desc limit 1`;

/**
 * SQL of a page. $1: the wallet. $2 to $4: the positions in holdings, launches and receipts. $5 and $6: the trade's
 * hash and log index, or "" or "-" with 0. Each list is read in the order of an index, and only to the end of its page.
 */
const text = `
  with recursive me as materialized (
    select (select id from chain.accounts where address = decode(substr($1, 3), 'hex')) as id
  ),
  at as materialized (
    select ${tokenPosition("$2::text")} as holding, ${tokenPosition("$3::text")} as launch,
      ${tokenPosition("$4::text")} as receipt,
      case $5::text when '' then 9223372036854775807 when '-' then -1 else x.block_number end as trade_block,
      case when x.block_number is null then 0 else $6::int end as trade_log
    from (values (1)) v left join lateral (
      select block_number from chain.trades
      where ${hasHash("case when length($5::text) > 1 then decode(substr($5::text, 3), 'hex') end")} and log_index = $6::int
      limit 1
    ) x on true
  ),
  -- The splitter of the receipt after which the page begins.
  last_receipt as materialized (
    select p.block_number, p.splitter, t.id from chain.tokens t
    join chain.splitter_payees p on p.splitter = t.splitter and p.payee = $1
    where t.address = $4::text limit 1
  ),
  held as (${toWalk(
    "held",
    "select token_id, balance from chain.balances where account_id = (select id from me)",
    "token_id",
    "(select holding from at)",
  )}),
  launched as (${toWalk("launched", "select id from chain.tokens where creator = $1", "id", "(select launch from at)")}),
  payees as (
    select n.*, 1 as place from (
      ${nextPayee("<=", "coalesce((select block_number from last_receipt), 9223372036854775807), coalesce((select splitter from last_receipt), '')")}
    ) n where (select receipt from at) > 0
    union all
    select n.*, w.place + 1 from payees w cross join lateral (${nextPayee("<", "w.known_at, w.splitter")}) n
    -- All launches of the first splitter can be on the previous page.
    where w.place <= ${pageSize + 1}
  ),
  received as (
    select p.splitter, p.share_bps, p.known_at, k.id from payees p
    cross join lateral (
      select id from chain.tokens where splitter = p.splitter
        and id < case when p.splitter = (select splitter from last_receipt) then (select id from last_receipt)
          else 2147483647 end
      order by id desc limit ${pageSize + 1}
    ) k
    order by p.known_at desc, p.splitter desc, k.id desc limit ${pageSize + 1}
  ),
  -- The rows of a page can be on a page of the disk each. An index-only scan yields the ends of the page, and a bitmap scan,
  -- which prefetches ('readAhead' in db/database.ts), reads the page. The condition forces this plan: no plain scan serves
  -- an 'or' of ranges without a shared term.
  keys as materialized (
    select account_id, block_number, log_index from chain.trades
    where account_id = (select id from me)
      and (block_number, log_index) < ((select trade_block from at), (select trade_log from at))
    order by block_number desc, log_index desc limit ${pageSize + 1}
  ),
  newest as materialized (select * from keys order by block_number desc, log_index desc limit 1),
  oldest as materialized (select * from keys order by block_number, log_index limit 1),
  traded as materialized (
    select x.* from chain.trades x
    where (x.account_id = (select id from me) and x.block_number > (select block_number from oldest)
        and x.block_number < (select block_number from newest))
      or (x.account_id = (select account_id from oldest) and x.block_number = (select block_number from oldest)
        and x.log_index >= (select log_index from oldest)
        and (x.block_number, x.log_index) <= ((select block_number from newest), (select log_index from newest)))
      or (x.account_id = (select account_id from newest) and x.block_number = (select block_number from newest)
        and x.log_index <= (select log_index from newest) and x.block_number > (select block_number from oldest))
  )
  select
    (select holding is not null and launch is not null and receipt is not null and trade_block is not null from at)
      and ($4::text in ('', '-') or exists (select from last_receipt)) as is_cursor_valid,
    ${toList(
      `select h.token_id, h.balance::text as balance, ${nameColumns}, ${stateColumns}
       from held h ${joinToken("h.token_id")} ${joinState} ${joinImage}`,
      "r.token_id desc",
    )} as holdings,
    ${toList(
      `select l.id, t.splitter, t.block_number, t.block_time, t.tx_hash, ${nameColumns}, ${stateColumns}
       from launched l ${joinToken("l.id")} ${joinState} ${joinImage}`,
      "r.id desc",
    )} as launches,
    ${toList(
      `select e.known_at, e.id, e.splitter, e.share_bps, t.quote_token, ${nameColumns}, ${stateColumns},
         array(select coalesce((select amount from chain.splitter_received x
           where x.splitter = e.splitter and x.asset = a.asset), 0)::text
           from unnest(array[t.address, t.quote_token]) with ordinality a(asset, n) order by n) as received,
         array(select coalesce((select amount from chain.splitter_released x
           where x.splitter = e.splitter and x.payee = $1 and x.asset = a.asset), 0)::text
           from unnest(array[t.address, t.quote_token]) with ordinality a(asset, n) order by n) as released
       from received e ${joinToken("e.id")} ${joinState} ${joinImage}`,
      "r.known_at desc, r.splitter desc, r.id desc",
    )} as receipts,
    ${toList(
      `select '0x' || encode(x.tx_hash, 'hex') as tx_hash, x.log_index, x.block_number, x.block_time, x.is_buy,
         '0x' || encode(o.address, 'hex') as maker, '0x' || encode(a.address, 'hex') as recipient,
         $1::text as account, x.account_source,
         x.token_amount::text as token_amount, x.quote_amount::text as quote_amount, x.eth_usd,
         json_build_object('address', t.address, 'name', t.name, 'symbol', t.symbol,
           'resembles', ${selectResembled("t.address")}, 'image', m.image, 'sha256', m.sha256) as token
       from traded x ${joinToken("x.token_id")} ${joinImage}
       cross join lateral (select address from chain.accounts where id = x.maker_id limit 1) o
       cross join lateral (select address from chain.accounts where id = x.recipient_id limit 1) a`,
      "r.block_number desc, r.log_index desc",
    )} as trades,
    -- Without detached partitions, the oldest one begins at block 0.
    (select nullif(min(from_block), 0) from chain.trade_partitions) as trades_from_block,
    -- Without a row the wallet has never traded. A row of an earlier version has no realized profit.
    case when p.token_id is null then '0' else p.realized_quote::text end as realized_quote,
    case when p.token_id is null then '0' else p.realized_usd::text end as realized_usd
  from me left join chain.traders p on p.token_id = 0 and p.account_id = me.id`;

/** Reads a page of a wallet's lists, and its profit. @param wallet - Lower case. */
export async function readWallet(db: Queryable, wallet: string, cursor: WalletCursor): Promise<WalletRow> {
  const [hash, logIndex] = cursor.trades.split(":");
  const { rows } = await db.query<WalletRow>({
    name: "wallet",
    text,
    values: [wallet, cursor.holdings, cursor.launches, cursor.receipts, hash, Number(logIndex ?? 0)],
  });
  return rows[0]!;
}
