import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery } from "./integerQuery.ts";
import { creatorSignature } from "./launchCalls.ts";
import { launchTypedData } from "./launchSignature.ts";
import { addressOut, amountOut, bytes32, dateTime, evmAddress, positiveUint256 } from "./primitives.ts";
import { nameWarning } from "./tokenWarning.ts";
import { unsignedResult } from "./transaction.ts";

/** The latest deadline of an opening in Unix seconds: the contract stores it in 40 bits. */
const maxDeadline = 2 ** 40 - 1;

export const openingRequest = z
  .strictObject({
    intent_id: z.uuid().describe("The draft of the launch, without an initial buy: the opening makes it."),
    wallet: evmAddress.describe("The creator of the launch, who sends the transaction."),
    minimum: positiveUint256.describe("The wei of deposits from which the creator can launch the token."),
    cap: positiveUint256.describe(
      "The maximum wei that the launch spends; at least `minimum`. Deposits above it are refunded in proportion.",
    ),
    deadline: z
      .int()
      .positive()
      .max(maxDeadline)
      .describe("The last time to deposit and to launch, in Unix seconds of block time; at most 30 days from now."),
  })
  .meta({ id: "OpeningRequest", description: "The draft and the terms of an opening." });
export type OpeningRequest = z.infer<typeof openingRequest>;

export const openingDepositRequest = z
  .strictObject({
    wallet: evmAddress.describe("The wallet that deposits, and whose deposit it is."),
    amount: positiveUint256.describe("The wei to deposit."),
  })
  .meta({ id: "OpeningDepositRequest", description: "A deposit of native by a wallet." });
export type OpeningDepositRequest = z.infer<typeof openingDepositRequest>;

export const openingClaimRequest = z
  .strictObject({
    wallet: evmAddress.describe("The wallet that sends the transaction; any wallet can pay a depositor its claim."),
    account: evmAddress.optional().describe("The depositor whose claim is paid; by default the wallet."),
    to: evmAddress
      .optional()
      .describe(
        "Another receiver of the wallet's own claim, for a wallet that cannot receive native. Not with `account`.",
      ),
  })
  .meta({ id: "OpeningClaimRequest", description: "The claim of a depositor, and the wallet that sends it." });
export type OpeningClaimRequest = z.infer<typeof openingClaimRequest>;

export const openingAuthorizationRequest = z
  .strictObject({
    value: positiveUint256
      .optional()
      .describe("The wei that the launch spends: from `minimum` to the smaller of `cap` and `total`, the default."),
    salt: bytes32
      .optional()
      .describe(
        "32 bytes that choose the token's address; by default random. Keep a salt of your own secret until the launch: who " +
          "knows it can create the token's pool at another price, which blocks the launch with this salt.",
      ),
    intent_id: z
      .uuid()
      .optional()
      .describe(
        "The draft of the opening: the token then shows the names of its recipients, as any launch of a draft.",
      ),
  })
  .meta({ id: "OpeningAuthorizationRequest", description: "The launch that the creator signs." });
export type OpeningAuthorizationRequest = z.infer<typeof openingAuthorizationRequest>;

export const openingLaunchRequest = z
  .strictObject({
    wallet: evmAddress.describe("The wallet that sends the transaction; any wallet can."),
    value: positiveUint256.describe("The `value` of the signed `typed_data`."),
    salt: bytes32.describe("The `salt` of the signed `typed_data`."),
    signature: creatorSignature.describe("The creator's signature of `typed_data`."),
    epoch: z
      .int()
      .min(0)
      .optional()
      .describe("The `epoch` of the signed `typed_data`. With it, a cancelled signature is `authorization_cancelled`."),
  })
  .meta({ id: "OpeningLaunchRequest", description: "The creator's signature, and the wallet that sends the launch." });
export type OpeningLaunchRequest = z.infer<typeof openingLaunchRequest>;

export const openingClosingRequest = z
  .strictObject({ wallet: evmAddress.describe("The wallet that sends the transaction; any wallet can.") })
  .meta({ id: "OpeningClosingRequest", description: "The wallet that closes an opening." });
export type OpeningClosingRequest = z.infer<typeof openingClosingRequest>;

/** An UnsignedResult without a transaction: the creator signs `typed_data`. */
export const openingAuthorization = unsignedResult
  .extend({
    status: z.literal("signature_required"),
    transaction: z.null(),
    value: amountOut.describe("The wei that the launch spends."),
    salt: bytes32.describe("The salt of the launch. Keep it and the signature secret until you send the launch."),
    typed_data: launchTypedData,
  })
  .meta({
    id: "OpeningAuthorization",
    description: "The typed data that the creator signs, with the simulated launch. There is no transaction yet.",
  });
export type OpeningAuthorization = z.infer<typeof openingAuthorization>;

const openingStatuses = ["open", "ready", "opened", "refunding", "done"] as const;

export const openingStatus = z.enum(openingStatuses).meta({
  id: "OpeningStatus",
  description:
    "`open`: deposits are accepted, and are below `minimum`. `ready`: the creator can launch the token; deposits are " +
    "still accepted. `opened`: the token is launched, and depositors claim tokens and the rest. `refunding`: the " +
    "deadline has passed, or the opening was closed because the token was launched without it, and depositors claim their " +
    "deposits and tokens that had arrived. `done`: every depositor has claimed all its parts, or there was none.",
});
export type OpeningStatus = z.infer<typeof openingStatus>;

/** The single buy at the start price. Amounts in base units. */
const openingBuy = {
  spent: amountOut.describe("The wei that the launch spends."),
  bought: amountOut.describe("The tokens that it buys, in base units: everybody gets them at the same price."),
  price_eth: z.number().describe("`spent` divided by `bought`: the wrapped native of one token."),
  share_of_supply: z.number().describe("`bought` as a fraction of the supply, from 0 to 1."),
};

const openingAccount = z
  .object({
    address: addressOut.describe("The address of the account."),
    deposit: amountOut.describe("The wei that the account has deposited."),
    share: z.number().describe("`deposit` as a fraction of all deposits, from 0 to 1."),
    if_opened_now: z
      .object({
        tokens: amountOut.describe("The tokens of the account, in base units."),
        refund: amountOut.describe("The wei of its deposit that are not spent."),
      })
      .nullable()
      .describe("What the account gets if the token is launched now; null if it cannot be launched any more."),
    claimable_tokens: amountOut.describe("The tokens that a claim pays now, in base units."),
    claimable_refund: amountOut.describe("The wei that a claim pays now."),
    claimed_tokens: amountOut.describe("The tokens that the account has claimed, in base units."),
    claimed_refund: amountOut.describe("The wei that the account has claimed."),
  })
  .meta({ id: "OpeningAccount", description: "The deposit of an account, and what it can claim." });
export type OpeningAccount = z.infer<typeof openingAccount>;

const openingFields = {
  address: addressOut.describe("The opening, a contract without an owner."),
  creator: addressOut.describe("The creator of the launch, whose signature launches the token."),
  token: addressOut
    .nullable()
    .describe("The launched token. Null until the opening launches it, or is closed: nobody knows its address before."),
  blocked: z
    .boolean()
    .describe(
      "Whether the operator has blocked the opening: it is listed only for its depositors, and its texts are hidden. " +
        "Deposits, the launch, closing and claims are not affected.",
    ),
  name: z.string().describe("The name of the token, cleaned for display; empty if the opening is blocked."),
  symbol: z.string().describe("The symbol of the token, cleaned for display; empty if the opening is blocked."),
  description: z
    .string()
    .nullable()
    .describe("The description in the token's document; null without one, and if the opening is blocked."),
  image_url: z
    .string()
    .nullable()
    .describe("The URL of the token's picture; null without one, and if the opening is blocked."),
  website: z
    .string()
    .nullable()
    .describe("The website in the token's document; null without one, and if the opening is blocked."),
  name_warning: nameWarning,
  fee_bps: z.int().describe("The fee of the pool in basis points."),
  splitter: addressOut.describe("The splitter that receives the collaborators' fees of the token."),
  partner: addressOut.nullable().describe("The partner of the launch; null without one."),
  minimum: amountOut.describe("The wei of deposits from which the creator can launch the token."),
  cap: amountOut.describe("The maximum wei that the launch spends."),
  deadline: z.int().describe("The last time to deposit and to launch, in Unix seconds of block time."),
  seconds_left: z.int().describe("The seconds from the last indexed block to the deadline; 0 after it, or if closed."),
  status: openingStatus.describe("The status at the last indexed block."),
  total: amountOut.describe("The sum of the deposits in wei."),
  depositors: z.int().describe("The number of accounts with a deposit."),
  if_opened_now: z
    .object(openingBuy)
    .nullable()
    .describe(
      "The launch if it happened now with the smaller of `cap` and `total`, computed with the arithmetic of the pool; also " +
        "below `minimum`. The order of the pool's tokens depends on the salt of the launch: then the last digits of `bought` " +
        "can be higher. Null without a deposit, and if the opening cannot launch any more.",
    ),
  opened: z
    .object({
      ...openingBuy,
      block_number: z.int().describe("The block of the launch."),
      block_timestamp: dateTime.describe("The time of that block, in UTC."),
      tx_hash: z.string().describe("The transaction of the launch."),
    })
    .nullable()
    .describe("The launch by the opening; null if there was none."),
  claimed_tokens: amountOut.describe("The tokens that depositors have claimed, in base units."),
  claimed_refund: amountOut.describe("The wei that depositors have claimed."),
  created_at: dateTime.describe("When the opening was created, in UTC."),
  block_number: z.int().describe("The block of the creation."),
  tx_hash: z.string().describe("The transaction of the creation."),
};

/** An opening with its indexed state. Amounts of native in wei. */
export const opening = z
  .object(openingFields)
  .meta({ id: "Opening", description: "An opening: its terms, its deposits, and the price for everybody." });
export type Opening = z.infer<typeof opening>;

export const openingDetail = z
  .object({
    ...openingFields,
    params: z
      .object({
        name: z.string().describe("The name of the token."),
        symbol: z.string().describe("The symbol of the token."),
        contract_uri: z.string().describe("The document of the token, as a data URI."),
        splitter: addressOut.describe("The splitter that receives the collaborators' fees."),
        partner: addressOut.describe("The zero address without a partner."),
        fee_bps: z.int().describe("The fee of the pool in basis points."),
      })
      .nullable()
      .describe(
        "The parameters of the launch, exactly as on the chain, so that a client can compute the opening's address from them " +
          "and the other terms. The texts are untrusted. Null if the opening is blocked.",
      ),
    params_hash: bytes32.describe(
      "The hash of the parameters of the launch (`LaunchTerms.hashOf`), from which the address follows as well.",
    ),
    other_launch: addressOut
      .nullable()
      .describe(
        "A token of the creator with exactly these parameters that was launched without the opening: anyone can close the " +
          "opening, so that deposits are refunded before the deadline. Null if there is none, or the opening has ended.",
      ),
    account: openingAccount.nullable().describe("The part of the account in the query; null without `account`."),
    as_of: asOf,
  })
  .meta({ id: "OpeningDetail", description: "An opening, with the part of one account if the query names it." });
export type OpeningDetail = z.infer<typeof openingDetail>;

const nextCursor = z.string().nullable().describe("Pass it as `cursor` to get the next page; null on the last page.");

export const openingList = z.object({ items: z.array(opening), next_cursor: nextCursor, as_of: asOf }).meta({
  id: "OpeningList",
  description:
    "Openings, newest first. A page examines a bounded number of openings: with `status` it can be shorter than " +
    "`limit`, or empty, and still have a `next_cursor`.",
});
export type OpeningList = z.infer<typeof openingList>;

export const openingDeposits = z
  .object({
    items: z.array(
      z.object({
        id: z.string().describe("The transaction's hash and the index of the log."),
        tx_hash: z.string().describe("The transaction of the deposit."),
        log_index: z.int().describe("The position of the event among all events of its block."),
        block_number: z.int().describe("The block of the deposit."),
        block_timestamp: dateTime.describe("The time of that block, in UTC."),
        account: addressOut.describe("The account whose deposit it is."),
        amount: amountOut.describe("The wei of this deposit."),
        total: amountOut.describe("The deposits of all accounts after this one."),
      }),
    ),
    next_cursor: nextCursor,
    as_of: asOf,
  })
  .meta({ id: "OpeningDeposits", description: "Deposits of an opening, newest first." });
export type OpeningDeposits = z.infer<typeof openingDeposits>;

/** `next_cursor` of a list of events: block and log. */
const eventCursor = z
  .string()
  .regex(/^[0-9]{1,15}~[0-9]{1,9}$/, "must be next_cursor of an answer")
  .optional()
  .describe("`next_cursor` of the previous page.");

export const openingsQuery = z.object({
  limit: integerQuery(1, 100, 20).describe("The maximum number of openings."),
  cursor: eventCursor,
  creator: evmAddress.optional().describe("Only openings of this creator."),
  depositor: evmAddress
    .optional()
    .describe("Only openings with a deposit of this account, also blocked ones; other lists leave these out."),
  token: evmAddress.optional().describe("Only openings that launched this token, or were closed because of it."),
  status: z.enum(openingStatuses).optional().describe("Only openings with this status."),
});

export const openingQuery = z.object({
  account: evmAddress.optional().describe("Adds the deposit of this account, and what it can claim."),
});

export const openingDepositsQuery = z.object({
  limit: integerQuery(1, 300, 50).describe("The maximum number of deposits."),
  cursor: eventCursor,
  account: evmAddress.optional().describe("Only deposits of this account."),
});
