import { z } from "zod";
import { addressOut, amountOut, bytes32, evmAddress, positiveUint256 } from "./primitives.ts";

const hexQuantity = z.string().regex(/^0x[0-9a-fA-F]+$/);

/** A transaction for the caller to sign; all quantities are hex. Without `to` for a contract creation. */
export const unsignedTransaction = z
  .object({
    chainId: hexQuantity,
    from: addressOut,
    to: addressOut.optional(),
    data: z.string().regex(/^0x[0-9a-fA-F]+$/),
    value: hexQuantity,
    gas: hexQuantity,
  })
  .meta({ id: "Transaction" });

export type UnsignedTransaction = z.infer<typeof unsignedTransaction>;

export const splitRequest = z.strictObject({ intent_id: z.uuid(), wallet: evmAddress }).meta({ id: "SplitRequest" });

export const launchRequest = z
  .strictObject({ intent_id: z.uuid(), wallet: evmAddress, splitter: evmAddress, salt: bytes32 })
  .meta({ id: "LaunchRequest" });

export const tradeRequest = z
  .strictObject({
    token: evmAddress,
    wallet: evmAddress,
    side: z.enum(["buy", "sell"]),
    amount_in: positiveUint256,
    slippage_bps: z.int().min(1).max(500),
  })
  .meta({ id: "TradeRequest" });

export type TradeRequest = z.infer<typeof tradeRequest>;

/** One stage of a fee payout. `asset` restricts settle and release to one of the two; `recipient` is for release. */
export const claimRequest = z
  .strictObject({
    token: evmAddress,
    wallet: evmAddress,
    stage: z.enum(["collect", "settle", "release"]),
    asset: evmAddress.optional(),
    recipient: evmAddress.optional(),
  })
  .meta({ id: "ClaimRequest" });

export type ClaimRequest = z.infer<typeof claimRequest>;

/** A quote of the pool at a block; `expires_at` in Unix seconds, 60 s after the block. */
export const quote = z
  .object({
    token_in: addressOut,
    token_out: addressOut,
    amount_in: amountOut,
    amount_out: amountOut,
    minimum_out: amountOut,
    block_number: amountOut,
    settlement: z.literal("wrapped_native"),
    expires_at: z.int(),
    slippage_bps: z.int(),
    price_impact_bps: z.int().nullable(),
  })
  .meta({ id: "Quote" });

export type Quote = z.infer<typeof quote>;

export const action = z.enum(["deploy_splitter", "launch", "approve", "swap", "collect", "settle", "release"]);
export type Action = z.infer<typeof action>;

/** A transfer in the simulation; `asset` is the zero address for native. */
const assetChange = z.object({
  asset: z.string(),
  from: z.string(),
  to: z.string(),
  amount: amountOut,
});
export type AssetChange = z.infer<typeof assetChange>;

const warningCode = z.enum([
  "already_launched",
  "pool_protocol_fee_active",
  "unverified_handle",
  "recipient_is_contract",
  "confusable_name",
  "ipfs_cid_invalid",
  "host_without_dot",
  "thin_liquidity",
  "high_price_impact",
]);
export const warning = z.object({ code: warningCode, message: z.string() });
export type Warning = z.infer<typeof warning>;

/** A missing balance or allowance; null where there is none. */
const shortage = z.object({
  asset: z.string(),
  needed: amountOut,
  available: amountOut,
  spender: z.string().optional(),
});

/** The response of every endpoint that prepares a transaction. */
export const unsignedResult = z
  .object({
    action,
    status: z.enum(["ready", "nothing_to_do"]),
    transaction: unsignedTransaction.nullable(),
    step: z.object({ index: z.int(), total: z.int(), description: z.string() }),
    next: z.string().nullable(),
    simulation: z.object({
      ok: z.boolean(),
      block_number: amountOut,
      gas_used: amountOut,
      method: z.enum(["eth_simulateV1", "eth_call"]),
      asset_changes: z.array(assetChange),
    }),
    manifest: z.object({ sha256: z.string(), chain_id: z.int() }),
    block_number: amountOut,
    expires_at: z.int(),
    warnings: z.array(warning),
    request_id: z.string(),
    expected: z
      .object({
        token: addressOut,
        pool: addressOut,
        splitter: addressOut,
        account_nonce: z.int(),
        amount_out: amountOut,
        minimum_out: amountOut,
        amounts: z.array(z.object({ asset: addressOut, to: addressOut, amount: amountOut })),
      })
      .partial()
      .optional(),
    quote: quote.optional(),
    issues: z
      .object({
        allowance: shortage.nullable(),
        balance: shortage.nullable(),
        native_balance: shortage.nullable(),
      })
      .optional(),
    fees: z
      .object({
        gas_limit: amountOut,
        gas_price: amountOut,
        l1_gas: amountOut.nullable(),
        total_wei: amountOut,
        total_usd: z.number().nullable(),
      })
      .optional(),
  })
  .meta({ id: "UnsignedResult" });

export type UnsignedResult = z.infer<typeof unsignedResult>;

export const feePositionsQuery = z.object({ token: evmAddress, wallet: evmAddress });

/** The earnings of a wallet from a token, per asset, in base units. Uncollected LP fees are not estimated. */
export const feePositions = z
  .object({
    token: addressOut,
    wallet: addressOut,
    splitter: addressOut,
    locker: addressOut,
    share_bps: z.int(),
    is_recipient: z.boolean(),
    balances: z.array(
      z.object({
        asset: addressOut,
        symbol: z.string(),
        decimals: z.int(),
        credited: amountOut,
        claimable: amountOut,
        claimed: amountOut,
        lifetime: amountOut,
      }),
    ),
    recipients: z.array(
      z.object({
        wallet: addressOut,
        provider: z.enum(["wallet", "code_host", "social"]),
        handle: z.string().nullable(),
        verified: z.boolean(),
        share_bps: z.int(),
        claimable: z.array(z.object({ asset: addressOut, amount: amountOut })),
        claimed: z.array(z.object({ asset: addressOut, amount: amountOut })),
      }),
    ),
    as_of_block: amountOut,
  })
  .meta({ id: "FeePositions" });

export type FeePositions = z.infer<typeof feePositions>;
