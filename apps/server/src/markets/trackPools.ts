import type pg from "pg";
import { lockUntilCommit } from "../db/advisoryLocks.ts";
import { withTransaction } from "../db/withTransaction.ts";

/** Minimum trades of a pool in the last seven days to be a market, and maximum number of such pools. */
const minTrades = 30;
const maxPools = 200;

/**
 * Creates markets for the pools with enough trades, or for the pools with the most volume if too many have enough, and
 * untracks all others. Any account can launch a token named BTC, so a pair contains the first ten digits of the token's
 * address. If an earlier market has the same ten digits (which a search of salts can find), it contains all forty.
 *
 * @returns The number of tracked pools.
 */
export async function trackPools(pool: pg.Pool): Promise<number> {
  return await withTransaction(pool, async (client) => {
    // Without the lock, two processes could use the same short name.
    await lockUntilCommit(client, "poolMarkets");
    const { rows } = await client.query<{ token: string; is_new: boolean }>(
      `with window_start as (select block_time - 7 * 86400 as t from chain.checkpoint),
       active as (
         select t.address as token, sum(c.n) as trades, sum(c.vq) as volume, min(t.id) as id
         from window_start w
         cross join chain.token_state s
         join chain.tokens t on t.id = s.token_id
         cross join lateral chain.token_candles(s.token_id, 3600, w.t, 1e12::bigint, 1000) c
         where s.last_trade_time >= w.t and s.trades >= ${minTrades}
           and not exists (
             select from app.blocked_tokens k where k.token = t.address and k.blocked_at is not null)
         group by t.address
       )
       select a.token, m.id is null as is_new from active a left join app.markets m on m.token = a.token
       where a.trades >= ${minTrades} order by a.volume desc, a.id limit ${maxPools}`,
    );
    const tokens = rows.map(({ token }) => token);
    await client.query(
      `update app.markets set tracked = token = any($1) where token is not null and tracked <> (token = any($1))`,
      [tokens],
    );
    for (const { token } of rows.filter((row) => row.is_new)) {
      const digits = token.slice(2).toUpperCase();
      await client.query(
        `insert into app.markets (pair, source, token)
         select 'T' || case when exists (select from app.markets where pair = $1) then $2 else left($2, 10) end || '_WETH',
           'pool', $3`,
        [`T${digits.slice(0, 10)}_WETH`, digits, token],
      );
    }
    return tokens.length;
  });
}
