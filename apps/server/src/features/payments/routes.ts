import { SlipwayError } from "@slipway/protocol/errors";
import { parseInput } from "@slipway/protocol/parseInput";
import {
  getProductName,
  type Payment,
  type PaymentSettlement,
  type SignedPayment,
  signedPayment,
} from "@slipway/protocol/payments";
import { checksummed } from "@slipway/protocol/primitives";
import type { FastifyReply } from "fastify";
import type { Deps } from "../../deps.ts";
import { toNetwork } from "../../relayer/paymentOffers.ts";
import { createRoute, type Route } from "../../route.ts";
import { findPayment, type StoredPayment } from "./queries.ts";
import { createUnavailable, submitPayment } from "./submitPayment.ts";

/** Routes that sell credits and plans for a stablecoin, by x402. */
export function paymentsRoutes(deps: Deps): Route[] {
  return [
    createRoute("createPayment", {
      handle: async ({ headers, body, principal: { accountId }, clientAddress, reply }) => {
        const signed = body.payment ?? parsePaymentHeader(headers["payment-signature"]);
        if (signed === null) return refuseUnpaid(deps, body.product);
        const { payment, isNew } = await submitPayment(deps, { accountId, clientAddress }, signed);
        if (isNew) reply.code(201);
        else setSettlement(reply, payment);
        return toPayment(payment);
      },
    }),

    createRoute("getPayment", {
      handle: async ({ params, principal: { accountId }, reply }) => {
        const found = await findPayment(deps.db.api, accountId, params.id);
        if (found === null) throw new SlipwayError("not_found", "Your account has no payment with this id.");
        setSettlement(reply, found);
        return toPayment(found);
      },
    }),
  ];
}

/** @throws SlipwayError `payment_required`, to which the HTTP layer adds the offer; `payment_unavailable`, `invalid_fields`. */
function refuseUnpaid({ paymentOffers }: Deps, product: string | undefined): never {
  const terms = paymentOffers.getTerms();
  if ("reason" in terms) throw createUnavailable(terms.reason);
  if (product !== undefined && !terms.prices.some((priced) => getProductName(priced.product) === product)) {
    const names = terms.prices.map((priced) => getProductName(priced.product)).join(", ");
    throw new SlipwayError("invalid_fields", `The operator sells ${names}.`, { field: "product" });
  }
  throw new SlipwayError("payment_required", undefined, product === undefined ? {} : { details: { product } });
}

/** Parses the header PAYMENT-SIGNATURE. @throws SlipwayError `invalid_request`. */
function parsePaymentHeader(header: string | undefined): SignedPayment | null {
  if (header === undefined) return null;
  const field = "Payment-Signature";
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(header, "base64").toString("utf8"));
  } catch {
    throw new SlipwayError("invalid_request", `${field} must be JSON in base64.`, { field });
  }
  const parsed = parseInput(signedPayment, value, `The payment of ${field}`);
  if (!parsed.ok) throw new SlipwayError("invalid_request", parsed.problem.message, { field });
  return parsed.value;
}

/** Sets the header PAYMENT-RESPONSE of a finished payment: clients of x402 read it as the end of the payment. */
function setSettlement(reply: FastifyReply, payment: StoredPayment): void {
  if (payment.status === "pending") return;
  const settlement: PaymentSettlement = {
    success: payment.status === "booked",
    ...(payment.reason === null ? {} : { errorReason: payment.reason }),
    payer: checksummed(payment.payer),
    transaction: payment.transaction ?? "",
    network: toNetwork(payment.chainId),
    amount: payment.amount.toString(),
  };
  reply.header("payment-response", Buffer.from(JSON.stringify(settlement)).toString("base64"));
}

const toPayment = (payment: StoredPayment): Payment => ({
  id: payment.id,
  status: payment.status,
  reason: payment.reason,
  network: toNetwork(payment.chainId),
  asset: checksummed(payment.asset),
  payer: checksummed(payment.payer),
  payee: checksummed(payment.payee),
  amount: payment.amount.toString(),
  nonce: payment.nonce,
  product: getProductName(payment.product),
  transaction: payment.transaction,
  block_number: payment.blockNumber?.toString() ?? null,
  created_at: payment.createdAt.toISOString(),
  finished_at: payment.finishedAt?.toISOString() ?? null,
});
