import type { Queryable } from "./database.ts";

/** USD for one ETH as the index saw it last; null when unknown. */
export async function latestEthUsd(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ price: number }>(
    "select price from chain.eth_usd order by block_number desc, log_index desc limit 1",
  );
  return rows[0]?.price ?? null;
}
