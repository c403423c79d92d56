import type { Database } from "@slipway/server/db/database";
import { toFeesKey } from "@slipway/server/live/outboxEvent";
import { toAddress, toHash } from "../server/rows.ts";
import { wrappedNative } from "../server/testManifest.ts";

/** Writes a row of the outbox, as the indexer does. @returns Its cursor. */
export async function writeRow(db: Database, kind: string, token: string | null, payload: object): Promise<number> {
  const { rows } = await db.indexer.query<{ id: number }>(
    "insert into chain.outbox (block_number, kind, token, payload) values (1, $1, $2, $3) returning id::float8 as id",
    [kind, token, JSON.stringify(payload)],
  );
  return rows[0]!.id;
}

/** Writes the row of launch number `n`. */
export async function writeLaunch(db: Database, n: number, launch: object = {}): Promise<number> {
  const address = toAddress(1_000 + n);
  return await writeRow(db, "launch", address, {
    id: n,
    address,
    pool: toAddress(2_000 + n),
    deployment_id: 1,
    is_token0: true,
    name: `Token ${n}`,
    ...{
      symbol: `T${n}`,
      description: null,
      image: null,
      website: null,
      creator: toAddress(3),
      splitter: toAddress(4),
    },
    partner: null,
    partner_share_bps: 0,
    fee_bps: 100,
    protocol_fee_bps: 10,
    quote_token: wrappedNative,
    tick_start: 0,
    tick_lower: 0,
    tick_upper: 1,
    locked_liquidity: "1",
    start_price: 1,
    start_eth_usd: null,
    initial_buy_in: null,
    initial_buy_out: null,
    initial_buy_recipient: null,
    block_number: n,
    block_time: 1_700_000_000,
    log_index: 0,
    tx_hash: toHash(n),
    ...launch,
  });
}

/** The token of `writeTrade`. */
export const tradedToken = toAddress(1_001);

/** Writes the row of trade number `n`, of 1 ether. */
export async function writeTrade(db: Database, n: number, trade: { address?: string; [name: string]: unknown } = {}) {
  const address = trade.address ?? tradedToken;
  return await writeRow(db, "trade", address, {
    address,
    token_id: 1,
    pool_price: 1,
    tx_hash: toHash(n),
    log_index: 1,
    block_number: n,
    block_time: 1_700_000_000,
    is_buy: true,
    maker: toAddress(5),
    recipient: toAddress(5),
    account: toAddress(6),
    account_source: "transfers",
    token_amount: "1000000000000000000",
    quote_amount: "1000000000000000000",
    eth_usd: null,
    ...trade,
  });
}

/** The splitter of `writeFees`. */
export const paidSplitter = toAddress(4);

/** Writes the row of settled fees number `n`, of 1 ether. */
export async function writeFees(db: Database, n: number, fees: object = {}): Promise<number> {
  return await writeRow(db, "fees", tradedToken, {
    splitter: paidSplitter,
    asset: wrappedNative,
    amount: "1000000000000000000",
    block_number: n,
    log_index: 1,
    tx_hash: toHash(n),
    ...fees,
  });
}

/** Writes the row of a reorganisation that removed trades, launches and fees. */
export async function writeRetraction(
  db: Database,
  gone: { trades?: number[]; launches?: number[]; fees?: number[] },
): Promise<number> {
  return await writeRow(db, "retracted", null, {
    above_block: 0,
    trades: (gone.trades ?? []).map((n) => `${toHash(n)}:1`),
    launches: (gone.launches ?? []).map((n) => toAddress(1_000 + n)),
    tokens: [],
    fees: (gone.fees ?? []).map((n) => toFeesKey({ block_number: n, log_index: 1 })),
  });
}
