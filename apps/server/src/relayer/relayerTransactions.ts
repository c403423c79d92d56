import type { Hex } from "viem";
import type { Client, Queryable } from "../db/database.ts";

/** The sender of a nonce sequence: a relayer's lower-case address on a chain. */
export type Sender = { chainId: number; sender: string };

/** Signed bytes with their fees per gas in wei; `cancels`: a self-transfer that only uses the nonce. */
export type Attempt = { hash: Hex; raw: Hex; maxFee: bigint; priorityFee: bigint; cancels: boolean };

export type Purpose = "top-up" | "payment" | "claim";

/** A stored transaction of the relayer. Amounts in wei; `deadline` in Unix seconds. */
export type RelayerTransaction = {
  id: string;
  /** A top-up of the gas station, a payment of an account, or a claim of the keeper. */
  purpose: Purpose;
  nonce: number;
  state: "sent" | "confirmed" | "failed";
  minedHash: Hex | null;
  blockNumber: number | null;
  station: Hex;
  data: Hex;
  gasLimit: bigint;
  deadline: bigint;
  /** The highest fee per gas of any attempt; null without a limit. */
  maxFee: bigint | null;
  /** Oldest first; at least one. */
  attempts: (Attempt & { ageMs: number; quietMs: number | null })[];
};

/** The largest accepted gap between the chain's nonce and the stored one: skipped nonces may have to be filled. */
export const maxNonceGap = 16;

/**
 * Takes the sender's next nonce and locks the sequence until the database transaction ends.
 *
 * @param chainNonce - The chain's next nonce: skips nonces that were used outside of this database.
 * @returns null when `chainNonce` is too far ahead.
 */
export async function takeNonce(
  client: Client,
  { chainId, sender }: Sender,
  chainNonce: bigint,
): Promise<number | null> {
  await client.query(
    `insert into app.relayer_nonces (chain_id, sender, next_nonce) values ($1, $2, 0) on conflict do nothing`,
    [chainId, sender],
  );
  const { rows } = await client.query<{ nonce: number }>(
    `update app.relayer_nonces set next_nonce = greatest(next_nonce, $3) + 1
     where chain_id = $1 and sender = $2 and (next_nonce = 0 or $3 <= next_nonce + ${maxNonceGap})
     returning next_nonce - 1 as nonce`,
    [chainId, sender, chainNonce.toString()],
  );
  return rows[0]?.nonce ?? null;
}

/** A new transaction of the relayer. */
export type NewTransaction = Sender & {
  id: string;
  nonce: number;
  /** One of the three ids is set: of the quote of a top-up, of a payment, or of a claim of the keeper. */
  quoteId: Hex | null;
  paymentId: string | null;
  keeperClaimId?: string;
  /** Null for a claim of the keeper. */
  accountId: string | null;
  /** Empty for a claim of the keeper, like `clientAddress`. */
  wallet: string;
  clientAddress: string;
  /** The contract that is called: the station, the asset of a payment, or the target of a claim. */
  station: string;
  data: Hex;
  gasLimit: bigint;
  nativeAmount: bigint;
  deadline: bigint;
  /** The highest fee per gas of any attempt; no limit without it. */
  maxFee?: bigint;
};

export async function insertTransaction(client: Client, row: NewTransaction): Promise<void> {
  await client.query(
    `insert into app.relayer_transactions (id, chain_id, sender, nonce, quote_id, payment_id, account_id, wallet,
       client_address, station, data, gas_limit, native_amount, deadline, keeper_claim_id, max_fee)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      row.id,
      row.chainId,
      row.sender,
      row.nonce,
      row.quoteId,
      row.paymentId,
      row.accountId,
      row.wallet,
      row.clientAddress,
      row.station,
      row.data,
      row.gasLimit,
      row.nativeAmount,
      row.deadline,
      row.keeperClaimId ?? null,
      row.maxFee ?? null,
    ],
  );
}

/** Stores signed bytes; must run before the bytes are sent. */
export async function insertAttempt(client: Client, id: string, number: number, attempt: Attempt): Promise<void> {
  await client.query(
    `insert into app.relayer_attempts (hash, transaction_id, number, raw, max_fee, priority_fee, cancels)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [attempt.hash, id, number, attempt.raw, attempt.maxFee, attempt.priorityFee, attempt.cancels],
  );
}

/** Records that a node has accepted an attempt. */
export async function recordBroadcast(db: Queryable, hash: Hex): Promise<void> {
  await db.query("update app.relayer_attempts set broadcast_at = now() where hash = $1", [hash]);
}

type TransactionRow = {
  id: string;
  purpose: Purpose;
  nonce: number;
  state: RelayerTransaction["state"];
  mined_hash: Hex | null;
  block_number: number | null;
  station: Hex;
  data: Hex;
  gas_limit: string;
  deadline: string;
  max_fee: string | null;
  attempts: {
    hash: Hex;
    raw: Hex;
    max_fee: string;
    priority_fee: string;
    cancels: boolean;
    age_ms: number;
    quiet_ms: number | null;
  }[];
};

/** The purpose of a transaction `t`. */
const purposeSql = `case when t.quote_id is not null then 'top-up' when t.payment_id is not null then 'payment'
  else 'claim' end`;

const columns = `t.id, ${purposeSql} as purpose, t.nonce, t.state, t.mined_hash, t.block_number, t.station, t.data,
  t.gas_limit::text as gas_limit, t.deadline::text as deadline, t.max_fee::text as max_fee,
  (select json_agg(json_build_object('hash', a.hash, 'raw', a.raw, 'max_fee', a.max_fee::text,
     'priority_fee', a.priority_fee::text, 'cancels', a.cancels,
     'age_ms', extract(epoch from clock_timestamp() - a.created_at) * 1000,
     'quiet_ms', extract(epoch from clock_timestamp() - a.broadcast_at) * 1000) order by a.number)
   from app.relayer_attempts a where a.transaction_id = t.id) as attempts`;

function toTransaction(row: TransactionRow): RelayerTransaction {
  return {
    id: row.id,
    purpose: row.purpose,
    nonce: row.nonce,
    state: row.state,
    minedHash: row.mined_hash,
    blockNumber: row.block_number,
    station: row.station,
    data: row.data,
    gasLimit: BigInt(row.gas_limit),
    deadline: BigInt(row.deadline),
    maxFee: row.max_fee === null ? null : BigInt(row.max_fee),
    attempts: row.attempts.map((attempt) => ({
      hash: attempt.hash,
      raw: attempt.raw,
      maxFee: BigInt(attempt.max_fee),
      priorityFee: BigInt(attempt.priority_fee),
      cancels: attempt.cancels,
      ageMs: attempt.age_ms,
      quietMs: attempt.quiet_ms,
    })),
  };
}

/** How long a mined transaction is checked for a reorganisation, in seconds. */
const watchedSeconds = 600;
/** Maximum transactions of one run, lowest nonce first, because later ones depend on them. */
const maxBatchSize = 200;

/**
 * Lists the pending transactions, and with `mined` those that a reorganisation can still remove; lowest nonce first.
 */
export async function listWatchedTransactions(
  db: Queryable,
  { chainId, sender }: Sender,
  { mined }: { mined: boolean },
): Promise<RelayerTransaction[]> {
  const { rows } = await db.query<TransactionRow>(
    `select ${columns} from app.relayer_transactions t
     where t.chain_id = $1 and t.sender = $2
       and (t.state = 'sent' or $3 and t.finished_at > now() - make_interval(secs => ${watchedSeconds}))
     order by t.state <> 'sent', t.nonce limit ${maxBatchSize}`,
    [chainId, sender, mined],
  );
  return rows.map(toTransaction);
}

/** Lists a wallet's pending top-ups. */
export async function listUnmined(
  db: Queryable,
  { chainId, sender }: Sender,
  wallet: string,
): Promise<RelayerTransaction[]> {
  const { rows } = await db.query<TransactionRow>(
    `select ${columns} from app.relayer_transactions t
     where t.wallet = $3 and t.chain_id = $1 and t.sender = $2 and t.state = 'sent' order by t.nonce`,
    [chainId, sender, wallet],
  );
  return rows.map(toTransaction);
}

/** Locks a pending transaction for a replacement; null when another process has locked it or it is mined. */
export async function lockUnmined(client: Client, id: string): Promise<RelayerTransaction | null> {
  const held = await client.query(
    "select 1 from app.relayer_transactions where id = $1 and state = 'sent' for update skip locked",
    [id],
  );
  if (held.rowCount === 0) return null;
  const { rows } = await client.query<TransactionRow>(
    `select ${columns} from app.relayer_transactions t where t.id = $1`,
    [id],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** The outcome of a transaction. `spent`: gas cost of the relayer in wei. */
export type Outcome = {
  state: "confirmed" | "failed";
  minedHash: Hex | null;
  blockNumber: bigint | null;
  spent: bigint;
};

/** Stores the outcome of a transaction. @returns false when the same outcome is already stored. */
export async function finishTransaction(db: Queryable, id: string, outcome: Outcome): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.relayer_transactions
     set state = $2, mined_hash = $3, block_number = $4, spent = $5, finished_at = coalesce(finished_at, now())
     where id = $1 and (state, mined_hash, block_number) is distinct from ($2, $3, $4::bigint)`,
    [id, outcome.state, outcome.minedHash, outcome.blockNumber, outcome.spent],
  );
  return rowCount === 1;
}

/** Marks a mined transaction as pending after a reorganisation. */
export async function reopenTransaction(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update app.relayer_transactions
     set state = 'sent', mined_hash = null, block_number = null, spent = 0, finished_at = null
     where id = $1 and state <> 'sent'`,
    [id],
  );
}

/** Finds the account's top-up by the hash of one of its attempts. */
export async function findTopUp(db: Queryable, accountId: string, hash: Hex): Promise<RelayerTransaction | null> {
  const { rows } = await db.query<TransactionRow>(
    `select ${columns} from app.relayer_transactions t
     join app.relayer_attempts attempt on attempt.transaction_id = t.id
     where attempt.hash = $1 and t.account_id = $2 and t.payment_id is null`,
    [hash, accountId],
  );
  return rows[0] ? toTransaction(rows[0]) : null;
}

/** Finds the hash of the latest attempt of a consumed quote's top-up. */
export async function findQuoteHash(db: Queryable, quoteId: Hex): Promise<Hex | null> {
  const { rows } = await db.query<{ hash: Hex }>(
    `select a.hash from app.relayer_attempts a join app.relayer_transactions t on t.id = a.transaction_id
     where t.quote_id = $1 order by a.number desc limit 1`,
    [quoteId],
  );
  return rows[0]?.hash ?? null;
}

/**
 * Reads the wei spent by station and relayer for a purpose in the last 24 hours; a pending transaction counts with its
 * maximum cost.
 */
export async function readDailySpend(db: Queryable, { chainId, sender }: Sender, purpose: Purpose): Promise<bigint> {
  const { rows } = await db.query<{ spent: string }>(
    `select coalesce(sum(case t.state
         when 'failed' then t.spent
         when 'confirmed' then t.spent + t.native_amount
         else t.native_amount + t.gas_limit *
           (select max(a.max_fee) from app.relayer_attempts a where a.transaction_id = t.id)
       end), 0)::text as spent
     from app.relayer_transactions t
     where t.chain_id = $1 and t.sender = $2 and t.created_at > now() - interval '1 day'
       and ${purposeSql} = $3`,
    [chainId, sender, purpose],
  );
  return BigInt(rows[0]!.spent);
}

/** Top-ups of the last 24 hours; `leftSeconds`: until the oldest (or oldest failed) one leaves this window. */
export type Usage = { sent: number; failed: number; unmined: number; leftSeconds: number; failedLeftSeconds: number };

/** Reads the used budgets of top-ups of a wallet and a client address. */
export async function readDailyUsage(
  db: Queryable,
  wallet: string,
  clientAddress: string,
): Promise<{ wallet: Usage; address: Usage }> {
  const usage = async (column: "wallet" | "client_address", value: string): Promise<Usage> => {
    const { rows } = await db.query<Usage>(
      `select count(*) as sent, count(*) filter (where state = 'failed') as failed,
         count(*) filter (where state = 'sent') as unmined,
         ceil(coalesce(extract(epoch from min(created_at) - now()), 0) + 86400)::int as "leftSeconds",
         ceil(coalesce(extract(epoch from min(created_at) filter (where state = 'failed') - now()), 0) + 86400)::int
           as "failedLeftSeconds"
       from app.relayer_transactions where ${column} = $1 and created_at > now() - interval '1 day'
         and payment_id is null`,
      [value],
    );
    return rows[0]!;
  };
  return { wallet: await usage("wallet", wallet), address: await usage("client_address", clientAddress) };
}

/**
 * Erases the client addresses of transactions that no budget counts any more; see {@link readDailyUsage}. Includes the
 * transactions of deleted accounts, whose budgets must outlive the accounts.
 */
export async function eraseClientAddresses(db: Queryable): Promise<void> {
  await db.query(
    "update app.relayer_transactions set client_address = '' where client_address <> '' and created_at < now() - interval '1 day'",
  );
}
