import type { PaymentReason, PaymentStatus, Product } from "@slipway/protocol/payments";
import type { Hex } from "viem";
import type { Client, Queryable } from "../../db/database.ts";

/** The terms of an authorization. Addresses and nonce in lower case, amount in base units, times in Unix seconds. */
export type AuthorizationTerms = {
  chainId: number;
  asset: Hex;
  payer: Hex;
  payee: Hex;
  amount: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
};

/** A new payment. `startBlock`: the newest block, in which the authorization was unused. */
export type NewPayment = AuthorizationTerms & { id: string; accountId: string; product: Product; startBlock: bigint };

/** A stored payment. */
export type StoredPayment = NewPayment & {
  status: PaymentStatus;
  reason: PaymentReason | null;
  /** The newest transaction of the relayer, or the one that executed or cancelled the authorization. */
  transaction: Hex | null;
  blockNumber: bigint | null;
  /** The first block that was seen after `validBefore`. */
  expiry: { number: bigint; hash: Hex } | null;
  /** The hashes of all transactions that the relayer signed for it. */
  attempts: Hex[];
  createdAt: Date;
  finishedAt: Date | null;
};

type PaymentRow = {
  id: string;
  account_id: string;
  chain_id: string;
  asset: Hex;
  payer: Hex;
  payee: Hex;
  amount: string;
  valid_after: string;
  valid_before: string;
  nonce: Hex;
  credits: string | null;
  plan: "subscriber" | null;
  plan_days: number | null;
  start_block: string;
  expiry_block: string | null;
  expiry_hash: Hex | null;
  state: PaymentStatus;
  reason: PaymentReason | null;
  tx_hash: Hex | null;
  block_number: string | null;
  attempts: Hex[] | null;
  created_at: Date;
  finished_at: Date | null;
};

const columns = `p.id, p.account_id, p.chain_id::text, p.asset, p.payer, p.payee, p.amount::text, p.valid_after::text,
  p.valid_before::text, p.nonce, p.credits::text, p.plan, p.plan_days, p.start_block::text, p.expiry_block::text,
  p.expiry_hash, p.state, p.reason, p.tx_hash, p.block_number::text, p.created_at, p.finished_at,
  (select json_agg(a.hash order by a.number) from app.relayer_attempts a
   join app.relayer_transactions t on t.id = a.transaction_id where t.payment_id = p.id and not a.cancels) as attempts`;

function toPayment(row: PaymentRow): StoredPayment {
  const attempts = row.attempts ?? [];
  return {
    id: row.id,
    accountId: row.account_id,
    chainId: Number(row.chain_id),
    asset: row.asset,
    payer: row.payer,
    payee: row.payee,
    amount: BigInt(row.amount),
    validAfter: BigInt(row.valid_after),
    validBefore: BigInt(row.valid_before),
    nonce: row.nonce,
    product: row.plan === null ? { credits: Number(row.credits) } : { plan: row.plan, days: row.plan_days! },
    startBlock: BigInt(row.start_block),
    status: row.state,
    reason: row.reason,
    transaction: row.tx_hash ?? (row.state === "pending" ? (attempts.at(-1) ?? null) : null),
    blockNumber: row.block_number === null ? null : BigInt(row.block_number),
    expiry: row.expiry_block === null ? null : { number: BigInt(row.expiry_block), hash: row.expiry_hash! },
    attempts,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

/** Inserts a payment. @returns false when the authorization is a payment already. Concurrent inserts wait for this one. */
export async function insertPayment(client: Client, row: NewPayment): Promise<boolean> {
  const { product } = row;
  const isCredits = "credits" in product;
  const { rowCount } = await client.query(
    `insert into app.payments (id, account_id, chain_id, asset, payer, payee, amount, valid_after, valid_before, nonce,
       start_block, credits, plan, plan_days)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (chain_id, asset, payer, nonce) do nothing`,
    [
      row.id,
      row.accountId,
      row.chainId,
      row.asset,
      row.payer,
      row.payee,
      row.amount,
      row.validAfter,
      row.validBefore,
      row.nonce,
      row.startBlock,
      isCredits ? product.credits : null,
      isCredits ? null : product.plan,
      isCredits ? null : product.days,
    ],
  );
  return rowCount === 1;
}

/** Finds the payment of an authorization, of any account. */
export async function findByAuthorization(
  db: Queryable,
  { chainId, asset, payer, nonce }: Pick<AuthorizationTerms, "chainId" | "asset" | "payer" | "nonce">,
): Promise<StoredPayment | null> {
  const { rows } = await db.query<PaymentRow>(
    `select ${columns} from app.payments p where chain_id = $1 and asset = $2 and payer = $3 and nonce = $4`,
    [chainId, asset, payer, nonce],
  );
  return rows[0] ? toPayment(rows[0]) : null;
}

/** Finds a payment of the account; null also for a payment of another account. */
export async function findPayment(db: Queryable, accountId: string, id: string): Promise<StoredPayment | null> {
  const { rows } = await db.query<PaymentRow>(
    `select ${columns} from app.payments p where p.id = $1 and p.account_id = $2`,
    [id, accountId],
  );
  return rows[0] ? toPayment(rows[0]) : null;
}

/** Locks a pending payment until the end of the transaction; null when it has ended. */
export async function lockPending(client: Client, id: string): Promise<StoredPayment | null> {
  const { rowCount } = await client.query("select from app.payments where id = $1 and state = 'pending' for update", [
    id,
  ]);
  if (rowCount === 0) return null;
  const { rows } = await client.query<PaymentRow>(`select ${columns} from app.payments p where p.id = $1`, [id]);
  return toPayment(rows[0]!);
}

/**
 * Takes the pending payments of a chain that were not checked for a while, the longest unchecked first. An older payment is
 * checked less often: a payment that does not end must not use up the requests to the chain.
 */
export async function takeDuePayments(
  db: Queryable,
  { chainId, intervalMs, limit }: { chainId: number; intervalMs: number; limit: number },
): Promise<StoredPayment[]> {
  const { rows } = await db.query<PaymentRow>(
    `with due as (
       select id from app.payments
       where state = 'pending' and chain_id = $1 and checked_at
           <= now() - greatest(make_interval(secs => $2::float8 / 1000), (now() - created_at) / 20)
       order by checked_at limit $3 for update skip locked
     ), taken as (
       update app.payments set checked_at = now() from due where payments.id = due.id returning payments.id
     )
     select ${columns} from app.payments p where p.id in (select id from taken) order by p.created_at`,
    [chainId, intervalMs, limit],
  );
  return rows.map(toPayment);
}

/** Stores the first block that was seen after `validBefore`; a reorganisation replaces it. */
export async function setExpiry(db: Queryable, id: string, block: { number: bigint; hash: Hex }): Promise<void> {
  await db.query("update app.payments set expiry_block = $2, expiry_hash = $3 where id = $1 and state = 'pending'", [
    id,
    block.number,
    block.hash,
  ]);
}

/** The end of a payment. */
export type PaymentEnd = {
  status: Exclude<PaymentStatus, "pending">;
  reason: PaymentReason | null;
  transaction: Hex | null;
  blockNumber: bigint | null;
};

/** Stores the end of a payment that this transaction has locked. */
export async function endPayment(client: Client, id: string, end: PaymentEnd): Promise<void> {
  await client.query(
    `update app.payments set state = $2, reason = $3, tx_hash = $4, block_number = $5, finished_at = now() where id = $1`,
    [id, end.status, end.reason, end.transaction, end.blockNumber],
  );
}

/** The payer, account and network address whose payments the limits count. */
export type PaymentCaller = { accountId: string; payer: string; clientAddress: string };

/** The pending payments of a caller, and the credits that the account's pending payments buy. */
export type PendingUsage = { ofAccount: number; ofPayer: number; ofAddress: number; credits: number };

export async function readPendingUsage(
  db: Queryable,
  { accountId, payer, clientAddress }: PaymentCaller,
): Promise<PendingUsage> {
  const { rows } = await db.query<PendingUsage>(
    `select count(*) filter (where p.account_id = $1) as "ofAccount", count(*) filter (where p.payer = $2) as "ofPayer",
       count(*) filter (where t.client_address = $3) as "ofAddress",
       coalesce(sum(p.credits) filter (where p.account_id = $1), 0)::float8 as credits
     from app.payments p left join app.relayer_transactions t on t.payment_id = p.id where p.state = 'pending'`,
    [accountId, payer, clientAddress],
  );
  return rows[0]!;
}

/**
 * Reads the payments of the last 24 hours that failed after the relayer had sent them: of a payer, an account or a client
 * address. Seconds until the oldest of them leaves this window.
 */
export async function readFailures(
  db: Queryable,
  { payer, accountId, clientAddress }: PaymentCaller,
): Promise<{ failed: number; leftSeconds: number }> {
  const { rows } = await db.query<{ failed: number; leftSeconds: number }>(
    `select count(*) as failed,
       ceil(coalesce(extract(epoch from min(p.created_at) - now()), 0) + 86400)::int as "leftSeconds"
     from app.payments p join app.relayer_transactions t on t.payment_id = p.id
     where (p.state = 'failed' or t.state = 'failed') and p.created_at > now() - interval '1 day'
       and (p.payer = $1 or p.account_id = $2 or t.client_address = $3)`,
    [payer, accountId, clientAddress],
  );
  return rows[0]!;
}

/** The payments for the operator: the age in seconds of the oldest pending one, and the number of held ones. */
export async function readPaymentHealth(db: Queryable): Promise<{ oldestSeconds: number; held: number }> {
  const { rows } = await db.query<{ oldestSeconds: number; held: number }>(
    `select
       (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from app.payments where state = 'pending')
         as "oldestSeconds",
       (select count(*) from app.payments where state = 'held') as held`,
  );
  return rows[0]!;
}
