import { z } from "zod";
import type { planName } from "./administration.ts";
import { addressOut, amountOut, bytes32, dateTime, evmAddress, positiveUint256 } from "./primitives.ts";
import { text } from "./text.ts";
import { signature } from "./typedData.ts";

// The objects of x402 have the names of their specification. Source: x402-foundation/x402, specs/x402-specification-v2.md.

/** The time in seconds after which an offer asks for the payment to be complete: clients sign it as `validBefore`. */
export const paymentTimeoutSeconds = 900;

/** The maximum credits of an account that can still buy credits. */
export const maxCredits = 1_000_000_000;

/** The maximum length of PAYMENT-SIGNATURE. */
const maxHeaderCharacters = 8_000;

/** Unix seconds as decimal digits. */
const unixSeconds = z.string().regex(/^[0-9]{1,15}$/, "must be Unix seconds as decimal digits");

/** The product of a payment: credits, or a plan for some days. */
export type Product = { credits: number } | { plan: z.infer<typeof planName>; days: number };

/** The name of a product in a request, e.g. `credits:100` or `subscriber:30`. */
export const productName = z
  .string()
  .regex(/^(credits|subscriber):[1-9][0-9]{0,9}$/, "must be credits:NUMBER or subscriber:DAYS");

/** The maximum days of a plan that a payment buys. */
const maxPlanDays = 3_650;

/** Parses the name of a product; null if no payment can buy it. */
export function parseProduct(name: string): Product | null {
  const [kind, count] = productName.safeParse(name).success ? name.split(":") : [];
  if (kind === "credits" && Number(count) <= maxCredits) return { credits: Number(count) };
  if (kind === "subscriber" && Number(count) <= maxPlanDays) return { plan: kind, days: Number(count) };
  return null;
}

/** Returns the name of a product. */
export const getProductName = (product: Product): string =>
  "credits" in product ? `credits:${product.credits}` : `${product.plan}:${product.days}`;

/** One accepted payment of an offer: `PaymentRequirements` of x402, with the product. */
export const paymentRequirements = z
  .object({
    scheme: z.literal("exact").describe("The scheme of x402: a transfer of exactly `amount`."),
    network: z.string().describe("The chain as a CAIP-2 id, e.g. `eip155:4663`."),
    amount: amountOut.describe("The price in base units of the asset."),
    asset: addressOut.describe("The token of the payment."),
    payTo: addressOut.describe("The operator's receiving address."),
    maxTimeoutSeconds: z.int().positive().describe("The seconds from now until the signature's `validBefore`."),
    extra: z
      .object({
        assetTransferMethod: z.literal("eip3009").describe("The signature authorizes `transferWithAuthorization`."),
        name: z.string().describe("The name of the token's EIP-712 domain."),
        version: z.string().describe("The version of the token's EIP-712 domain."),
        product: productName.describe("The product of the payment: `credits:NUMBER`, or `subscriber:DAYS`."),
      })
      .describe("The domain that the signature needs, and the product."),
  })
  .meta({ id: "PaymentRequirements", description: "One accepted payment (x402 v2, scheme `exact`)." });

export type PaymentRequirements = z.infer<typeof paymentRequirements>;

/** An offer, in `details.x402` of an error and in base64 in the header PAYMENT-REQUIRED: `PaymentRequired` of x402. */
export const paymentOffer = z
  .object({
    x402Version: z.literal(2).describe("The version of x402."),
    error: z.string().describe("Why a payment is required."),
    resource: z
      .object({
        url: z.string().describe("The URL that takes the payment."),
        description: z.string().describe("The purpose of the URL."),
        mimeType: z.string().describe("The media type of its answer."),
      })
      .describe("Where to send the payment."),
    accepts: z.array(paymentRequirements).describe("The accepted payments, the lowest price first."),
  })
  .meta({ id: "PaymentOffer", description: "An offer of x402 v2 (`PaymentRequired`)." });

export type PaymentOffer = z.infer<typeof paymentOffer>;

const signedTransfer = z.strictObject({
  from: evmAddress.describe("The payer's wallet."),
  to: evmAddress.describe("`payTo` of the offer."),
  value: positiveUint256.describe("`amount` of the offer, in base units of the asset."),
  validAfter: unixSeconds.describe("The Unix second after which the authorization is valid."),
  validBefore: unixSeconds.describe("The Unix second before which the authorization is valid."),
  nonce: bytes32.describe("32 random bytes, which identify the payment."),
});

/** A signed payment: `PaymentPayload` of x402. Fields that neither an offer nor the signature covers are ignored. */
export const signedPayment = z
  .strictObject({
    x402Version: z.literal(2).describe("The version of x402."),
    resource: z.record(text(), z.unknown()).optional().describe("The `resource` of the offer; ignored."),
    accepted: z
      .strictObject({
        scheme: z.literal("exact").describe("The scheme of the offer."),
        network: text().max(64).describe("The network of the offer."),
        amount: positiveUint256.describe("The price of the offer, in base units of the asset."),
        asset: evmAddress.describe("The asset of the offer."),
        payTo: evmAddress.describe("The receiving address of the offer."),
        maxTimeoutSeconds: z.number().optional().describe("The time of the offer in seconds; ignored."),
        extra: z.record(text(), z.unknown()).optional().describe("The `extra` of the offer; ignored."),
      })
      .describe("The accepted payment of the offer."),
    payload: z
      .strictObject({
        signature: signature.describe("The payer's signature of the authorization: r, s, v."),
        authorization: signedTransfer.describe("The signed transfer (EIP-3009)."),
      })
      .describe("The payment of the scheme `exact`."),
    extensions: z.record(text(), z.unknown()).nullish().describe("Extensions of x402; ignored."),
  })
  .meta({ id: "SignedPayment", description: "A signed payment of x402 v2 (`PaymentPayload`)." });

export type SignedPayment = z.infer<typeof signedPayment>;

export const paymentRequest = z
  .strictObject({
    product: productName.optional().describe("Restricts the offer of an unpaid request to one product."),
    payment: signedPayment
      .optional()
      .describe("The signed payment. Clients of x402 send it in the header PAYMENT-SIGNATURE instead."),
  })
  .meta({ id: "PaymentRequest", description: "A signed payment, or a request for an offer." });

export type PaymentRequest = z.infer<typeof paymentRequest>;

export const paymentHeaders = z.object({
  "payment-signature": text()
    .max(maxHeaderCharacters)
    .optional()
    .describe("The signed payment of x402 v2 (`PaymentPayload`) as JSON in base64."),
});

/** `pending`: not final yet. `held`: it arrived, but differs from what was signed or has no account: ask the operator. */
export const paymentStatus = z.enum(["pending", "booked", "failed", "held"]);
export type PaymentStatus = z.infer<typeof paymentStatus>;

/** Why a payment failed or is held. */
export const paymentReason = z.enum(["expired", "cancelled", "used_otherwise", "amount_differs", "account_deleted"]);
export type PaymentReason = z.infer<typeof paymentReason>;

export const payment = z
  .object({
    id: z.uuid().describe("The id of the payment."),
    status: paymentStatus.describe(
      "`pending` until its transaction is final; then `booked`, or `failed` (the money was not taken), or `held` (the " +
        "money arrived and was not booked: ask the operator).",
    ),
    reason: paymentReason
      .nullable()
      .describe(
        "Why it failed: `expired`, `cancelled` by the payer, or `used_otherwise` (the payer used the nonce for another " +
          "transfer). Why it is held: `amount_differs` or `account_deleted`. Otherwise null.",
      ),
    network: z.string().describe("The chain as a CAIP-2 id."),
    asset: addressOut.describe("The token of the payment."),
    payer: addressOut.describe("The wallet that pays."),
    payee: addressOut.describe("The operator's receiving address."),
    amount: amountOut.describe("The amount in base units of the asset."),
    nonce: bytes32.describe("The nonce of the authorization."),
    product: productName.describe("The product of the payment: `credits:NUMBER`, or `subscriber:DAYS`."),
    transaction: bytes32
      .nullable()
      .describe("The newest transaction of the relayer, or the one that executed the authorization."),
    block_number: amountOut
      .nullable()
      .describe("The block of the transaction once the payment is final; otherwise null."),
    created_at: dateTime.describe("When the payment was accepted, in UTC."),
    finished_at: dateTime.nullable().describe("The time in UTC when the payment ended; null while it is pending."),
  })
  .meta({ id: "Payment", description: "A payment of the account. Ask again until its status is not `pending`." });

export type Payment = z.infer<typeof payment>;

/** The state of a finished payment, in base64 in the header PAYMENT-RESPONSE: `SettlementResponse` of x402. */
export type PaymentSettlement = {
  success: boolean;
  errorReason?: string;
  payer: string;
  /** Empty without a transaction. */
  transaction: string;
  network: string;
  amount?: string;
};
