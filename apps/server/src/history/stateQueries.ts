import type { Queryable } from "../db/database.ts";

/** How far the engine has the index, and which old rows PostgreSQL may no longer have. */
export type HistoryState = {
  /** Part of the names of the engine's tables. */
  generation: string;
  /** The engine has every trade up to this block, and every candle that ends up to this time (Unix seconds). */
  copied_block: number;
  copied_time: number;
  /** PostgreSQL may lack trades up to this block, and candles that start up to this time; 0: it has all. */
  detached_block: number;
  detached_time: number;
};

/** Reads the state; undefined before the first copy, and after a rebuild of the index. */
export async function readHistoryState(db: Queryable): Promise<HistoryState | undefined> {
  const { rows } = await db.query<HistoryState>(
    `select generation, copied_block::float8, copied_time::float8, detached_block::float8, detached_time::float8
     from chain.history`,
  );
  return rows[0];
}

/** Stores the state before the first copy, unless another process has done so. */
export async function createHistoryState(db: Queryable, generation: string): Promise<void> {
  await db.query("insert into chain.history (generation) values ($1) on conflict do nothing", [generation]);
}

/** Reads the newest block that no reorganisation can undo, and its time; null before the first. */
export async function readFinalBlock(db: Queryable): Promise<{ block: number; time: number } | null> {
  // An undo ends at a stored header (indexer/store/undoTo.ts), so the oldest one always stays.
  const { rows } = await db.query<{ block: number; time: number }>(
    `select block_number::float8 as block, block_time::float8 as time from chain.headers
     order by block_number limit 1`,
  );
  return rows[0] ?? null;
}

/** A trade as the engine stores it, with numbers and texts of its columns. */
export type CopiedTrade = {
  token_id: number;
  block_number: number;
  log_index: number;
  block_time: number;
  pool_price: number;
  eth_usd: number | null;
  maker_id: number;
  recipient_id: number;
  account_id: number | null;
  account_source: string | null;
  is_buy: boolean;
  tx_hash: string;
  token_amount: string;
  quote_amount: string;
};

/** The key of the last trade of a page; the next page begins after it. */
export type TradeKey = Pick<CopiedTrade, "token_id" | "block_number" | "log_index">;

const tradeColumns = `token_id, block_number::float8, log_index, block_time::float8, pool_price, eth_usd, maker_id,
  recipient_id, account_id, account_source::text, is_buy, '0x' || encode(tx_hash, 'hex') as tx_hash,
  token_amount::text, quote_amount::text`;

/** Lists a page of the trades of a block range, in the order of the primary key. */
export async function listRangeTrades(
  db: Queryable,
  range: { afterBlock: number; toBlock: number },
  after: TradeKey | null,
  limit: number,
): Promise<CopiedTrade[]> {
  const { rows } = await db.query<CopiedTrade>(
    `select ${tradeColumns} from chain.trades
     where block_number > $1 and block_number <= $2 and (token_id, block_number, log_index) > ($3, $4, $5)
     order by chain.trades.token_id, chain.trades.block_number, chain.trades.log_index limit $6`,
    [range.afterBlock, range.toBlock, after?.token_id ?? -1, after?.block_number ?? -1, after?.log_index ?? -1, limit],
  );
  return rows;
}

/** A candle as the engine stores it. */
export type CopiedCandle = {
  token_id: number;
  seconds: number;
  t: number;
  o: number;
  h: number;
  l: number;
  c: number;
  o_usd: number | null;
  h_usd: number | null;
  l_usd: number | null;
  c_usd: number | null;
  n: number;
  buys: number;
  vq: string;
  v: string | null;
};

/** The time that candles end in: after `afterTime`, up to `toTime`. */
export type CandleTimes = { afterTime: number; toTime: number };

/** Lists the tokens that can have candles which end in a time, ascending. */
export async function listCandleTokens(db: Queryable, { afterTime, toTime }: CandleTimes): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select t.id from chain.tokens t join chain.token_state s on s.token_id = t.id
     where s.last_trade_time > $1 - 86400 and t.block_time < $2 order by t.id`,
    [afterTime, toTime],
  );
  return rows.map(({ id }) => id);
}

/** Lists the candles of tokens that end in a time, in the order of the primary key. */
export async function listRangeCandles(
  db: Queryable,
  { afterTime, toTime }: CandleTimes,
  tokenIds: readonly number[],
): Promise<CopiedCandle[]> {
  const { rows } = await db.query<CopiedCandle>(
    `select c.token_id, c.seconds, c.t::float8, c.o, c.h, c.l, c.c, c.o_usd, c.h_usd, c.l_usd, c.c_usd, c.n, c.buys,
       c.vq::text, c.v::text
     from unnest($3::int[]) k(token_id)
     cross join unnest('{60,300,3600,86400}'::int[]) s(seconds)
     cross join lateral chain.token_candles(
       k.token_id, s.seconds, $1::bigint - s.seconds + 1, $2::bigint - s.seconds + 1, 1e9::bigint) c
     order by c.token_id, c.seconds, c.t`,
    [afterTime, toTime, tokenIds],
  );
  return rows;
}

/** A range that was copied and compared. */
export type CopiedRange = {
  afterBlock: number;
  toBlock: number;
  firstTime: number | null;
  lastTime: number | null;
  afterTime: number;
  toTime: number;
  trades: number;
  tradesHash: string;
  candles: number;
  candlesHash: string;
};

/**
 * Moves the watermark to the end of a range, and stores the range's digest.
 *
 * @returns False when another process has moved it, or the index was rebuilt: nothing is stored then.
 */
export async function moveWatermark(db: Queryable, generation: string, range: CopiedRange): Promise<boolean> {
  const { rowCount } = await db.query(
    `with moved as (
       update chain.history set copied_block = $3, copied_time = $4
       where generation = $1 and copied_block = $2 returning 1
     )
     insert into chain.history_ranges (after_block, to_block, first_time, last_time, after_time, to_time, trades,
       trades_hash, candles, candles_hash)
     select $2, $3, $5, $6, $7, $4, $8, $9, $10, $11 from moved`,
    [
      ...[generation, range.afterBlock, range.toBlock, range.toTime, range.firstTime, range.lastTime, range.afterTime],
      ...[range.trades, range.tradesHash, range.candles, range.candlesHash],
    ],
  );
  return rowCount === 1;
}

/** Lists the copied ranges, oldest first. */
export async function listCopiedRanges(db: Queryable): Promise<CopiedRange[]> {
  const { rows } = await db.query<CopiedRange>(
    `select after_block::float8 as "afterBlock", to_block::float8 as "toBlock", first_time::float8 as "firstTime",
       last_time::float8 as "lastTime", after_time::float8 as "afterTime", to_time::float8 as "toTime",
       trades::float8 as trades, trades_hash::text as "tradesHash", candles::float8 as candles,
       candles_hash::text as "candlesHash"
     from chain.history_ranges order by after_block`,
  );
  return rows;
}

/** Finds the addresses of accounts by id: `0x` and lower case. */
export async function findAddresses(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ id: number; address: string }>({
    name: "account-addresses",
    text: "select id, '0x' || encode(address, 'hex') as address from chain.accounts where id = any($1)",
    values: [ids],
  });
  return new Map(rows.map(({ id, address }) => [id, address]));
}

/** Finds the id of an account by its lower-case address; null when it is not indexed. */
export async function findAccountId(db: Queryable, address: string): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>({
    name: "account-id",
    text: "select id from chain.accounts where address = decode(substr($1, 3), 'hex')",
    values: [address],
  });
  return rows[0]?.id ?? null;
}

/** Finds the addresses of tokens by id, in lower case. */
export async function findTokenAddresses(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ id: number; address: string }>(
    "select id, address from chain.tokens where id = any($1)",
    [ids],
  );
  return new Map(rows.map(({ id, address }) => [id, address]));
}
