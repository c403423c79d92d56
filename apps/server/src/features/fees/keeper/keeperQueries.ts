import type { Hex } from "viem";
import type { Client, Queryable } from "../../../db/database.ts";
import type { FeesPerGas, RelayerKey } from "../../../relayer/relayerKey.ts";
import { type Attempt, type Sender, takeNonce } from "../../../relayer/relayerTransactions.ts";
import { storeTransaction } from "../../../relayer/storeTransaction.ts";

/** Launches of one splitter that are considered together, those with the most volume first. */
export const maxLaunches = 5;
/** Seconds in which the splitters that a worker has taken are not taken again. */
const leaseSeconds = 120;

/** A splitter that may have earned enough. `fees`: an upper bound of its fees so far, by volume, in wei. */
export type DueSplitter = { splitter: Hex; tokens: Hex[]; fees: bigint };

/**
 * Takes the splitters that are due, least recently checked first. The fees follow from the volume: they are at most the
 * fee tier of it, so that a splitter without enough volume costs no request to the chain. Reads the volume of each launch
 * once. Launches whose whole volume is below the least fees do not count: each has earned less than a hundredth of them.
 *
 * @param options.minFees - The least fees in wei.
 */
export async function takeDueSplitters(
  db: Queryable,
  { minFees, limit }: { minFees: bigint; limit: number },
): Promise<DueSplitter[]> {
  const { rows } = await db.query<{ splitter: Hex; tokens: Hex[]; fees: string }>(
    `with sums as (
       select t.splitter, floor(sum(s.volume_quote * t.fee_bps / 10000)) as fees
       from chain.token_state s join chain.tokens t on t.id = s.token_id
       where s.volume_quote >= $1::numeric and t.fee_bps > t.protocol_fee_bps
       group by t.splitter having sum(s.volume_quote * t.fee_bps / 10000) >= $1
     ),
     due as materialized (
       select sums.splitter, k.checked_at, sums.fees from sums
       join chain.splitters p on p.address = sums.splitter and p.proven
       left join app.keeper_splitters k on k.splitter = sums.splitter
       left join app.keeper_claims o on o.splitter = sums.splitter and o.outcome is null
       where o.id is null and (k.splitter is null or k.next_check_at <= now() and k.next_fees <= sums.fees)
       order by k.checked_at nulls first, sums.fees desc, sums.splitter limit $2
     ),
     taken as (
       insert into app.keeper_splitters as s (splitter, checked_at, next_check_at)
       select splitter, now(), now() + make_interval(secs => ${leaseSeconds}) from due
       on conflict (splitter) do update set checked_at = excluded.checked_at, next_check_at = excluded.next_check_at
     )
     select d.splitter, d.fees::text as fees, array(
       select t.address from chain.tokens t join chain.token_state s on s.token_id = t.id
       where t.splitter = d.splitter and t.fee_bps > t.protocol_fee_bps
       order by s.volume_quote * t.fee_bps desc, t.address limit ${maxLaunches}
     ) as tokens
     from due d order by d.checked_at nulls first, d.fees desc, d.splitter`,
    [minFees.toString(), limit],
  );
  return rows.map(({ fees, ...row }) => ({ ...row, fees: BigInt(fees) }));
}

/**
 * Stores that a splitter is checked again after a pause, and when its fees have reached an amount. Ends no series of
 * failures: an account that claims just before the keeper leaves nothing to pay at the next check.
 */
export async function postponeSplitter(
  db: Queryable,
  splitter: string,
  { nextFees, pauseSeconds }: { nextFees: bigint; pauseSeconds: number },
): Promise<void> {
  await db.query(
    `update app.keeper_splitters set next_fees = $2, next_check_at = now() + make_interval(secs => $3)
     where splitter = $1`,
    [splitter.toLowerCase(), nextFees.toString(), pauseSeconds],
  );
}

const maxErrorCharacters = 500;

/**
 * Stores a failure; the pause doubles with each failure in a row, from two minutes to a day. The next check does not wait
 * for more fees.
 */
export async function delaySplitter(db: Queryable, splitter: string, error: string): Promise<void> {
  await db.query(
    `update app.keeper_splitters set failures = failures + 1, last_error = left($2, ${maxErrorCharacters}), next_fees = 0,
       next_check_at = now() + least(interval '1 minute' * 2 ^ least(failures + 1, 11), interval '1 day')
     where splitter = $1`,
    [splitter.toLowerCase(), error],
  );
}

/** Ends the series of failures of a splitter. */
export async function endFailures(db: Queryable, splitter: string): Promise<void> {
  await db.query(
    "update app.keeper_splitters set failures = 0, last_error = null where splitter = $1 and failures > 0",
    [splitter.toLowerCase()],
  );
}

/** The number of splitters that wait after at least three failures in a row. */
export async function countFailing(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    "select count(*)::int as n from app.keeper_splitters where failures > 2 and next_check_at > now()",
  );
  return rows[0]!.n;
}

/**
 * Reads the wei that the keeper may have spent on gas in the last 24 hours: the cost of a final claim by its receipt, and
 * the highest possible cost of all others.
 */
export async function readKeeperSpend(db: Queryable, { chainId, sender }: Sender): Promise<bigint> {
  const { rows } = await db.query<{ spent: string }>(
    `select coalesce(sum(coalesce(cost, max_cost)), 0)::text as spent from app.keeper_claims
     where chain_id = $1 and sender = $2 and created_at > now() - interval '1 day'`,
    [chainId, sender],
  );
  return BigInt(rows[0]!.spent);
}

/** A claim to store and send. Amounts in wei. */
export type NewClaim = Sender & {
  id: string;
  transactionId: string;
  splitter: Hex;
  tokens: readonly Hex[];
  payees: readonly Hex[];
  worth: bigint;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  fees: FeesPerGas;
  /** The highest fee per gas of any attempt. */
  maxFee: bigint;
  chainNonce: bigint;
  /** Unix seconds of the chain's time. */
  deadline: bigint;
};

/**
 * Stores a claim with its nonce and signed bytes, in the transaction of `client`, which must hold the lock `keeper`.
 *
 * @returns "pending" if the splitter has a claim that is not final, "cap" if the day's cap does not suffice, "nonce" if the
 *   chain's nonce is too far ahead; nothing may be sent then, and the caller rolls back.
 */
export async function storeClaim(
  client: Client,
  key: RelayerKey,
  claim: NewClaim,
  dailyCap: bigint,
): Promise<Attempt | "pending" | "cap" | "nonce"> {
  const { id, chainId, sender, splitter, tokens, payees, worth, gasLimit, maxFee } = claim;
  const maxCost = gasLimit * maxFee;
  if ((await readKeeperSpend(client, claim)) + maxCost > dailyCap) return "cap";
  const lower = (addresses: readonly Hex[]) => addresses.map((address) => address.toLowerCase());
  const { rowCount } = await client.query(
    `insert into app.keeper_claims (id, chain_id, sender, splitter, tokens, payees, worth, max_cost)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [id, chainId, sender, splitter.toLowerCase(), lower(tokens), lower(payees), worth.toString(), maxCost.toString()],
  );
  if (rowCount === 0) return "pending";
  const nonce = await takeNonce(client, claim, claim.chainNonce);
  if (nonce === null) return "nonce";
  const transaction = {
    chainId,
    sender,
    id: claim.transactionId,
    nonce,
    quoteId: null,
    paymentId: null,
    keeperClaimId: id,
    accountId: null,
    wallet: "",
    clientAddress: "",
    station: claim.to,
    data: claim.data,
    gasLimit,
    nativeAmount: 0n,
    deadline: claim.deadline,
    maxFee,
  };
  return await storeTransaction(client, key, transaction, claim.fees);
}

/** A claim whose transaction has ended, but is not final yet. */
export type EndedClaim = { id: string; splitter: Hex; worth: bigint; minedHash: Hex | null; cancelled: boolean };

/** Lists the claims whose transaction was mined, or whose nonce another signer has used. */
export async function listEndedClaims(db: Queryable, { chainId, sender }: Sender): Promise<EndedClaim[]> {
  const { rows } = await db.query<Omit<EndedClaim, "worth"> & { worth: string }>(
    `select c.id, c.splitter, c.worth::text as worth, t.mined_hash as "minedHash", coalesce(a.cancels, false) as cancelled
     from app.keeper_claims c join app.relayer_transactions t on t.keeper_claim_id = c.id
     left join app.relayer_attempts a on a.hash = t.mined_hash
     where c.outcome is null and c.chain_id = $1 and c.sender = $2 and t.state <> 'sent' order by t.nonce limit 50`,
    [chainId, sender],
  );
  return rows.map((row) => ({ ...row, worth: BigInt(row.worth) }));
}

/** The final outcome of a claim. Null for an unknown amount. */
export type ClaimEnd = {
  outcome: "paid" | "failed" | "lost";
  cost: bigint | null;
  paid: bigint | null;
  hash: Hex | null;
  blockNumber: bigint | null;
};

/** Ends a claim. @returns false if another process has ended it. */
export async function endClaim(db: Queryable, id: string, end: ClaimEnd): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.keeper_claims set outcome = $2, cost = $3, paid = $4, tx_hash = $5, block_number = $6, finished_at = now()
     where id = $1 and outcome is null`,
    [id, end.outcome, end.cost, end.paid, end.hash, end.blockNumber],
  );
  return rowCount === 1;
}
