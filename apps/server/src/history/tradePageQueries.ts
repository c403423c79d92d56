import type { Queryable } from "../db/database.ts";
import type { TradeRow } from "../pricing/toIndexedTrade.ts";
import { type OldRows, selectOldRows } from "./oldRowQueries.ts";

/**
 * Maximum trades that one page reads: of an account or a maker, whose index contains the filter's columns, and of a
 * token. If few trades pass the filter, the page ends early, and `nextBefore` continues from there.
 */
const maxScanned = { wallet: 5_000, token: 500 };

/** A page of trades that `before`, `account`, `maker` or `side` select. */
export type TradePage = { trades: TradeRow[]; nextBefore: string | null };

/** A trade's place on the chain. */
export type Place = { block_number: number; log_index: number };

/** A page as far as PostgreSQL has it. */
export type StoredTradePage = {
  /** Place of `before`; null for the newest page, and when no trade has the id. */
  position: Place | null;
  /** The trades, and one more than the limit if there are more. */
  trades: TradeRow[];
  /** The last trade that the page has read, if there are more to read. */
  last_scanned: (Place & { tx_hash: string }) | null;
  /** Null if PostgreSQL has every trade of the token. */
  old: OldRows | null;
};

export type TradePageQuery = {
  /** The token, lower case. */
  address: string;
  limit: number;
  /** A trade's id, optionally with `:` and its block, which finds its place without its row; null for the newest page. */
  before: string | null;
  /** Lower case; null for all. */
  account: string | null;
  maker: string | null;
  side: "buy" | "sell" | null;
};

const newestFirst = "order by block_number desc, log_index desc";
const below = `(block_number, log_index) < (
  coalesce((select block_number from at), 9223372036854775807), coalesce((select log_index from at), 0))`;

/** SQL of the bits of a hash that the index of trades contains (migration 0058). */
const hashBits = (hash: string) =>
  `((get_byte(${hash}, 0) << 10) | (get_byte(${hash}, 1) << 2) | (get_byte(${hash}, 2) >> 6))`;

/** SQL that finds trades by their transaction's hash. */
export const hasHash = (hash: string): string => `(${hashBits("tx_hash")} = ${hashBits(hash)} and tx_hash = ${hash})`;

/** SQL of the id of an account by its address in a parameter; null for an address that is not indexed. */
const accountId = (parameter: string) =>
  `(select id from chain.accounts where address = decode(${parameter}::text, 'hex'))`;

/** SQL of the newest trades of a wallet, by an index that contains the filter's columns: other trades are not read. */
const createIndexScan = (wallet: string) => `
  select token_id, block_number, log_index, is_buy, maker_id from chain.trades
  where ${wallet} and ${below} ${newestFirst} limit ${maxScanned.wallet}`;

const createWalletScan = (newest: string, filter: string) => ({
  scanned: `
    scanned as materialized (${newest}),
    oldest as materialized (select * from scanned ${newestFirst} offset ${maxScanned.wallet - 1} limit 1)`,
  filter,
  rows: `select x.* from found f cross join lateral (
    select * from chain.trades
    where token_id = f.token_id and block_number = f.block_number and log_index = f.log_index limit 1
  ) x`,
});

/**
 * SQL of the trades that a page reads (`scanned`), of the last one if further trades exist (`oldest`), and of the full
 * rows of the trades that pass the filter (`l`). An index-only scan determines the end of the page: otherwise the
 * planner reads and sorts all trades if it estimates few.
 */
const scans = {
  token: {
    scanned: `
      scanned as materialized (
        select n.* from token
        cross join lateral (
          select coalesce((select block_number from at), 9223372036854775807) as block_number,
            coalesce((select log_index from at), 0) as log_index
        ) place
        cross join lateral chain.newest_trades(token.id, place.block_number, place.log_index, ${maxScanned.token}) n
        -- A parameter must have a type in each text.
        where $6::text is null and $7::text is null
      ),
      oldest as materialized (select * from scanned ${newestFirst} offset ${maxScanned.token - 1} limit 1)`,
    filter: "true",
    rows: "select * from found",
  },
  // Only the trades of a maker that is not their account have an index by maker (migration 0041).
  maker: createWalletScan(
    `select * from (
       (${createIndexScan(`account_id = ${accountId("$6")} and $7::text is null`)})
       union all
       (${createIndexScan(`maker_id = ${accountId("$6")} and account_id is distinct from maker_id`)})
     ) u ${newestFirst} limit ${maxScanned.wallet}`,
    `maker_id = ${accountId("$6")}`,
  ),
  account: createWalletScan(
    createIndexScan(`account_id = ${accountId("$7")}`),
    `($6::text is null or maker_id = ${accountId("$6")})`,
  ),
};

/**
 * SQL of a page. $1: token, $2, $3: hash, log index of `before` or null, $4: limit, $5: is buy or null, $6, $7: maker
 * and account or null, $8: block of `before` if it is known.
 */
const createText = ({ scanned, filter, rows }: (typeof scans)[keyof typeof scans]) => `
  with token as materialized (select t.id, ${selectOldRows} as old from chain.tokens t where t.address = $1),
  at as materialized (
    select x.block_number, x.log_index from (values (1)) v left join lateral (
      (select block_number, log_index from chain.trades
       where ${hasHash("decode($2::text, 'hex')")} and log_index = $3::int limit 1)
      -- PostgreSQL may lack the trade. A block that was detached is final, so the place is valid without the trade.
      union all
      (select $8::bigint, $3::int from chain.history where $8::bigint <= detached_block)
      limit 1
    ) x on true
  ),
  ${scanned},
  found as materialized (
    select * from scanned
    where token_id = (select id from token) and ($5::boolean is null or is_buy = $5) and ${filter}
    ${newestFirst} limit $4::int + 1
  ),
  l as materialized (${rows}),
  wallets as materialized (
    select jsonb_object_agg(id, '0x' || encode(address, 'hex')) as of_id from chain.accounts
    where id = any(array(select maker_id from l union select recipient_id from l union select account_id from l))
  )
  select
    (select json_build_object('block_number', block_number, 'log_index', log_index) from at
     where block_number is not null) as position,
    coalesce((
      select json_agg(json_build_object('tx_hash', '0x' || encode(l.tx_hash, 'hex'), 'log_index', l.log_index,
        'block_number', l.block_number, 'block_time', l.block_time, 'is_buy', l.is_buy,
        'maker', wallets.of_id ->> l.maker_id::text, 'recipient', wallets.of_id ->> l.recipient_id::text,
        'account', wallets.of_id ->> coalesce(l.account_id, l.maker_id)::text,
        'account_source', coalesce(l.account_source, 'sender'),
        'token_amount', l.token_amount::text, 'quote_amount', l.quote_amount::text, 'eth_usd', l.eth_usd)
        order by l.block_number desc, l.log_index desc)
      from l cross join wallets
    ), '[]') as trades,
    (select json_build_object('tx_hash', '0x' || encode(x.tx_hash, 'hex'), 'block_number', x.block_number,
       'log_index', x.log_index) from oldest o
     join chain.trades x on x.token_id = o.token_id and x.block_number = o.block_number and x.log_index = o.log_index
    ) as last_scanned,
    token.old
  from token`;

const texts = {
  token: createText(scans.token),
  maker: createText(scans.maker),
  account: createText(scans.account),
};

/**
 * Lists a page of a token's trades, newest first; optionally before a trade, of one account, maker or side. `before` is
 * a position on the chain: its trade can be of any token.
 *
 * @returns Null when the token is not indexed.
 */
export async function readTradePage(db: Queryable, page: TradePageQuery): Promise<StoredTradePage | null> {
  const { address, limit, before, account, maker, side } = page;
  const kind = account !== null ? "account" : maker !== null ? "maker" : "token";
  const [hash, logIndex, block = null] = before?.split(":") ?? [null, null];
  const { rows } = await db.query<StoredTradePage>({
    name: `trade-page-${kind}`,
    text: texts[kind],
    values: [
      ...[address, hash?.slice(2) ?? null, logIndex, limit, side === null ? null : side === "buy"],
      maker?.slice(2) ?? null,
      account?.slice(2) ?? null,
      block,
    ],
  });
  return rows[0] ?? null;
}
