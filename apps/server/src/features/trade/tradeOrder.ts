import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { TradeCallsRequest } from "@slipway/protocol/tradeCalls";
import type { TradeRequest } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { findUnfitReceiver } from "../../transactions/unfitReceiver.ts";

/** An exact input with a slippage for the output, or an exact output with a maximum input. In base units. */
type OrderedAmounts =
  | { exact: "input"; amountIn: bigint; slippageBps: number }
  | { exact: "output"; amountOut: bigint; maximumIn: bigint };

/** A validated request; addresses are checksummed. */
export type TradeOrder = {
  /** The response: the next transaction of the trade, or the whole trade as one batch. */
  shape: "transaction" | "batch";
  token: Hex;
  wallet: Hex;
  side: "buy" | "sell";
  amounts: OrderedAmounts;
  /** Whether a buy spends native, or a sell receives native, instead of wrapped native. */
  isNative: boolean;
  /** The asset that a buy spends or a sell receives instead of wrapped native; null for none. */
  asset: Hex | null;
  permit: { deadline: bigint; signature: string } | null;
  recipient: Hex;
  /** The field of the request that names the recipient. */
  recipientField: "recipient" | "wallet";
};

/** Creates the order of `/trade/quote` and `/trade/transactions`: an exact input of wrapped native or the token. */
export function toTransactionOrder(body: TradeRequest): TradeOrder {
  const wallet = checksummed(body.wallet);
  return {
    shape: "transaction",
    token: checksummed(body.token),
    wallet,
    side: body.side,
    amounts: { exact: "input", amountIn: BigInt(body.amount_in), slippageBps: body.slippage_bps },
    isNative: false,
    asset: null,
    permit: null,
    recipient: wallet,
    recipientField: "wallet",
  };
}

/**
 * Creates the order of `/trade/calls`.
 *
 * @throws SlipwayError `address_checksum` for a recipient with a wrong EIP-55 checksum.
 */
export function toBatchOrder(body: TradeCallsRequest): TradeOrder {
  const { amount_in, slippage_bps, amount_out, maximum_in, permit = null } = body;
  const settled = body.side === "buy" ? body.pay : body.receive;
  const checksum = body.recipient === undefined ? null : checkAddressChecksum(body.recipient);
  if (checksum?.status === "wrong") {
    throw new SlipwayError(
      "address_checksum",
      `The checksum of ${body.recipient} is wrong: a digit was mistyped, or the case was changed.`,
      { field: "recipient", details: { wallet: body.recipient, checksummed: checksum.checksummed } },
    );
  }
  return {
    shape: "batch",
    token: checksummed(body.token),
    wallet: checksummed(body.wallet),
    side: body.side,
    amounts:
      amount_out === undefined || maximum_in === undefined
        ? { exact: "input", amountIn: BigInt(amount_in!), slippageBps: slippage_bps! }
        : { exact: "output", amountOut: BigInt(amount_out), maximumIn: BigInt(maximum_in) },
    isNative: settled === "native",
    asset: typeof settled === "object" ? checksummed(settled.asset) : null,
    permit: permit === null ? null : { deadline: BigInt(permit.deadline), signature: permit.signature },
    recipient: checksummed(body.recipient ?? body.wallet),
    recipientField: body.recipient === undefined ? "wallet" : "recipient",
  };
}

/** Returns the maximum that a trade may take from the wallet. */
export function getLargestInput({ amounts }: Pick<TradeOrder, "amounts">): bigint {
  return amounts.exact === "input" ? amounts.amountIn : amounts.maximumIn;
}

/**
 * Asserts, without the chain, that the recipient can pass on received assets.
 *
 * @throws SlipwayError `recipient_cannot_receive` for a precompile, a contract of the manifest, the token and its pool.
 */
export function requireFitRecipient(order: TradeOrder, launch: IndexedLaunch, manifest: Manifest): void {
  const own = { [launch.token]: "a launch token", [launch.pool]: "a pool" }[order.recipient];
  const kind = own ?? findUnfitReceiver(order.recipient, manifest);
  if (kind !== null) throw createUnfitRecipient(order, kind);
}

/** @param kind - What the recipient is, as a noun phrase. */
export function createUnfitRecipient({ recipient, recipientField }: TradeOrder, kind: string): SlipwayError {
  return new SlipwayError("recipient_cannot_receive", `The recipient ${recipient} is ${kind}.`, {
    field: recipientField,
    details: { wallet: recipient },
  });
}
