import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import { getProductName, type Product } from "@slipway/protocol/payments";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { ErrorWithHeaders } from "./sendError.ts";

/** The products that help a caller with an error of these codes. */
const offered: Partial<Record<ErrorCode, (product: Product, error: SlipwayError) => boolean>> = {
  insufficient_credits: (product) => "credits" in product,
  plan_required: (product) => "plan" in product,
  payment_required: (product, { details }) =>
    details?.product === undefined || details.product === getProductName(product),
};

/**
 * Creates the function that adds an offer of x402 to an error that a payment solves: in `details.x402`, and in the header
 * PAYMENT-REQUIRED. Returns other errors unchanged, and all errors where the service takes no payments. An administrator
 * gets no offer: its requests are about other accounts.
 */
export function createOfferPayment({
  paymentOffers,
}: Pick<Deps, "paymentOffers">): (error: unknown, request: Pick<FastifyRequest, "principal">) => unknown {
  return (error, { principal }) => {
    if (!(error instanceof SlipwayError) || principal?.scopes.includes("admin")) return error;
    const isOffered = offered[error.code];
    if (isOffered === undefined) return error;
    const offer = paymentOffers.createOffer(error.message, (product) => isOffered(product, error));
    if (offer === null) return error;
    const header = Buffer.from(JSON.stringify(offer)).toString("base64");
    return new ErrorWithHeaders(error.code, error.message, { "payment-required": header }, { x402: offer });
  };
}
