import { canonicalJson } from "../canonicalJson.ts";
import type { GasQuote } from "../gas.ts";
import { permitTypes, topUpTypes } from "../signedTypes.ts";
import { isSame } from "./check.ts";

/** The caller's own values: its wallet, the token that it pays with, and the deployment's gas station. */
export type ShownTopUp = { wallet: string; token: string; station: string };

/**
 * Whether the exchange to sign is the shown one and the permit is for exactly its cost, regardless of the service's
 * response.
 */
export function isShownTopUp(quote: GasQuote, { wallet, token, station }: ShownTopUp): boolean {
  const { typed_data: exchange, permit_typed_data: permit, token_amount: cost, eth_amount: gain } = quote;
  return (
    isSame(quote.token, token) &&
    isSame(quote.station, station) &&
    (exchange === null ||
      (exchange.primaryType === "TopUp" &&
        // Other types would give the same fields another meaning: DAI's permit has no amount.
        canonicalJson(exchange.types) === canonicalJson(topUpTypes) &&
        isSame(exchange.domain.verifyingContract, station) &&
        isSame(exchange.message.wallet, wallet) &&
        isSame(exchange.message.token, token) &&
        exchange.message.tokenAmount === cost &&
        exchange.message.nativeAmount === gain)) &&
    (permit === null ||
      (permit.primaryType === "Permit" &&
        canonicalJson(permit.types) === canonicalJson(permitTypes) &&
        isSame(permit.domain.verifyingContract, token) &&
        isSame(permit.message.owner, wallet) &&
        isSame(permit.message.spender, station) &&
        permit.message.value === cost))
  );
}
