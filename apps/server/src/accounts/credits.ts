import type { Queryable } from "../db/database.ts";

/** One booking. `balance_after` is null for bookings made before balances were stored. */
export type LedgerRow = {
  id: number;
  kind: "grant" | "charge" | "refund";
  amount: number;
  reason: string;
  request_id: string;
  balance_after: number | null;
  created_at: Date;
};

/**
 * The outcome of a booking. `repeated`: the same account, kind and request was booked before; contains the earlier
 * booking. `insufficient`: the balance would fall below zero.
 */
export type Booking =
  | { outcome: "booked" | "repeated"; row: LedgerRow }
  | { outcome: "insufficient" }
  | { outcome: "no_account" };

const columns = "id, kind, amount, reason, request_id, balance_after, created_at";

/** Constraint of app.credit_balances; the ledger's trigger updates the balance under the row's lock. */
const notNegative = "credit_balance_not_negative";

/**
 * Books credits. The balance never falls below zero, also with concurrent bookings: a constraint refuses a booking that
 * would cause it. After `insufficient` within a transaction, the transaction must be rolled back.
 *
 * @param booking.amount - Negative to charge credits.
 * @param booking.requestId - A repeated request is booked once.
 */
export async function bookCredits(
  db: Queryable,
  booking: { accountId: string; kind: LedgerRow["kind"]; amount: number; reason: string; requestId: string },
): Promise<Booking> {
  const { accountId, kind, amount, reason, requestId } = booking;
  try {
    const { rows } = await db.query<LedgerRow>(
      `insert into app.credit_ledger (account_id, kind, amount, reason, request_id)
       select id, $2, $3, $4, $5 from app.accounts where id = $1 and deleted_at is null for key share
       on conflict on constraint credit_ledger_once do nothing returning ${columns}`,
      [accountId, kind, amount, reason, requestId],
    );
    if (rows[0] !== undefined) return { outcome: "booked", row: rows[0] };
  } catch (error) {
    if ((error as { constraint?: string }).constraint === notNegative) return { outcome: "insufficient" };
    throw error;
  }
  const { rows } = await db.query<LedgerRow>(
    `select ${columns} from app.credit_ledger where account_id = $1 and kind = $2 and request_id = $3`,
    [accountId, kind, requestId],
  );
  return rows[0] === undefined ? { outcome: "no_account" } : { outcome: "repeated", row: rows[0] };
}

/**
 * Charges credits for a request, once.
 *
 * @returns False when the account has too few credits; nothing is charged then.
 */
export async function chargeCredits(
  db: Queryable,
  charge: { accountId: string; credits: number; reason: string; requestId: string },
): Promise<boolean> {
  const { credits, ...rest } = charge;
  const { outcome } = await bookCredits(db, { ...rest, kind: "charge", amount: -credits });
  return outcome === "booked" || outcome === "repeated";
}

/** Refunds the charge of a request, once; false when there is nothing to refund. */
export async function refundCredits(db: Queryable, accountId: string, requestId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into app.credit_ledger (account_id, kind, amount, reason, request_id)
     select account_id, 'refund', -amount, reason, request_id from app.credit_ledger
     where account_id = $1 and kind = 'charge' and request_id = $2
     on conflict on constraint credit_ledger_once do nothing`,
    [accountId, requestId],
  );
  return rowCount === 1;
}

export async function getCreditBalance(db: Queryable, accountId: string): Promise<number> {
  const { rows } = await db.query<{ balance: number }>(
    "select balance::bigint from app.credit_balances where account_id = $1",
    [accountId],
  );
  return Number(rows[0]?.balance ?? 0);
}

/** Lists a page of an account's bookings, newest first; `before` is the last id of the previous page. */
export async function listLedger(
  db: Queryable,
  accountId: string,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<LedgerRow[]> {
  const { rows } = await db.query<LedgerRow>(
    `select ${columns} from app.credit_ledger where account_id = $1 and ($3::bigint is null or id < $3)
     order by id desc limit $2`,
    [accountId, limit, before ?? null],
  );
  return rows;
}
