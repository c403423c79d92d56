import { type ErrorCode, errorTable } from "@slipway/protocol/errors";
import { paymentOffer } from "@slipway/protocol/payments";
import { z } from "zod";

const text = (description: string) => z.string().describe(description);
const amount = (description: string) => text(`${description}, in base units as decimal text.`);
const count = (description: string) => z.int().describe(description);
const wallet = { wallet: text("The refused address.") };
const checksummed = { ...wallet, checksummed: text("The address with its correct checksum.") };
const reason = { reason: text("Why the text or URI is refused, as a word.") };

/** The details of an error of a contract, by a simulation. */
const revert = {
  error: text("The name of the contract's error; `Error` for a reason string, `Panic`, or `unknown`."),
  args: z.record(z.string(), z.string()).describe("The arguments of the contract's error, by name."),
  block_number: text("The block of the simulation, in decimal."),
};

const shortage = {
  asset: text("The address of the token; the zero address is native."),
  needed: amount("The needed balance"),
  available: amount("The current balance"),
};

/** A fault of a body. */
const fault = z.object({
  field: text("The invalid field, such as `recipients[0].share_bps`."),
  code: text("The kind of the fault, such as `required`, `wrong_type` or `too_large`."),
  message: text("The fault as a sentence for people."),
});

const allowed = { allowed: z.array(z.unknown()).describe("The accepted values.") };

/** The offer of an error that a payment solves: see `http/offerPayment.ts`. */
const offer = {
  x402: paymentOffer.describe("Where the operator takes payments, the offer, as in the header `PAYMENT-REQUIRED`."),
};

const tradeAmounts = z.object({
  amount_in: amount("The paid amount"),
  amount_out: amount("The received amount; null if unknown").nullable(),
});

/** The members of `details`, by code. An error has those that apply to its case. */
const details: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  invalid_query: allowed,
  invalid_request: allowed,
  invalid_address: allowed,
  invalid_fields: {
    ...allowed,
    ...reason,
    fields: z.array(fault).max(50).describe("The faults of the body, at most 50."),
    code_point: text("The refused code point of the text, such as `U+200B`."),
    creator: text("The creator that the draft names."),
  },
  insufficient_credits: offer,
  payment_required: offer,
  plan_required: offer,
  scope_required: { scope: text("The missing scope.") },
  rate_limited: {
    policy: text("The exceeded limit, as in `RateLimit-Policy`."),
    retry_after_seconds: count("The number of seconds to wait, as in `Retry-After`."),
  },
  market_unavailable: {
    reason: text("Why the market is unavailable: `source_down`, `no_data`, `gap` or `too_short`."),
  },
  shares_not_10000: { sum: count("The sum of the shares, in basis points.") },
  fee_tier_not_launchable: { fee_bps: count("The fee of the draft, in basis points.") },
  address_checksum: checksummed,
  recipient_cannot_receive: wallet,
  too_many_images: {
    images: count("The number of stored images."),
    max_images: count("The maximum number of images; null without a limit.").nullable(),
    bytes: count("The size of the stored images in bytes."),
    max_bytes: count("The maximum size in bytes; null without a limit.").nullable(),
    needed_bytes: count("The size of the refused image in bytes."),
  },
  splitter_mismatch: { ...revert, splitter: text("The address of the splitter.") },
  vesting_not_deployed: { vesting: text("The address that the vesting will have.") },
  opening_not_ready: {
    total: amount("The deposits"),
    minimum: amount("The minimum of the opening"),
    cap: amount("The cap of the opening"),
    maximum: amount("The largest value that the launch can spend"),
  },
  opening_value_out_of_range: {
    ...revert,
    total: amount("The deposits"),
    minimum: amount("The minimum of the opening"),
    cap: amount("The cap of the opening"),
  },
  opening_expired: {
    ...revert,
    deadline: text("The deadline in Unix seconds."),
    time: text("The time of the next block in Unix seconds."),
  },
  opening_closed: revert,
  opening_not_launched: revert,
  splitter_not_deployed: { splitter: text("The address of the splitter.") },
  token_not_indexed: { token: text("The address of the token.") },
  not_recipient: { ...revert, token: text("The address of the first token that does not pay the wallet.") },
  pool_not_supported: { ...revert, token: text("The address of the token.") },
  pool_taken: revert,
  salt_taken: revert,
  simulation_reverted: {
    ...revert,
    reason: text("`insufficient_liquidity` or `too_much_requested`."),
    amount_in: amount("The amount that the trade costs"),
    maximum_in: amount("The largest amount to pay"),
    spent: amount("The amount that the simulation spent"),
    received: amount("The amount that the simulation received"),
    bought: amount("The amount that the simulation bought"),
    kept_by_router: z.array(z.string()).describe("The assets that the router would keep."),
    kept_by_factory: z.array(z.string()).describe("The assets that the factory would keep."),
    call: count("The number of the call that fails, from 0."),
    stage: text("The stage of the claim that fails."),
    token: text("The token whose stage fails."),
    splitter: text("The splitter whose stage fails."),
  },
  insufficient_balance: { ...revert, ...shortage },
  amount_too_small: { ...revert, amount_out: amount("The amount that the trade would yield") },
  quote_expired: {
    ...revert,
    deadline: text("The signed deadline in Unix seconds, as decimal text."),
    time: text("The time that the deadline must cover, in Unix seconds, as decimal text."),
  },
  quote_consumed: { ...revert, hash: text("The hash of the transaction that used the quote.") },
  signature_invalid: {
    ...revert,
    epoch: text("The signed epoch, in decimal."),
    current_epoch: text("The current epoch of the creator, in decimal."),
  },
  authorization_cancelled: {
    epoch: text("The signed epoch, in decimal."),
    current_epoch: text("The current epoch of the creator, in decimal."),
  },
  chain_unavailable: {
    quoted: tradeAmounts.describe("The amounts of the quote."),
    simulated: tradeAmounts.describe("The amounts of the simulation."),
  },
  gas_station_unavailable: revert,
};

function createSchema(code: ErrorCode): z.ZodType {
  const { help, retryable } = errorTable[code];
  const words = code.replace(/_error$/, "").split("_");
  const id = `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")}Error`;
  const shape = details[code];
  const error = z.object({
    code: z.literal(code).describe("The code of the error, for programs."),
    message: text("The cause and the next step, as a sentence for people."),
    request_id: text("The id of the request, which the header `X-Request-Id` also has."),
    retryable: z.literal(retryable).describe("Whether the same request can succeed later."),
    field: z.string().optional().describe("The invalid field, such as `recipients[0].share_bps`."),
    ...(shape && {
      details: z.object(shape).partial().optional().describe("Data of the error: the members that apply to its case."),
    }),
  });
  return z.object({ error: error.describe("The error.") }).meta({ id, description: help });
}

/** The schema of the body of an error, by its code: the body `Error` with one code and its details. */
export const errorSchemas = Object.fromEntries(
  Object.keys(errorTable).map((code) => [code, createSchema(code as ErrorCode)]),
) as Record<ErrorCode, z.ZodType>;
