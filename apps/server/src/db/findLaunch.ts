import { checksummed } from "@slipway/protocol/primitives";
import type { Queryable } from "./database.ts";

/** A launch as the index has it; addresses checksummed. */
export type IndexedLaunch = {
  token: `0x${string}`;
  pool: `0x${string}`;
  quoteToken: `0x${string}`;
  isToken0: boolean;
  symbol: string;
  decimals: number;
  feeBps: number;
  tickLower: number;
  tickUpper: number;
  /** Of the locked position. */
  liquidity: bigint;
  splitter: `0x${string}`;
  launchFactory: `0x${string}`;
  feeLocker: `0x${string}`;
};

type Row = {
  address: string;
  pool: string;
  quote_token: string;
  is_token0: boolean;
  symbol: string;
  decimals: number;
  fee_bps: number;
  tick_lower: number;
  tick_upper: number;
  locked_liquidity: string;
  splitter: string;
  launch_factory: string;
  fee_locker: string;
};

/** The indexed launch of a token of any deployment, or null. */
export async function findLaunch(db: Queryable, token: string): Promise<IndexedLaunch | null> {
  const { rows } = await db.query<Row>(
    `select t.address, t.pool, t.quote_token, t.is_token0, t.symbol, t.decimals, t.fee_bps, t.tick_lower, t.tick_upper,
       t.locked_liquidity, t.splitter, d.launch_factory, d.fee_locker
     from chain.tokens t join chain.deployments d on d.id = t.deployment_id
     where t.address = $1`,
    [token.toLowerCase()],
  );
  const row = rows[0];
  if (!row) return null;
  return {
    token: checksummed(row.address),
    pool: checksummed(row.pool),
    quoteToken: checksummed(row.quote_token),
    isToken0: row.is_token0,
    symbol: row.symbol,
    decimals: row.decimals,
    feeBps: row.fee_bps,
    tickLower: row.tick_lower,
    tickUpper: row.tick_upper,
    liquidity: BigInt(row.locked_liquidity),
    splitter: checksummed(row.splitter),
    launchFactory: checksummed(row.launch_factory),
    feeLocker: checksummed(row.fee_locker),
  };
}
