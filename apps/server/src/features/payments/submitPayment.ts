import { authorizedTokenAbi } from "@slipway/protocol/authorizedToken";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import { maxCredits, paymentTimeoutSeconds, type SignedPayment } from "@slipway/protocol/payments";
import { checksummed } from "@slipway/protocol/primitives";
import { erc20Abi } from "@slipway/protocol/uniswap";
import type { Hex } from "viem";
import { getCreditBalance } from "../../accounts/credits.ts";
import { getActivePlan } from "../../accounts/plans.ts";
import { type Head, readHead, tryReadContracts } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Deps } from "../../deps.ts";
import type { PaymentTerms } from "../../relayer/paymentOffers.ts";
import { sendAttempt } from "../../relayer/processPendingTransactions.ts";
import { readFeesPerGas } from "../../relayer/readFeesPerGas.ts";
import type { FeesPerGas, RelayerKey } from "../../relayer/relayerKey.ts";
import { type Attempt, readDailySpend, takeNonce } from "../../relayer/relayerTransactions.ts";
import { storeTransaction } from "../../relayer/storeTransaction.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { computeGasLimit, readL1Gas } from "../../transactions/unsignedResult.ts";
import { getUnixSeconds, limitHeadTime } from "../../transactions/validity.ts";
import { type CheckedPayment, checkSignedPayment, toAuthorizationTerms } from "./checkSignedPayment.ts";
import { findAuthorizationUse } from "./findAuthorizationUse.ts";
import {
  type AuthorizationTerms,
  findByAuthorization,
  findPayment,
  insertPayment,
  type NewPayment,
  readFailures,
  readPendingUsage,
  type StoredPayment,
} from "./queries.ts";

/** The account that pays, and its network address. */
export type Payer = { accountId: string; clientAddress: string };

/** A payment, and whether this request made it. */
export type SubmittedPayment = { payment: StoredPayment; isNew: boolean };

/** The seconds of block time that the relayer needs at least before the authorization ends. */
const minRemainingSeconds = 60n;
/** The seconds by which clocks of clients may be ahead of the chain. */
const clockLeadSeconds = 600n;
const maxPendingOfAccount = 5;
const maxPendingOfAddress = 20;
/** Payments in 24 hours that may fail after the relayer has sent them: each costs the operator gas. */
const maxFailures = 5;

/**
 * Accepts a signed payment: checks it against the offers, its signature and the chain, simulates the transfer, stores it and
 * sends it. Nothing is sent before it is stored, so that a crash loses no payment. The same request of the same account
 * returns the same payment.
 *
 * @throws SlipwayError `payment_unavailable`, `invalid_fields`, `signature_invalid`, `authorization_used`,
 * `too_many_credits`, `insufficient_balance`, `simulation_reverted`, `rate_limited`, `chain_unavailable`.
 */
export async function submitPayment(deps: Deps, caller: Payer, signed: SignedPayment): Promise<SubmittedPayment> {
  const terms = toAuthorizationTerms(signed);
  const earlier = await findByAuthorization(deps.db.api, terms);
  // Before all other checks: a caller that missed the answer gets its payment, also when payments are off now.
  if (earlier?.accountId === caller.accountId) return { payment: requireSame(earlier, terms), isNew: false };
  const offered = deps.paymentOffers.getTerms();
  const key = deps.relayerKey;
  if ("reason" in offered || key === null) {
    throw createUnavailable("reason" in offered ? offered.reason : "The operator has not configured payments.");
  }
  const checked = await checkSignedPayment(offered, signed, terms);
  if (earlier !== null) throw new SlipwayError("authorization_used");
  try {
    return { payment: await createPayment(deps, caller, { terms, offered, key, ...checked }), isNew: true };
  } catch (error) {
    // Another request may have stored and sent the authorization meanwhile: the token then ignores or reverts the transfer.
    const concurrent = error instanceof SlipwayError ? await findByAuthorization(deps.db.api, terms) : null;
    if (concurrent === null) throw error;
    if (concurrent.accountId !== caller.accountId) throw new SlipwayError("authorization_used");
    return { payment: requireSame(concurrent, terms), isNew: false };
  }
}

type Creation = CheckedPayment & { terms: AuthorizationTerms; offered: PaymentTerms; key: RelayerKey };

/**
 * Checks a payment on the chain, stores it and sends it.
 *
 * @throws SlipwayError The errors of `submitPayment`; `authorization_used` if another request has stored the authorization.
 */
async function createPayment(
  deps: Deps,
  caller: Payer,
  { terms, offered, key, product, signature }: Creation,
): Promise<StoredPayment> {
  const [head, chainNonce, balanceInWei] = await Promise.all([
    readHead(deps.chain, offered.chainId),
    awaitChain(deps.chain.client.getTransactionCount({ address: key.address })),
    awaitChain(deps.chain.client.getBalance({ address: key.address })),
  ]);
  if (balanceInWei < deps.config.RELAYER_FLOOR_WEI) throw createUnavailable("The relayer has too little for gas.");
  checkWindow(deps, terms, head);
  await checkPayer(deps, offered, terms, head);
  const data = encodeCall({
    abi: authorizedTokenAbi,
    functionName: "transferWithAuthorization",
    args: [
      checksummed(terms.payer),
      offered.payee,
      terms.amount,
      terms.validAfter,
      terms.validBefore,
      terms.nonce,
      signature.v,
      signature.r,
      signature.s,
    ],
  });
  const call = { from: key.address, to: offered.asset, data, value: 0n };
  const [simulation, l1Gas, fees] = await Promise.all([
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, offered.chainId, call, head),
    readFeesPerGas(deps.chain, offered.chainId, head),
  ]);
  requireExactTransfer(offered, terms, simulation);
  const gasLimit = computeGasLimit(simulation, l1Gas);
  const { accountId } = caller;
  const row: NewPayment = { ...terms, id: deps.ids.uuid(), accountId, product, startBlock: head.number };
  const attempt = await storePayment(deps, key, caller, row, { data, gasLimit, fees, chainNonce: BigInt(chainNonce) });
  if (attempt === null) throw new SlipwayError("authorization_used");
  await sendAttempt(deps, attempt).catch((error: unknown) => {
    deps.log.warn({ err: error, hash: attempt.hash }, "payment broadcast failed");
  });
  const payment = await findPayment(deps.db.api, accountId, row.id);
  // The account was deleted meanwhile: the payment belongs to no account.
  if (payment === null) throw new SlipwayError("authorization_used");
  return payment;
}

/** Creates the error of a service that takes no payments. @param reason - A sentence for the caller. */
export const createUnavailable = (reason: string) => new SlipwayError("payment_unavailable", reason);

/** @throws SlipwayError `authorization_used` if the payer has submitted other terms with the same nonce. */
function requireSame(stored: StoredPayment, terms: AuthorizationTerms): StoredPayment {
  const isSame = (["payee", "amount", "validAfter", "validBefore"] as const).every(
    (name) => stored[name] === terms[name],
  );
  if (!isSame)
    throw new SlipwayError("authorization_used", "This nonce belongs to an earlier payment with other terms.");
  return stored;
}

/** Checks that the relayer has enough time, and that the payment ends soon if it does not happen. */
function checkWindow(
  { clock }: Pick<Deps, "clock">,
  { validAfter, validBefore }: AuthorizationTerms,
  head: Head,
): void {
  const now = limitHeadTime(getUnixSeconds(clock), head);
  const fail = (field: string, message: string) => {
    throw new SlipwayError("invalid_fields", message, { field: `payment.payload.authorization.${field}` });
  };
  if (validAfter > now) fail("validAfter", "The authorization is not valid yet.");
  if (validBefore < now + minRemainingSeconds)
    fail("validBefore", `The authorization must be valid for at least ${minRemainingSeconds} seconds.`);
  const latest = now + BigInt(paymentTimeoutSeconds) + clockLeadSeconds;
  if (validBefore > latest)
    fail("validBefore", `The authorization must end within ${paymentTimeoutSeconds} seconds (maxTimeoutSeconds).`);
}

/** @throws SlipwayError `authorization_used`, `insufficient_balance`, `payment_unavailable`. */
async function checkPayer(deps: Deps, offered: PaymentTerms, terms: AuthorizationTerms, head: Head): Promise<void> {
  const payer = checksummed(terms.payer);
  const [used, balance] = await tryReadContracts(deps.chain, head.number, [
    { address: offered.asset, abi: authorizedTokenAbi, functionName: "authorizationState", args: [payer, terms.nonce] },
    { address: offered.asset, abi: erc20Abi, functionName: "balanceOf", args: [payer] },
  ]);
  if (used.result === undefined || balance.result === undefined)
    throw createUnavailable(`${offered.symbol} has no transfer authorizations (EIP-3009).`);
  if (used.result) throw new SlipwayError("authorization_used");
  if (balance.result >= terms.amount) return;
  throw new SlipwayError("insufficient_balance", `The payer does not hold the price in ${offered.symbol}.`, {
    field: "payment.payload.authorization.from",
    details: { asset: offered.asset, needed: terms.amount.toString(), available: balance.result.toString() },
  });
}

/** Checks that the simulated transfer delivers the whole amount: a token may take a fee, or ignore an authorization. */
function requireExactTransfer(offered: PaymentTerms, terms: AuthorizationTerms, simulation: Simulation): void {
  if (!simulation.areAssetChangesKnown) return;
  const use = findAuthorizationUse(simulation.logs, terms);
  const isExact = use?.kind === "used" && use.transferred?.to === terms.payee && use.transferred.value === terms.amount;
  if (!isExact) throw createUnavailable(`${offered.symbol} would not deliver exactly the price; nothing was sent.`);
}

type Signable = { data: Hex; gasLimit: bigint; fees: FeesPerGas; chainNonce: bigint };

/**
 * Stores the payment with the relayer's signed transaction, in one database transaction.
 *
 * @returns Null when another request has stored the authorization.
 * @throws SlipwayError `rate_limited`, `too_many_credits`, `invalid_fields`, `payment_unavailable`; nothing is stored then.
 */
async function storePayment(
  deps: Deps,
  key: RelayerKey,
  caller: Payer,
  payment: NewPayment,
  { data, gasLimit, fees, chainNonce }: Signable,
): Promise<Attempt | null> {
  const sender = { chainId: payment.chainId, sender: key.address.toLowerCase() };
  return await withTransaction(deps.db.api, async (client) => {
    // First: concurrent requests for one authorization wait for this row, and only one takes a nonce.
    if (!(await insertPayment(client, payment))) return null;
    const nonce = await takeNonce(client, sender, chainNonce);
    if (nonce === null) {
      deps.log.error({ chainNonce: chainNonce.toString() }, "relayer nonce too far ahead");
      throw createUnavailable("The relayer's nonce is not known.");
    }
    // The lock on the nonce's row prevents the insert of another payment between these counts and the commit.
    await requireRoom(client, caller, payment);
    await requireBudget(client, caller, payment);
    const spent = await readDailySpend(client, sender, "payment");
    if (spent + gasLimit * fees.maxFee > deps.config.PAYMENT_DAILY_GAS_WEI)
      throw createUnavailable("The relayer has used the day's gas for payments.");
    const transaction = {
      ...sender,
      id: deps.ids.uuid(),
      nonce,
      quoteId: null,
      paymentId: payment.id,
      accountId: caller.accountId,
      wallet: payment.payer,
      clientAddress: caller.clientAddress,
      station: payment.asset,
      data,
      gasLimit,
      nativeAmount: 0n,
      deadline: payment.validBefore,
    };
    return await storeTransaction(client, key, transaction, fees);
  });
}

/** Checks that the account can have what it buys, before money is taken. */
async function requireRoom(client: Client, caller: Payer, { payer, product }: NewPayment): Promise<void> {
  const { accountId } = caller;
  const pending = await readPendingUsage(client, { ...caller, payer });
  // The counts of payer and account include this payment, which has no transaction yet.
  // Two payments could spend the same tokens: both simulations succeed, and one fails at the relayer's cost.
  if (pending.ofPayer > 1)
    throw new SlipwayError("rate_limited", "The payer's last payment is not final yet; wait for it.");
  if (pending.ofAccount > maxPendingOfAccount)
    throw new SlipwayError("rate_limited", `The account has ${maxPendingOfAccount} payments that are not final; wait.`);
  if (pending.ofAddress >= maxPendingOfAddress)
    throw new SlipwayError("rate_limited", "This network address has too many payments that are not final; wait.");
  if ("credits" in product) {
    const balance = await getCreditBalance(client, accountId);
    if (balance + pending.credits > maxCredits) throw new SlipwayError("too_many_credits");
    return;
  }
  const plan = await getActivePlan(client, accountId);
  if (plan?.plan === product.plan && plan.activeUntil === null) {
    throw new SlipwayError("invalid_fields", "The account has this plan without an end.", {
      field: "payment.accepted.amount",
    });
  }
}

/** @throws SlipwayError `rate_limited` after too many payments that failed at the relayer's cost. */
async function requireBudget(client: Client, caller: Payer, { payer }: NewPayment): Promise<void> {
  const { failed, leftSeconds } = await readFailures(client, { ...caller, payer });
  if (failed < maxFailures) return;
  throw new SlipwayError("rate_limited", "Too many payments failed on the chain today.", {
    details: { retry_after_seconds: Math.max(1, leftSeconds) },
  });
}
