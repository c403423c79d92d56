import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import type { Database } from "@slipway/server/db/database";
import { feeLocker, wrappedNative } from "./testManifest.ts";

/** The head of the fake chain: a whole minute. */
export const headTime = 1_790_000_040 - (1_790_000_040 % 60);
export const headBlock = 5_000;

/** The locker as an account with a balance. */
export const feeLockerAccount = feeLocker;

export const toAddress = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
export const toHash = (n: number) => `0x${n.toString(16).padStart(64, "0")}`;

export type Values = Record<string, unknown>;

export async function insert(db: Database, table: string, values: Values): Promise<void> {
  const names = Object.keys(values);
  await db.indexer.query(
    `insert into ${table} (${names.join(", ")}) overriding system value values (${names.map((_, i) => `$${i + 1}`).join(", ")})`,
    Object.values(values),
  );
}

/** Inserts many rows with the same columns by one statement. */
export async function insertAll(db: Database, table: string, rows: readonly Values[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {}).join(", ");
  const toJson = (value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value);
  const plain = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)])),
  );
  await db.indexer.query(
    `insert into ${table} (${names}) overriding system value select ${names} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(plain)],
  );
}

/**
 * Empties all tables except `trade_partitions` and `sparse_candles`, and restarts their sequences. Truncates only tables
 * with rows or used sequences: the truncation of all tables takes 60 ms, mostly for files of empty indexes.
 */
export async function clear(db: Database): Promise<void> {
  const { rows } = await db.indexer.query<{ name: string }>(
    `select c.oid::regclass as name from pg_class c
     where c.relnamespace in ('chain'::regnamespace, 'app'::regnamespace) and c.relkind = 'r'
       and c.relname not in ('trade_partitions', 'sparse_candles')
       and (pg_relation_size(c.oid) > 0 or c.oid in (
         select d.refobjid from pg_sequence s
         join pg_depend d on d.objid = s.seqrelid and d.refclassid = 'pg_class'::regclass
         where pg_sequence_last_value(s.seqrelid) is not null))`,
  );
  if (rows.length === 0) return;
  // Append-only tables reject truncation by a trigger, which a replica session does not fire.
  await db.indexer.query(`
    begin;
    set local session_replication_role = replica;
    truncate ${rows.map(({ name }) => name).join(", ")} restart identity cascade;
    commit`);
}

/** Writes an index that is live at the head, with one current and one earlier deployment. */
export async function insertIndex(db: Database, status: Values = {}, checkpoint: Values = {}): Promise<void> {
  for (const [id, legacy] of [
    [1, false],
    [2, true],
  ] as const) {
    await insert(db, "chain.deployments", {
      id,
      launch_factory: toAddress(100 + id),
      fee_locker: feeLocker,
      deployment_block: 1,
      legacy,
    });
  }
  await insert(db, "chain.checkpoint", {
    chain_id: 46630,
    sources: "test",
    from_block: 1,
    block_number: headBlock,
    block_hash: toHash(headBlock),
    block_time: headTime,
    rules: 7,
    ...checkpoint,
  });
  await insert(db, "chain.status", { state: "live", head_block: headBlock, head_time: headTime, ...status });
}

export async function insertEthUsd(
  db: Database,
  price: number,
  at: { block?: number; time?: number; liquidity?: bigint | null } = {},
) {
  // USDx has 6 decimals and is token1: raw price = price x 10^(6-18).
  const root = BigInt(Math.round(Math.sqrt(price * 1e-12) * 2 ** 96));
  await insert(db, "chain.eth_usd", {
    block_number: at.block ?? 10,
    log_index: 0,
    block_time: at.time ?? headTime - 10_000,
    price,
    tick: 0,
    sqrt_price_x96: root.toString(),
    liquidity: at.liquidity === undefined ? 10n ** 19n : at.liquidity,
  });
}

export const tickLower = -203200;
export const tickUpper = 887200;
export const lockedLiquidity = 10n ** 22n;

/** Writes a token as the indexer does right after its launch; the token is token0 at its start price. */
export async function insertToken(db: Database, id: number, token: Values = {}, state: Values = {}): Promise<string> {
  const address = (token.address as string) ?? toAddress(1_000 + id);
  const name = (token.name as string) ?? `Token ${id}`;
  const symbol = (token.symbol as string) ?? `T${id}`;
  const root = sqrtPriceX96AtTick(tickLower);
  const price = priceFromSqrtX96(root, true);
  await insert(db, "chain.tokens", {
    id,
    address,
    pool: toAddress(2_000 + id),
    deployment_id: 1,
    is_token0: true,
    name,
    symbol,
    contract_uri: "",
    creator: toAddress(3),
    splitter: toAddress(4_000 + id),
    partner_share_bps: 0,
    fee_bps: 100,
    protocol_fee_bps: 10,
    salt: toHash(id),
    quote_token: wrappedNative,
    tick_start: tickLower,
    tick_lower: tickLower,
    tick_upper: tickUpper,
    locked_liquidity: lockedLiquidity.toString(),
    start_price: price,
    start_eth_usd: 2_000,
    block_number: 100 + id,
    block_time: headTime - 90_000 + id,
    log_index: 3,
    tx_hash: toHash(id),
    search_text: `${name}\n${symbol}`.toLowerCase().concat("\n", address),
    ...token,
  });
  await insert(db, "chain.token_state", {
    token_id: id,
    sqrt_price_x96: root.toString(),
    tick: tickLower,
    liquidity: lockedLiquidity.toString(),
    price,
    total_supply: (10n ** 27n).toString(),
    market_cap: price * 1e9,
    price_24h_ago: price,
    changed_block: 100 + id,
    changed_time: headTime - 90_000 + id,
    ...state,
  });
  await db.indexer.query(
    `insert into chain.totals (seconds, t, launches) values (0, 0, 1)
     on conflict (seconds, t) do update set launches = chain.totals.launches + 1`,
  );
  return address;
}

export async function insertAccount(db: Database, id: number, address = toAddress(id)): Promise<number> {
  await db.indexer.query(
    "insert into chain.accounts (id, address) overriding system value values ($1, decode($2, 'hex'))",
    [id, address.slice(2)],
  );
  return id;
}

/** Returns the row of a trade, by default of 2 tokens for 0.5 native; maker and recipient are accounts 1 and 2; the maker traded. */
export function createTrade(tokenId: number, block: number, trade: Values = {}): Values {
  return {
    token_id: tokenId,
    log_index: 1,
    block_number: block,
    block_time: headTime - 100,
    pool_price: 0.25,
    eth_usd: 2_000,
    maker_id: 1,
    recipient_id: 2,
    account_id: trade.maker_id ?? 1,
    account_source: "transfers",
    is_buy: true,
    tx_hash: Buffer.from(toHash(block).slice(2), "hex"),
    token_amount: (2n * 10n ** 18n).toString(),
    quote_amount: (5n * 10n ** 17n).toString(),
    ...trade,
  };
}

export async function insertTrade(db: Database, tokenId: number, block: number, trade: Values = {}): Promise<void> {
  await insert(db, "chain.trades", createTrade(tokenId, block, trade));
}

/** Returns the row of a candle of `seconds` that begins at `t`. */
export function createCandle(tokenId: number, seconds: number, t: number, candle: Values = {}): Values {
  return {
    token_id: tokenId,
    seconds,
    t,
    o: 1,
    h: 3,
    l: 0.5,
    c: 2,
    o_usd: 10,
    h_usd: 30,
    l_usd: 5,
    c_usd: 20,
    n: 3,
    buys: 2,
    vq: (10n ** 18n).toString(),
    v: "2000000000",
    ...candle,
  };
}

export async function insertCandle(
  db: Database,
  tokenId: number,
  seconds: number,
  t: number,
  candle: Values = {},
): Promise<void> {
  await insert(db, "chain.candles", createCandle(tokenId, seconds, t, candle));
}
