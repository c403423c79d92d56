import type pg from "pg";
import { lockUntilCommit } from "../db/advisoryLocks.ts";
import { withTransaction } from "../db/withTransaction.ts";

/** Trades of the last seven days that a pool needs to be a market, and the most pools that are. */
const minTrades = 30;
const maxPools = 200;

/**
 * Makes markets of the pools with enough trades, those with the most volume where there are too many, and untracks the
 * others. Anyone can launch a token called BTC, so a pair has the first ten digits of the token's address; where an earlier
 * market has these (they can be found by trying salts), all forty.
 *
 * @returns How many pools are tracked.
 */
export async function trackPools(pool: pg.Pool): Promise<number> {
  return await withTransaction(pool, async (client) => {
    // Two processes would count a short name as free at the same time.
    await lockUntilCommit(client, "poolMarkets");
    const { rows } = await client.query<{ token: string; is_new: boolean }>(
      `with window_start as (select block_time - 7 * 86400 as t from chain.checkpoint),
       active as (
         select t.address as token, sum(c.n) as trades, sum(c.vq) as volume, min(t.id) as id
         from window_start w
         cross join chain.token_state s
         join chain.tokens t on t.id = s.token_id
         join chain.candles c on c.token_id = s.token_id and c.seconds = 3600 and c.t >= w.t
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
