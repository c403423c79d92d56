import type { Hex } from "viem";
import { lockAccount } from "../../accounts/accounts.ts";
import { bookCredits } from "../../accounts/credits.ts";
import { extendPlan } from "../../accounts/plans.ts";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { type ChainEnd, decideEnd } from "./decideEnd.ts";
import {
  endPayment,
  lockPending,
  type PaymentEnd,
  readPaymentHealth,
  type StoredPayment,
  setExpiry,
  takeDuePayments,
} from "./queries.ts";
import { type AuthorizationReading, readAuthorization } from "./readAuthorization.ts";

/** The parts of the service that end payments. */
export type BookingDeps = Pick<Deps, "chain" | "clock" | "config" | "db" | "ids" | "log" | "metrics" | "observer">;

/** Payments that one run checks. */
const paymentsPerRun = 20;
const healthIntervalMs = 15_000;

/**
 * Starts the job that ends payments: once the transfer of a payment is final, it books credits or a plan in the
 * transaction that ends the payment. Runs also where payments are off now, for payments that were accepted before.
 */
export function bookPayments(deps: BookingDeps): Job {
  const { chain, clock, config, db, log, metrics } = deps;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const run = async (signal: AbortSignal) => {
    const { manifest, verified } = chain.manifestState();
    if (clock.now() - measuredAt >= healthIntervalMs) {
      measuredAt = clock.now();
      const { oldestSeconds, held } = await readPaymentHealth(db.api);
      metrics.paymentsOldest.set(oldestSeconds);
      metrics.paymentsHeld.set(held);
    }
    if (manifest === null || !verified) return false;
    const due = { chainId: manifest.chain_id, intervalMs: config.RELAYER_POLL_MS, limit: paymentsPerRun };
    const payments = await takeDuePayments(db.api, due);
    for (const payment of payments) {
      if (signal.aborted) return false;
      // One endpoint or one payment that fails does not delay the others.
      await checkPayment(deps, payment).catch((error: unknown) =>
        log.warn({ err: error, payment: payment.id }, "payment not checked"),
      );
    }
    return payments.length === paymentsPerRun;
  };
  return repeat(deps, { name: "payments", pauseMs: config.RELAYER_POLL_MS, run });
}

/** Reads the chain's state of a pending payment, and ends the payment if it is final. */
async function checkPayment(deps: BookingDeps, payment: StoredPayment): Promise<void> {
  const { rpc } = deps.chain;
  const endpoints = rpc.hosts === 1 ? [undefined] : rpc.listIndependent().slice(0, 2);
  const first = await readAuthorization(rpc, payment, endpoints[0]);
  const end = decideEnd(payment, first, deps.config.REORG_WINDOW_SECONDS);
  if (end === null) return await noteExpiry(deps, payment, first);
  if (rpc.hosts > 1) {
    // One endpoint alone could invent a transfer, or hide one. Without a second one, the payment waits.
    if (endpoints.length < 2) return;
    const second = await readAuthorization(rpc, payment, endpoints[1]);
    if (!isSame(end, decideEnd(payment, second, deps.config.REORG_WINDOW_SECONDS))) {
      deps.log.debug({ payment: payment.id }, "payment not confirmed by a second endpoint");
      return;
    }
  }
  await finishPayment(deps, payment, end);
}

/** Stores the newest block after `validBefore` while the authorization is unused. */
async function noteExpiry({ db }: BookingDeps, payment: StoredPayment, reading: AuthorizationReading): Promise<void> {
  const { newest, state, expiry } = reading;
  if (state.kind !== "unused" || newest.timestamp < payment.validBefore) return;
  if (payment.expiry === null || expiry?.hash !== payment.expiry.hash) await setExpiry(db.api, payment.id, newest);
}

const isSame = (a: NonNullable<ChainEnd>, b: ChainEnd): boolean =>
  b !== null &&
  a.status === b.status &&
  a.reason === b.reason &&
  a.transaction === b.transaction &&
  a.blockNumber === b.blockNumber;

/** Books and ends a payment in one transaction; does nothing when another process has ended it. */
async function finishPayment(
  { db, ids, log, metrics }: BookingDeps,
  { id, accountId }: StoredPayment,
  end: NonNullable<ChainEnd>,
): Promise<void> {
  const stored = await withTransaction(db.api, async (client) => {
    // In the order of a deletion of the account, which locks the account first.
    await lockAccount(client, accountId);
    const payment = await lockPending(client, id);
    if (payment === null) return null;
    const booked: PaymentEnd =
      end.status === "paid" ? await book(client, payment, end, ids.uuid()) : { ...end, status: end.status };
    await endPayment(client, id, booked);
    return booked;
  });
  if (stored === null) return;
  metrics.payments.inc({ outcome: stored.status });
  const fields = { payment: id, reason: stored.reason, hash: stored.transaction };
  if (stored.status === "held") log.warn(fields, "payment held");
  else log.info(fields, `payment ${stored.status}`);
}

/**
 * Books credits or a plan for a payment that arrived. Money of a deleted account is held for the operator.
 *
 * @param bookingId - Not the payment's id: the ledger outlives the account, and must not lead to the payer's wallet.
 */
async function book(
  client: Client,
  { accountId, product }: StoredPayment,
  { transaction, blockNumber }: { transaction: Hex | null; blockNumber: bigint | null },
  bookingId: string,
): Promise<PaymentEnd> {
  const arrived = { transaction, blockNumber };
  const isBooked =
    "credits" in product
      ? await bookCredits(client, {
          accountId,
          kind: "grant",
          amount: product.credits,
          reason: "payment",
          requestId: bookingId,
        }).then(({ outcome }) => outcome === "booked" || outcome === "repeated")
      : (await extendPlan(client, accountId, product.plan, product.days)) !== null;
  if (isBooked) return { ...arrived, status: "booked", reason: null };
  return { ...arrived, status: "held", reason: "account_deleted" };
}
