import { z } from "zod";
import { payment, paymentHeaders, paymentRequest } from "../payments.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

/** Operations on payments by x402. */
export const paymentsOperations = {
  createPayment: {
    tag: "Account",
    summary: "Buy credits or a plan with a signed stablecoin transfer (x402)",
    description:
      "Without a payment the answer is 402 with an offer of x402 v2: in `details.x402`, and in base64 in the header " +
      "PAYMENT-REQUIRED. The payer signs a transfer authorization (EIP-3009) of exactly one offered price and needs no " +
      "native token: the relayer sends the transfer. Credits or plan are booked once, when the transfer is final. The " +
      "nonce of the authorization identifies the payment: a repeated request of the account answers 200 with the same " +
      "payment.",
    headers: paymentHeaders,
    body: paymentRequest,
    answers: {
      201: { description: "The payment was accepted", schema: payment },
      200: { description: "The payment was accepted before", schema: payment, headers: ["Payment-Response"] },
    },
    errors: [
      "payment_required",
      "payment_unavailable",
      "authorization_used",
      "too_many_credits",
      "signature_invalid",
      "insufficient_balance",
      "simulation_reverted",
      "rate_limited",
      ...chainErrors,
    ],
  },

  getPayment: {
    tag: "Account",
    summary: "Get a payment",
    description:
      "Ask again until `status` is not `pending`; a finished payment has the header PAYMENT-RESPONSE of x402.",
    params: z.object({ id: z.uuid().describe("The id of one of the account's payments.") }),
    answers: { 200: { description: "The payment", schema: payment, headers: ["Payment-Response"] } },
    errors: ["invalid_request", "not_found", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
