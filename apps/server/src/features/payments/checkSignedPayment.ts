import { SlipwayError } from "@slipway/protocol/errors";
import type { Product, SignedPayment } from "@slipway/protocol/payments";
import { checksummed } from "@slipway/protocol/primitives";
import { transferAuthorizationTypedData } from "@slipway/protocol/transferAuthorization";
import type { Hex } from "viem";
import type { PaymentTerms } from "../../relayer/paymentOffers.ts";
import { parseWalletSignature, type WalletSignature } from "../../transactions/parseWalletSignature.ts";
import type { AuthorizationTerms } from "./queries.ts";

/** A payment that equals an offer and that its payer has signed. */
export type CheckedPayment = { product: Product; signature: WalletSignature };

/** Reads the terms of a signed payment; the chain id is 0 for a network that is no chain of EIP-155. */
export function toAuthorizationTerms({ accepted, payload }: SignedPayment): AuthorizationTerms {
  const { authorization } = payload;
  const lower = (text: string) => text.toLowerCase() as Hex;
  return {
    chainId: Number(/^eip155:([1-9]\d{0,14})$/.exec(accepted.network)?.[1] ?? 0),
    asset: lower(accepted.asset),
    payer: lower(authorization.from),
    payee: lower(authorization.to),
    amount: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    nonce: lower(authorization.nonce),
  };
}

/**
 * Checks that a signed payment is exactly an offer of now, and its signature. Without the chain.
 *
 * @throws SlipwayError `invalid_fields`, `signature_invalid`.
 */
export async function checkSignedPayment(
  offered: PaymentTerms,
  signed: SignedPayment,
  terms: AuthorizationTerms,
): Promise<CheckedPayment> {
  const { accepted, payload } = signed;
  const { authorization } = payload;
  const require = (isEqual: boolean, field: string, message: string) => {
    if (!isEqual) throw new SlipwayError("invalid_fields", message, { field: `payment.${field}` });
  };
  const isAddress = (text: string, address: Hex) => text.toLowerCase() === address.toLowerCase();
  const priced = offered.prices.find(({ amount }) => amount === BigInt(accepted.amount));
  require(accepted.network ===
    offered.network, "accepted.network", `This service takes payments on ${offered.network}.`);
  require(isAddress(
    accepted.asset,
    offered.asset,
  ), "accepted.asset", `This service takes payments in ${offered.symbol} (${offered.asset}).`);
  require(isAddress(accepted.payTo, offered.payee), "accepted.payTo", `Payments go to ${offered.payee}.`);
  if (priced === undefined) {
    throw new SlipwayError("invalid_fields", "Nothing has this price now; request a new offer.", {
      field: "payment.accepted.amount",
    });
  }
  require(isAddress(
    authorization.to,
    offered.payee,
  ), "payload.authorization.to", `The transfer must go to ${offered.payee}.`);
  require(terms.amount ===
    priced.amount, "payload.authorization.value", `The transfer must have exactly ${priced.amount} base units.`);
  const payer = checksummed(terms.payer);
  const transfer = {
    from: payer,
    to: offered.payee,
    value: terms.amount,
    validAfter: terms.validAfter,
    validBefore: terms.validBefore,
    nonce: terms.nonce,
  };
  const typed = transferAuthorizationTypedData(transfer, offered.asset, offered.domain, offered.chainId);
  const signature = await parseWalletSignature(payload.signature, typed, payer, "payment.payload.signature");
  return { product: priced.product, signature };
}
