import { readEvents } from "@slipway/server/features/feeds/eventQueries";
import type pg from "pg";
import { dumpFigures } from "./dumpFigures.ts";
import { dumpOpenings } from "./dumpOpenings.ts";
import { emptyTables, type Tables } from "./tables.ts";

const big = (value: string | null): bigint | null => (value === null ? null : BigInt(value));

/** SQL of all candles, also of those that are not stored because they follow from trades. */
export const allCandles = `
  select c.*, t.address from chain.tokens t cross join (values (60), (300), (3600), (86400)) lengths(seconds)
  cross join lateral chain.token_candles(t.id, lengths.seconds, 0, 1e12::bigint, 1e9::bigint) c`;

/** Adds the changes of pools, and the reserves that are stored with them. */
async function readPoolChanges(pool: pg.Pool, tables: Tables): Promise<void> {
  const { rows } = await pool.query(
    `select c.*, t.address, '0x' || encode(c.tx_hash, 'hex') as tx, '0x' || encode(m.address, 'hex') as maker,
       exists (select from chain.trades x
         where (x.token_id, x.block_number, x.log_index) = (c.token_id, c.block_number, c.log_index)) as is_trade
     from chain.pool_changes c left join chain.tokens t on t.id = c.token_id
     left join chain.accounts m on m.id = c.maker_id`,
  );
  for (const r of rows) {
    const key = `${r.block_number}:${r.log_index}`;
    tables.reserves.set(key, [r.address, BigInt(r.reserve_token), BigInt(r.reserve_quote)]);
    const amounts = [BigInt(r.token_amount), BigInt(r.quote_amount)];
    if (!r.is_trade)
      tables.pool_changes.set(key, [r.address, r.kind, r.block_time, r.tx_index, r.tx, r.maker, ...amounts]);
  }
}

/** Adds the reserves after each trade, as the feeds compute them. */
async function readTradeReserves(pool: pg.Pool, tables: Tables): Promise<void> {
  const { rows } = await pool.query<{ head: number }>(
    "select coalesce(max(block_number), 0) as head from chain.checkpoint",
  );
  const range = { fromBlock: 0, toBlock: rows[0]!.head, limit: 1e9, delaySeconds: 0 };
  for (const event of (await readEvents(pool, range)).events) {
    const key = `${event.blockNumber}:${event.logIndex}`;
    tables.reserves.set(key, [event.token, event.reserveToken, event.reserveQuote]);
  }
}

/** Reads the whole index back from PostgreSQL, with the names of the reference. */
export async function dumpIndex(pool: pg.Pool): Promise<Tables> {
  const tables = emptyTables();
  const rows = async (sql: string): Promise<any[]> => (await pool.query(sql)).rows;
  for (const r of await rows(
    "select t.*, d.legacy from chain.tokens t join chain.deployments d on d.id = t.deployment_id",
  )) {
    tables.tokens.set(r.address, {
      pool: r.pool,
      creator: r.creator,
      splitter: r.splitter,
      name: r.name,
      symbol: r.symbol,
      block: r.block_number,
      log_index: r.log_index,
      tx: r.tx_hash,
      start_price: r.start_price,
      start_eth_usd: r.start_eth_usd,
      locked: BigInt(r.locked_liquidity),
      tick_lower: r.tick_lower,
      tick_upper: r.tick_upper,
      legacy: r.legacy,
      initial_buy: r.initial_buy_in === null ? null : [BigInt(r.initial_buy_in), BigInt(r.initial_buy_out)],
    });
  }
  for (const r of await rows(
    "select s.*, t.address from chain.token_state s join chain.tokens t on t.id = s.token_id",
  )) {
    tables.state.set(r.address, {
      sqrt: BigInt(r.sqrt_price_x96),
      tick: r.tick,
      liquidity: BigInt(r.liquidity),
      pool_protocol_fee: r.pool_protocol_fee,
      reserves: [BigInt(r.reserve_token), BigInt(r.reserve_quote)],
      price: r.price,
      supply: BigInt(r.total_supply),
      burned: BigInt(r.burned),
      holders: r.holders,
      trades: r.trades,
      buys: r.buys,
      volume_quote: BigInt(r.volume_quote),
      volume_usd: big(r.volume_usd),
      market_cap: r.market_cap,
      locked_value: r.liquidity_quote,
      volume_24h_quote: BigInt(r.volume_24h_quote),
      volume_24h_usd: big(r.volume_24h_usd),
      trades_24h: r.trades_24h,
      buys_24h: r.buys_24h,
      traders_24h: r.traders_24h,
      change_24h_pct: r.change_24h_pct,
      changed: [r.changed_block, r.changed_time],
    });
  }
  for (const r of await rows(
    `select r.*, x.tx_index, t.address from chain.trade_rows r
     join chain.trades x using (token_id, block_number, log_index) left join chain.tokens t on t.id = r.token_id`,
  )) {
    tables.trades.set(`${r.block_number}:${r.log_index}`, {
      token: r.address,
      time: r.block_time,
      price: r.pool_price,
      eth_usd: r.eth_usd,
      maker: r.maker,
      recipient: r.recipient,
      account: r.account,
      account_source: r.account_source,
      is_buy: r.is_buy,
      tx: r.tx_hash,
      tx_index: r.tx_index,
      token_amount: BigInt(r.token_amount),
      quote_amount: BigInt(r.quote_amount),
    });
  }
  await readPoolChanges(pool, tables);
  await readTradeReserves(pool, tables);
  for (const r of await rows(
    `${allCandles} union all
     select c.token_id, c.seconds, c.t, c.o, c.h, c.l, c.c, c.o_usd, c.h_usd, c.l_usd, c.c_usd, c.n, c.buys, c.vq, c.v, null
     from chain.candles c where not exists (select from chain.tokens where id = c.token_id)`,
  )) {
    tables.candles.set(`${r.address}:${r.seconds}:${r.t}`, {
      eth: [r.o, r.h, r.l, r.c],
      usd: r.c_usd === null ? null : [r.o_usd, r.h_usd, r.l_usd, r.c_usd],
      n: r.n,
      buys: r.buys,
      vq: BigInt(r.vq),
      v: big(r.v),
    });
  }
  const account = "'0x' || encode(a.address, 'hex') as account";
  for (const r of await rows(
    `select x.*, t.address, ${account} from chain.traders x
     left join chain.tokens t on t.id = x.token_id join chain.accounts a on a.id = x.account_id`,
  )) {
    const key = `${r.token_id === 0 ? "any" : r.address}:${r.account}`;
    tables.traders.set(key, r.last_time);
    tables.cost_bases.set(key, {
      held: big(r.held),
      cost: big(r.cost_quote),
      cost_usd: big(r.cost_usd),
      realized: big(r.realized_quote),
      realized_usd: big(r.realized_usd),
    });
  }
  for (const r of await rows(
    `select x.balance, t.address, ${account} from chain.balances x
     left join chain.tokens t on t.id = x.token_id join chain.accounts a on a.id = x.account_id`,
  )) {
    tables.balances.set(`${r.address}:${r.account}`, BigInt(r.balance));
  }
  await dumpSums(tables, rows);
  for (const address of tables.tokens.keys()) await dumpFigures(pool, tables, address);
  for (const r of await rows(
    "select f.*, t.address from chain.fee_events f join chain.tokens t on t.id = f.token_id",
  )) {
    const amounts = r.kind === "collected" ? [r.amount] : [r.collaborators_amount, r.protocol_amount, r.partner_amount];
    const key = `${r.block_number}:${r.log_index}:${r.part}`;
    tables.fee_events.set(key, [r.address, r.kind, r.asset, ...amounts.map((amount: string) => BigInt(amount))]);
  }
  for (const r of await rows("select * from chain.treasury_changes")) {
    tables.treasury_changes.set(`${r.block_number}:${r.log_index}`, [r.previous, r.treasury]);
  }
  for (const r of await rows("select * from chain.splitters")) tables.splitters.set(r.address, r.proven);
  for (const r of await rows("select * from chain.splitter_payees")) {
    tables.payees.set(`${r.splitter}:${r.position}`, [r.payee, r.share_bps]);
  }
  for (const r of await rows("select * from chain.splitter_events")) {
    const key = `${r.block_number}:${r.log_index}`;
    tables.splitter_events.set(key, [r.splitter, r.kind, r.asset, r.account, BigInt(r.amount)]);
  }
  for (const r of await rows("select * from chain.splitter_receipts")) {
    tables.splitter_receipts.set(`${r.block_number}:${r.log_index}`, [r.splitter, r.asset, BigInt(r.amount)]);
  }
  await dumpOpenings(rows, tables);
  // Undone batches leave sums of zero.
  for (const r of await rows("select * from chain.splitter_received where amount <> 0")) {
    tables.splitter_received.set(`${r.splitter}:${r.asset}`, BigInt(r.amount));
  }
  for (const r of await rows("select * from chain.splitter_released where amount <> 0")) {
    tables.splitter_released.set(`${r.splitter}:${r.payee}:${r.asset}`, BigInt(r.amount));
  }
  for (const r of await rows("select * from chain.topups")) {
    tables.topups.set(`${r.block_number}:${r.log_index}`, [
      r.quote_id,
      BigInt(r.token_amount),
      BigInt(r.native_amount),
    ]);
  }
  for (const r of await rows("select * from chain.eth_usd where log_index >= 0")) {
    tables.eth_usd.set(r.block_number, {
      block: r.block_number,
      log_index: r.log_index,
      price: r.price,
      liquidity: r.liquidity === null ? null : BigInt(r.liquidity),
    });
  }
  await dumpFacts(pool, tables);
  return tables;
}

/** Reads the sums by minute and day, and the changes of holders. */
async function dumpSums(tables: Tables, rows: (sql: string) => Promise<any[]>): Promise<void> {
  for (const r of await rows("select * from chain.totals")) {
    const table = r.seconds === 86_400 ? tables.days : tables.totals;
    table.set(r.seconds === 0 ? "all" : String(r.t), {
      ...(r.seconds === 86_400 && { traders: r.traders ?? 0 }),
      launches: r.launches,
      trades: r.trades,
      volume_quote: BigInt(r.volume_quote),
      volume_usd: big(r.volume_usd),
      fees: big(r.fees_usd),
      protocol: big(r.fees_protocol_usd),
      collaborators: big(r.fees_collaborators_usd),
    });
  }
  for (const r of await rows(
    "select m.*, t.address from chain.holder_minutes m left join chain.tokens t on t.id = m.token_id where m.came + m.gone > 0",
  )) {
    tables.holder_minutes.set(`${r.address}:${r.t}`, { came: r.came, gone: r.gone });
  }
}

/** Reads the facts of launches. */
async function dumpFacts(pool: pg.Pool, tables: Tables): Promise<void> {
  // A column of a newer version is null.
  const toBigInts = (row: { [column: string]: string | number | null }) =>
    Object.fromEntries(Object.entries(row).flatMap(([name, value]) => (value === null ? [] : [[name, BigInt(value)]])));
  const rows = async (sql: string): Promise<any[]> => (await pool.query(sql)).rows;
  for (const { address, ...facts } of await rows(
    `select t.address, t.creator_launches, s.creator_received, s.creator_sent, s.creator_bought, s.creator_sold,
       s.traded, s.round_trips_block, s.round_trips_300s, s.holders_without_buy
     from chain.token_state s join chain.tokens t on t.id = s.token_id`,
  )) {
    tables.facts.set(address, toBigInts(facts));
  }
  for (const r of await rows(
    `select t.address, '0x' || encode(a.address, 'hex') as account, f.bought_tx, f.bought_block, f.bought_3_blocks,
       f.bought_10_blocks, f.bought_60s
     from chain.first_buyers f join chain.tokens t on t.id = f.token_id join chain.accounts a on a.id = f.account_id`,
  )) {
    const bought = [r.bought_tx, r.bought_block, r.bought_3_blocks, r.bought_10_blocks, r.bought_60s];
    tables.first_buyers.set(`${r.address}:${r.account}`, bought.map(BigInt));
  }
  for (const { address, token_id, ...sums } of await rows(
    "select t.address, f.* from chain.first_buys f join chain.tokens t on t.id = f.token_id",
  )) {
    tables.first_buys.set(address, toBigInts(sums));
  }
  for (const r of await rows(
    `select '0x' || encode(c.address, 'hex') as creator, '0x' || encode(a.address, 'hex') as account, k.address as token,
       t.block_number, t.log_index
     from chain.creator_transfers t join chain.accounts c on c.id = t.creator_id
     join chain.accounts a on a.id = t.account_id join chain.tokens k on k.id = t.token_id`,
  )) {
    tables.creator_transfers.set(`${r.creator}:${r.account}`, `${r.token}:${r.block_number}:${r.log_index}`);
  }
}
