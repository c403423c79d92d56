import type { AccountSource } from "@slipway/protocol/indexed";
import type { Queryable } from "../../db/database.ts";

/**
 * The newest block of the feeds, null before the first block, and the first block of which PostgreSQL has all trades.
 */
export type FeedBounds = {
  final: { block: number; time: number } | null;
  completeFrom: number;
  /** False for an index of an earlier version, without reserves, which is read until the next index replaces it. */
  hasReserves: boolean;
};

/** A trade, or a mint or burn of liquidity, of a launch's pool. Addresses are lower case, amounts in base units. */
export type PoolEvent = {
  kind: "swap" | "mint" | "burn";
  blockNumber: number;
  /** Unix seconds. */
  blockTime: number;
  /** Position of the transaction in its block. */
  txIndex: number;
  logIndex: number;
  txHash: string;
  token: string;
  pool: string;
  isToken0: boolean;
  /** The sender of the transaction. */
  maker: string;
  /** Set for a swap; null for mints and burns. */
  recipient: string | null;
  account: string | null;
  accountSource: AccountSource | null;
  isBuy: boolean | null;
  ethUsd: number | null;
  tokenAmount: bigint;
  quoteAmount: bigint;
  /** The pool's assets after the event. */
  reserveToken: bigint;
  reserveQuote: bigint;
};

/** A place on the chain; readers continue after it. */
export type EventPlace = { block: number; logIndex: number };

/**
 * SQL of the newest block that no reorganisation takes back: the oldest header, below which the indexer undoes nothing.
 * With a delay in seconds as the parameter, it is the newest header of that age, if that is newer.
 */
const selectFinal = (delay: string) => `(
  select json_build_object('block', h.block_number, 'time', h.block_time) from chain.headers h
  where h.block_time <= (select block_time from chain.checkpoint) - ${delay}::bigint
    or h.block_number = (select min(block_number) from chain.headers)
  order by h.block_number desc limit 1
)`;

/** SQL of the first block of which PostgreSQL has all trades: earlier partitions can have been detached. */
const completeFrom = `(
  select greatest((select min(from_block) from chain.trade_partitions),
    (select detached_block + 1 from chain.history where detached_block > 0))
)`;

/** SQL whether the index has changes of pools: true without a launch, else if it has one in the block of the first launch. */
const hasReserves = `(
  select coalesce((
    select exists (select from chain.pool_changes c where c.token_id = t.id and c.block_number = t.block_number)
    from (select id, block_number from chain.tokens order by id limit 1) t
  ), true)
)`;

const bounds = (delay: string) =>
  `${selectFinal(delay)} as final, ${completeFrom}::float8 as complete_from, ${hasReserves} as has_reserves`;

type BoundsRow = { final: FeedBounds["final"]; complete_from: number; has_reserves: boolean };

const toBounds = ({ final, complete_from, has_reserves }: BoundsRow): FeedBounds => ({
  final,
  completeFrom: complete_from,
  hasReserves: has_reserves,
});

/**
 * Reads the bounds of the feeds.
 *
 * @param delaySeconds - The minimum age of the newest block; a delay beyond the reorg window is the reorg window.
 */
export async function readFeedBounds(db: Queryable, delaySeconds: number): Promise<FeedBounds> {
  const { rows } = await db.query<BoundsRow>({
    name: "feed-bounds",
    text: `select ${bounds("$1")}`,
    values: [delaySeconds],
  });
  return toBounds(rows[0]!);
}

type EventRow = {
  kind: PoolEvent["kind"];
  block_number: number;
  block_time: number;
  tx_index: number;
  log_index: number;
  tx_hash: string;
  token: string;
  pool: string;
  is_token0: boolean;
  maker: string;
  recipient: string | null;
  account: string | null;
  account_source: AccountSource | null;
  is_buy: boolean | null;
  eth_usd: number | null;
  token_amount: string;
  quote_amount: string;
  reserve_token: string;
  reserve_quote: string;
};

/** SQL of the blocks of a page. $1, $2: first and last block, $3, $4: place after which it begins. */
const inRange = "block_number between $1 and $2 and (block_number, log_index) > ($3, $4)";

/**
 * SQL of the reserves of the pools of a page (`page`) after each of their trades: those of the newest change up to the
 * trade, and the amounts of the trades since, of which there are fewer than 32 (indexer/events/poolSwap.ts). Each trade
 * finds its change by the index, because any account can add changes that are no events, such as flash loans, at the price of
 * their gas. `offset 0` keeps one index scan a token.
 */
const reserves = `
  spans as materialized (
    select distinct on (token_id) token_id, block_number as first_block, log_index as first_log,
      max(block_number) over (partition by token_id) as last_block
    from page order by token_id, block_number, log_index
  ),
  traded as materialized (
    select t.token_id, t.block_number, t.log_index, t.is_buy, t.token_amount, t.quote_amount
    from spans s
    cross join lateral (
      select c.block_number, c.log_index from chain.pool_changes c
      where c.token_id = s.token_id and (c.block_number, c.log_index) <= (s.first_block, s.first_log)
      order by c.block_number desc, c.log_index desc limit 1
    ) b
    cross join lateral (
      select * from chain.trades
      where token_id = s.token_id and block_number between b.block_number and s.last_block
        and (block_number, log_index) >= (b.block_number, b.log_index)
      offset 0
    ) t
  ),
  steps as materialized (
    select t.token_id, t.block_number, t.log_index, c.block_number as base_block, c.log_index as base_log,
      c.reserve_token, c.reserve_quote,
      -- The reserves of a change include the trade of the same log.
      case when (t.block_number, t.log_index) = (c.block_number, c.log_index) then 0
        when t.is_buy then -t.token_amount else t.token_amount end as token_delta,
      case when (t.block_number, t.log_index) = (c.block_number, c.log_index) then 0
        when t.is_buy then t.quote_amount else -t.quote_amount end as quote_delta
    from traded t
    cross join lateral (
      select * from chain.pool_changes c
      where c.token_id = t.token_id and (c.block_number, c.log_index) <= (t.block_number, t.log_index)
      order by c.block_number desc, c.log_index desc limit 1
    ) c
  ),
  reserves as materialized (
    select token_id, block_number, log_index, reserve_token + sum(token_delta) over since as reserve_token,
      reserve_quote + sum(quote_delta) over since as reserve_quote
    from steps
    window since as (partition by token_id, base_block, base_log order by block_number, log_index)
  )`;

/** SQL of a page of events. */
const eventsText = `
  with page as materialized (
    select * from (
      (select token_id, block_number, log_index, 'swap' as kind from chain.trades where ${inRange}
       order by block_number, log_index limit $5)
      union all
      (select token_id, block_number, log_index, kind::text from chain.pool_changes
       where kind in ('mint', 'burn') and ${inRange} order by block_number, log_index limit $5)
    ) u order by block_number, log_index limit $5
  ),
  ${reserves},
  rows as materialized (
    select p.kind, t.token_id, t.block_number, t.log_index, t.block_time, t.tx_index, t.tx_hash, t.maker_id,
      t.recipient_id, coalesce(t.account_id, t.maker_id) as account_id,
      coalesce(t.account_source, 'sender') as account_source, t.is_buy, t.eth_usd, t.token_amount, t.quote_amount,
      b.reserve_token, b.reserve_quote
    from page p
    cross join lateral (
      select * from chain.trades
      where token_id = p.token_id and block_number = p.block_number and log_index = p.log_index limit 1
    ) t
    left join reserves b on b.token_id = p.token_id and b.block_number = p.block_number and b.log_index = p.log_index
    where p.kind = 'swap'
    union all
    select p.kind, c.token_id, c.block_number, c.log_index, c.block_time, c.tx_index, c.tx_hash, c.maker_id,
      null, null, null, null, null, c.token_amount, c.quote_amount, c.reserve_token, c.reserve_quote
    from page p
    cross join lateral (
      select * from chain.pool_changes
      where token_id = p.token_id and block_number = p.block_number and log_index = p.log_index limit 1
    ) c
    where p.kind <> 'swap'
  )
  select f.*, r.kind, r.block_number, r.block_time, coalesce(r.tx_index, 0) as tx_index, r.log_index,
    '0x' || encode(r.tx_hash, 'hex') as tx_hash, k.address as token, k.pool, k.is_token0,
    '0x' || encode(m.address, 'hex') as maker, '0x' || encode(o.address, 'hex') as recipient,
    '0x' || encode(a.address, 'hex') as account, r.account_source, r.is_buy, r.eth_usd, r.token_amount, r.quote_amount,
    r.reserve_token, r.reserve_quote
  from (select ${bounds("$6")}) f
  left join rows r on true
  left join chain.tokens k on k.id = r.token_id
  left join chain.accounts m on m.id = r.maker_id
  left join chain.accounts o on o.id = r.recipient_id
  left join chain.accounts a on a.id = r.account_id
  order by r.block_number, r.log_index`;

/**
 * Reads the events of a range of blocks in chain order, with the bounds of the feeds at the same moment.
 *
 * @param range.after - Only events after this place.
 * @param range.delaySeconds - As of `readFeedBounds`.
 */
export async function readEvents(
  db: Queryable,
  range: { fromBlock: number; toBlock: number; after?: EventPlace | null; limit: number; delaySeconds: number },
): Promise<FeedBounds & { events: PoolEvent[] }> {
  const { block, logIndex } = range.after ?? { block: -1, logIndex: 0 };
  const { rows } = await db.query<BoundsRow & (EventRow | { kind: null })>({
    name: "pool-events",
    text: eventsText,
    values: [range.fromBlock, range.toBlock, block, logIndex, range.limit, range.delaySeconds],
  });
  const found = rows.filter((row): row is BoundsRow & EventRow => row.kind !== null);
  const first = toBounds(rows[0]!);
  return { ...first, events: first.hasReserves ? found.map(toPoolEvent) : [] };
}

function toPoolEvent(row: EventRow): PoolEvent {
  return {
    kind: row.kind,
    blockNumber: row.block_number,
    blockTime: row.block_time,
    txIndex: row.tx_index,
    logIndex: row.log_index,
    txHash: row.tx_hash,
    token: row.token,
    pool: row.pool,
    isToken0: row.is_token0,
    maker: row.maker,
    recipient: row.recipient,
    account: row.account,
    accountSource: row.account_source,
    isBuy: row.is_buy,
    ethUsd: row.eth_usd,
    tokenAmount: BigInt(row.token_amount),
    quoteAmount: BigInt(row.quote_amount),
    reserveToken: BigInt(row.reserve_token),
    reserveQuote: BigInt(row.reserve_quote),
  };
}
