import type { Queryable } from "../db/database.ts";
import { windowSeconds } from "./getWindowPrice.ts";

/** The state of the ETH/USD pool at the end of a block with swaps; amounts as decimal text. */
export type ObservationRow = {
  block_number: number;
  block_time: number;
  price: number;
  sqrt_price_x96: string;
  /** Liquidity in range; null if no swap has reported it. */
  liquidity: string | null;
};

export type EthUsdRows = {
  /** Unix seconds of the last indexed block. */
  indexTime: number;
  /** Oldest first. If the window is covered, the first observation is at or before the window's start. */
  observations: ObservationRow[];
};

/** Reads the observations for the window up to the last indexed block; null before the first batch. */
export async function readEthUsd(db: Queryable): Promise<EthUsdRows | null> {
  const { rows } = await db.query<{ index_time: number } & (ObservationRow | { price: null })>({
    name: "eth-usd-window",
    text: `
      select c.block_time as index_time, e.*
      from chain.checkpoint c
      left join lateral (
        select block_number, log_index, block_time, price, sqrt_price_x96, liquidity from chain.eth_usd
        where block_number >= coalesce((
          select s.block_number from chain.eth_usd s where s.block_time <= c.block_time - $1
          order by s.block_number desc, s.log_index desc limit 1
        ), 0)
        order by block_number, log_index
      ) e on true
      order by e.block_number, e.log_index`,
    values: [windowSeconds],
  });
  const first = rows[0];
  if (first === undefined) return null;
  return { indexTime: first.index_time, observations: rows.filter((row) => row.price !== null) as ObservationRow[] };
}
