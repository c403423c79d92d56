import { checksummed } from "@slipway/protocol/primitives";
import type { Allocation } from "@slipway/protocol/splitter";
import type { Queryable } from "../db/database.ts";

/** An indexed launch. Addresses are checksummed. */
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
  /** Liquidity of the locked position. */
  liquidity: bigint;
  splitter: `0x${string}`;
  /** The payees of a proven splitter; null for an unverified splitter; "refuted" for another contract. */
  allocations: Allocation[] | null | "refuted";
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
  splitter_proven: boolean | null;
  payees: { payee: string; share_bps: number }[] | null;
};

/** Finds the launches of tokens, in any order. */
export async function findLaunches(db: Queryable, tokens: readonly string[]): Promise<IndexedLaunch[]> {
  const { rows } = await db.query<Row>({
    name: "supported-launches",
    text: `select t.address, t.pool, t.quote_token, t.is_token0, t.symbol, t.decimals, t.fee_bps, t.tick_lower, t.tick_upper,
       t.locked_liquidity, t.splitter, d.launch_factory, d.fee_locker, s.proven as splitter_proven,
       (select json_agg(json_build_object('payee', p.payee, 'share_bps', p.share_bps) order by p.position)
         from chain.splitter_payees p where p.splitter = t.splitter) as payees
     from chain.tokens t join chain.deployments d on d.id = t.deployment_id
       left join chain.splitters s on s.address = t.splitter
     where t.address = any ($1)`,
    values: [tokens.map((token) => token.toLowerCase())],
  });
  return rows.map((row) => ({
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
    allocations: toAllocations(row),
    launchFactory: checksummed(row.launch_factory),
    feeLocker: checksummed(row.fee_locker),
  }));
}

function toAllocations({ splitter_proven, payees }: Row): IndexedLaunch["allocations"] {
  if (splitter_proven === false) return "refuted";
  if (splitter_proven === null || payees === null) return null;
  return payees.map(({ payee, share_bps }) => ({ payee: checksummed(payee), shareBps: share_bps }));
}
