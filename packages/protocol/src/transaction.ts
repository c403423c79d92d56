import { z } from "zod";
import { addressOut, amountOut, bytes32, evmAddress, positiveUint256 } from "./primitives.ts";

const hexQuantity = z.string().regex(/^0x[0-9a-fA-F]+$/);

/** A transaction for the caller to sign; all quantities are hex. Without `to`, it creates a contract. */
export const unsignedTransaction = z
  .object({
    chainId: hexQuantity,
    from: addressOut,
    to: addressOut.optional(),
    data: z.string().regex(/^0x[0-9a-fA-F]+$/),
    value: hexQuantity,
    gas: hexQuantity,
  })
  .meta({
    id: "Transaction",
    description: "A transaction for the wallet to sign; all quantities are hex. Without `to` it creates a contract.",
  });

export type UnsignedTransaction = z.infer<typeof unsignedTransaction>;

/**
 * The method that creates the splitter: a transaction of the wallet (`creation`), or the splitter factory, whose
 * address for the splitter does not depend on the caller. The default for a wallet with code is the factory.
 */
export const splitRequest = z
  .strictObject({
    intent_id: z.uuid(),
    wallet: evmAddress,
    method: z
      .enum(["creation", "factory"])
      .optional()
      .describe(
        "`creation` deploys by a transaction of the wallet, `factory` by the splitter factory. The default for " +
          "a wallet with code is the factory.",
      ),
  })
  .meta({ id: "SplitRequest", description: "The draft whose splitter is deployed, and the wallet that deploys it." });

export type SplitRequest = z.infer<typeof splitRequest>;

export const launchRequest = z
  .strictObject({ intent_id: z.uuid(), wallet: evmAddress, splitter: evmAddress, salt: bytes32 })
  .meta({
    id: "LaunchRequest",
    description:
      "The draft to launch, the wallet that launches it, its deployed splitter, and 32 bytes that choose the token's address.",
  });

export const tradeRequest = z
  .strictObject({
    token: evmAddress,
    wallet: evmAddress,
    side: z.enum(["buy", "sell"]),
    amount_in: positiveUint256,
    slippage_bps: z.int().min(1).max(500),
  })
  .meta({
    id: "TradeRequest",
    description:
      "A trade of a token against the wrapped native asset. `amount_in` is what the wallet pays, in base units.",
  });

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
  .meta({
    id: "ClaimRequest",
    description:
      "One stage of a fee payout. `asset` restricts settle and release to one of the two; `recipient` is for release.",
  });

export type ClaimRequest = z.infer<typeof claimRequest>;

/** A quote of the pool at a block; `expires_at` in Unix seconds, 60 s after it was issued, by the service's clock. */
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
  .meta({
    id: "Quote",
    description: "A quote of the pool at a block. `expires_at` is in Unix seconds, 60 s after it was issued.",
  });

export type Quote = z.infer<typeof quote>;

export const action = z.enum([
  "deploy_splitter",
  "deploy_vesting",
  "launch",
  "approve",
  "swap",
  "collect",
  "settle",
  "release",
  "claim",
  "set_payout",
  "cancel_launches",
  "release_vesting",
  "create_opening",
  "deposit_opening",
  "claim_opening",
  "launch_opening",
  "close_opening",
]);
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
  "options_changed",
  "partner_not_registered",
  "initial_buy_recipient",
  "pool_protocol_fee_active",
  "unverified_handle",
  "recipient_is_contract",
  "confusable_name",
  "similar_image",
  "other_chain",
  "ipfs_cid_invalid",
  "host_without_dot",
  "thin_liquidity",
  "high_price_impact",
  "quote_unconfirmed",
  "asset_changes_unknown",
  "payment_owed",
  "claim_failed",
  "calls_only",
  "unwrap_refused",
  "payout_changed",
]);
export const warning = z.object({ code: warningCode, message: z.string() });
export type Warning = z.infer<typeof warning>;

/** A missing balance or allowance; null if nothing is missing. */
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
    next: z.string().nullable().describe("The next step after the receipt; null after the last step."),
    simulation: z.object({
      ok: z.boolean(),
      block_number: amountOut,
      gas_used: amountOut,
      method: z.enum(["eth_simulateV1", "eth_call"]),
      asset_changes: z.array(assetChange),
    }),
    manifest: z.object({ sha256: z.string(), chain_id: z.int() }),
    block_number: amountOut,
    expires_at: z
      .int()
      .describe(
        "The expiry in Unix seconds, 60 s after the request, by the service's clock; request a new transaction afterwards.",
      ),
    warnings: z.array(warning),
    request_id: z.string(),
    expected: z
      .object({
        token: addressOut,
        pool: addressOut,
        splitter: addressOut,
        vesting: addressOut,
        opening: addressOut,
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
  .meta({
    id: "UnsignedResult",
    description: "A simulated transaction to sign. `transaction` is null if and only if `status` is `nothing_to_do`.",
  });

export type UnsignedResult = z.infer<typeof unsignedResult>;

/** A call of a batch for `wallet_sendCalls` (EIP-5792); `value` is a hex quantity. */
const walletCall = z.object({ to: addressOut, data: z.string().regex(/^0x[0-9a-fA-F]*$/), value: hexQuantity });
export type WalletCall = z.infer<typeof walletCall>;

/**
 * The fields of the endpoints that prepare a batch. `calls` are sent in this order, as one batch if the wallet supports
 * it; `transaction` is null if one transaction cannot do the same.
 */
export const unsignedCallsFields = { calls: z.array(walletCall) };

export const feePositionsQuery = z.object({
  token: evmAddress.describe("The address of a launched token."),
  wallet: evmAddress.describe("The wallet whose earnings are shown."),
});

/** The earnings of a wallet from a token, per asset, in base units. Uncollected LP fees are not estimated. */
export const feePositions = z
  .object({
    token: addressOut,
    wallet: addressOut,
    splitter: addressOut,
    locker: addressOut,
    share_bps: z.int(),
    is_recipient: z.boolean(),
    /** The receiver of the wallet's releases; null: the wallet itself. */
    payout: addressOut.nullable(),
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
        payout: addressOut.nullable(),
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
  .meta({
    id: "FeePositions",
    description:
      "The earnings of a wallet from a token, per asset, in base units. Uncollected LP fees are not estimated.",
  });

export type FeePositions = z.infer<typeof feePositions>;
