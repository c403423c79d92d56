import type { Hex } from "viem";
import { z } from "zod";
import { addressOut, amountOut, bytes32, evmAddress } from "./primitives.ts";
import { topUpTypes } from "./signedTypes.ts";
import { text } from "./text.ts";
import { signature, type TypedData, typedData } from "./typedData.ts";

/** Validity of a gas quote in seconds of block time. Source: the spec's limits. */
export const gasQuoteValiditySeconds = 180n;

export const gasQuoteRequest = z
  .strictObject({
    wallet: evmAddress,
    token: text()
      .min(1)
      .max(64)
      .describe("The address of an accepted token, or its symbol from `gas_station.tokens` of GET /config."),
    gas_limit: z
      .int()
      .min(21_000)
      .max(30_000_000)
      .describe("The gas limit of the transaction that the wallet cannot pay."),
  })
  .meta({
    id: "GasQuoteRequest",
    description:
      "The wallet that lacks native token, the stablecoin that it pays with, and the gas limit of its " +
      "transaction.",
  });

export type GasQuoteRequest = z.infer<typeof gasQuoteRequest>;

/** The price of the native asset that a wallet needs. Amounts in base units; `deadline` in Unix seconds. */
export const gasQuote = z
  .object({
    quote_id: bytes32,
    needs_top_up: z.boolean(),
    needs_permit: z.boolean(),
    token: addressOut,
    token_amount: amountOut.describe("The wallet's payment in the token's base units; 0 when it needs no top-up."),
    eth_amount: amountOut.describe(
      "The payout to the wallet in wei: `eth_needed` less `eth_balance`; 0 when it needs no top-up.",
    ),
    eth_needed: amountOut.describe("`gas_limit` times `gas_price`, in wei."),
    eth_balance: amountOut,
    gas_price: amountOut.describe(
      "The wei per gas that the wallet must be able to pay: twice the base fee plus the tip.",
    ),
    eth_usd: z
      .string()
      .regex(/^[0-9]+(\.[0-9]+)?$/)
      .describe("The pool's price of one ETH in USD."),
    deadline: z.int(),
    station: addressOut,
    typed_data: typedData
      .nullable()
      .describe(
        "The message of the top-up that the wallet signs; null when it needs no top-up: it has nothing to sign.",
      ),
    permit_typed_data: typedData
      .nullable()
      .describe("The permit that the wallet also signs; null when `needs_permit` is false."),
    next: z.string().nullable().describe("The next step; null when the wallet needs no top-up."),
  })
  .meta({
    id: "GasQuote",
    description:
      "The price of the native asset that a wallet lacks. Amounts are in base units, `deadline` in Unix seconds.",
  });

export type GasQuote = z.infer<typeof gasQuote>;

export const gasTopUpRequest = z
  .strictObject({
    quote_id: bytes32,
    wallet: evmAddress,
    signature: signature.describe(
      "The signature of `typed_data`: r, s, v, with s in the lower half and v 27 or 28 (or 0 or 1).",
    ),
    permit_signature: signature.optional().describe("The signature of `permit_typed_data`, if `needs_permit` is true."),
  })
  .meta({ id: "GasTopUpRequest", description: "A quote with the wallet's signatures of its typed data." });

export type GasTopUpRequest = z.infer<typeof gasTopUpRequest>;

const topUpState = z.enum(["pending", "confirmed", "failed", "replaced"]);
export type TopUpState = z.infer<typeof topUpState>;

export const gasTopUp = z
  .object({ status: topUpState, hash: bytes32, next: z.string() })
  .meta({ id: "GasTopUp", description: "A top-up that was sent." });

export type GasTopUp = z.infer<typeof gasTopUp>;

/**
 * The status of a top-up. `hash` is the current transaction, which differs from the requested one after a replacement.
 */
export const gasTopUpStatus = z.object({ status: topUpState, hash: bytes32, block_number: amountOut.nullable() }).meta({
  id: "GasTopUpStatus",
  description:
    "The state of a top-up. `hash` is of the current transaction, which differs from the requested one after a replacement.",
});

export type GasTopUpStatus = z.infer<typeof gasTopUpStatus>;

/** The fields of a quote in the station's contract. Amounts in base units, deadline in Unix seconds. */
export type TopUpTerms = {
  quoteId: Hex;
  wallet: Hex;
  token: Hex;
  tokenAmount: bigint;
  nativeAmount: bigint;
  deadline: bigint;
};

/** Creates the EIP-712 typed data of a top-up. Source: IGasStation.TopUp and its documentation of the domain. */
export function topUpTypedData(terms: TopUpTerms, station: Hex, chainId: number): TypedData {
  return {
    domain: { name: "Slipway Gas Station", version: "1", chainId, verifyingContract: station },
    types: topUpTypes,
    primaryType: "TopUp",
    message: {
      quoteId: terms.quoteId,
      wallet: terms.wallet,
      token: terms.token,
      tokenAmount: terms.tokenAmount.toString(),
      nativeAmount: terms.nativeAmount.toString(),
      deadline: terms.deadline.toString(),
    },
  };
}

/** Divides and rounds up; `divisor` above zero. */
const ceilDivide = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;

/** Adds a markup in basis points to an amount, rounded up. */
export function withMarkup(amount: bigint, markupBps: number): bigint {
  return ceilDivide(amount * BigInt(10_000 + markupBps), 10_000n);
}

/** Converts base units between two assets whose whole units have the same value, rounded up. */
export function atPar(amount: bigint, fromDecimals: number, toDecimals: number): bigint {
  const shift = toDecimals - fromDecimals;
  return shift >= 0 ? amount * 10n ** BigInt(shift) : ceilDivide(amount, 10n ** BigInt(-shift));
}

/**
 * Computes the value of an amount of the native asset at a pool's square-root price, in the stablecoin's base units,
 * rounded up (whitepaper, 6.1).
 */
export function valueAtSqrtPrice(amountInWei: bigint, sqrtPriceX96: bigint, nativeIsToken0: boolean): bigint {
  const square = sqrtPriceX96 * sqrtPriceX96;
  return nativeIsToken0
    ? ceilDivide(amountInWei * square, 1n << 192n)
    : ceilDivide(amountInWei * (1n << 192n), square === 0n ? 1n : square);
}

/** Computes the difference of two amounts in basis points of `from`, which is above zero, rounded up. */
export function deviationBps(amount: bigint, from: bigint): number {
  const difference = amount > from ? amount - from : from - amount;
  return Number(ceilDivide(difference * 10_000n, from));
}
