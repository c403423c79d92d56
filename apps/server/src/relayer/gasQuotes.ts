import type { Hex } from "viem";
import type { Client, Queryable } from "../db/database.ts";

/** A stored gas quote. Addresses in lower case, amounts in base units, `deadline` in Unix seconds. */
export type StoredGasQuote = {
  id: Hex;
  accountId: string;
  chainId: number;
  station: string;
  wallet: string;
  token: string;
  tokenAmount: bigint;
  nativeAmount: bigint;
  deadline: bigint;
  /** The nonce of the offered permit; null without one. */
  permitNonce: bigint | null;
};

export async function insertGasQuote(db: Queryable, quote: StoredGasQuote): Promise<void> {
  await db.query(
    `insert into app.gas_quotes
       (id, account_id, chain_id, station, wallet, token, token_amount, native_amount, deadline, permit_nonce)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[quote.id, quote.accountId, quote.chainId, quote.station, quote.wallet, quote.token],
      ...[quote.tokenAmount, quote.nativeAmount, quote.deadline, quote.permitNonce],
    ],
  );
}

/** Finds a quote of the account; null also for a quote of another account. */
export async function findGasQuote(
  db: Queryable,
  accountId: string,
  id: Hex,
): Promise<(StoredGasQuote & { isConsumed: boolean }) | null> {
  const { rows } = await db.query<{
    chain_id: number;
    station: string;
    wallet: string;
    token: string;
    token_amount: string;
    native_amount: string;
    deadline: string;
    permit_nonce: string | null;
    is_consumed: boolean;
  }>(
    `select chain_id, station, wallet, token, token_amount, native_amount, deadline::text as deadline, permit_nonce,
       consumed_at is not null as is_consumed
     from app.gas_quotes where id = $1 and account_id = $2`,
    [id, accountId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id,
    accountId,
    chainId: row.chain_id,
    station: row.station,
    wallet: row.wallet,
    token: row.token,
    tokenAmount: BigInt(row.token_amount),
    nativeAmount: BigInt(row.native_amount),
    deadline: BigInt(row.deadline),
    permitNonce: row.permit_nonce === null ? null : BigInt(row.permit_nonce),
    isConsumed: row.is_consumed,
  };
}

/** Consumes a quote. @returns false when the quote is already consumed. Concurrent calls wait for this transaction. */
export async function consumeGasQuote(client: Client, id: Hex): Promise<boolean> {
  const { rowCount } = await client.query(
    "update app.gas_quotes set consumed_at = now() where id = $1 and consumed_at is null",
    [id],
  );
  return rowCount === 1;
}

/** Deletes unused quotes that are older than a day. */
export async function deleteUnusedQuotes(db: Queryable): Promise<void> {
  await db.query("delete from app.gas_quotes where consumed_at is null and created_at < now() - interval '1 day'");
}
