import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import { computeOpeningBuy } from "@slipway/protocol/opening";
import type { Hex } from "viem";
import { explainSignatureError, type SignedTerms } from "../../transactions/launchAuthorization.ts";
import { predictAddresses } from "../../transactions/launchTerms.ts";
import type { OpeningTerms } from "./loadOpening.ts";

/** The launch of an opening with a salt and a value: what the creator signs, and the computed result. */
export type OpeningLaunch = { terms: SignedTerms; token: Hex; pool: Hex; amountOut: bigint };

/**
 * Computes the launch of an opening. The minimum of the buy is its exact output: the pool has the start price and only the
 * locked position, and no trade precedes the buy.
 *
 * @param value - The wei to spend.
 * @throws SlipwayError `manifest_unverified`.
 */
export function createOpeningLaunch(
  manifest: Manifest,
  opening: OpeningTerms,
  salt: Hex,
  value: bigint,
): OpeningLaunch {
  const { deployment, creator, tier } = opening;
  const params = { ...opening.params, salt };
  const { token, pool } = predictAddresses({ ...manifest, current: deployment }, creator, params);
  const isToken0 = BigInt(token) < BigInt(manifest.wrapped_native.address);
  const amountOut = computeOpeningBuy(deployment.start_tick, tier, value, isToken0);
  const buy = { recipient: opening.address, minimumOut: amountOut };
  return { terms: { creator, params, buy, value }, token, pool, amountOut };
}

/** Creates `expected` of the response. */
export const createExpected = (opening: Hex, { terms, token, pool, amountOut }: OpeningLaunch) => ({
  opening,
  token,
  pool,
  splitter: terms.params.splitter,
  amount_out: amountOut.toString(),
  minimum_out: terms.buy.minimumOut.toString(),
});

/**
 * Asserts that a launch can spend a value.
 *
 * @param total - The deposits at the newest block, in wei.
 * @throws SlipwayError `opening_not_ready`, `opening_value_out_of_range`.
 */
export function requireValue({ minimum, cap }: OpeningTerms, total: bigint, value: bigint): void {
  const details = { total: total.toString(), minimum: minimum.toString(), cap: cap.toString() };
  if (total < minimum) throw new SlipwayError("opening_not_ready", undefined, { details });
  if (value >= minimum && value <= cap && value <= total) return;
  throw new SlipwayError("opening_value_out_of_range", undefined, { field: "value", details });
}

/** Adds what to do to the error of a simulated launch. */
export function explainLaunchError(error: SlipwayError): SlipwayError {
  if (error.code === "pool_taken") {
    const message =
      "Another account has created the pool of this token at another price: sign the typed data of a new authorization, " +
      "with another salt.";
    return new SlipwayError("pool_taken", message, { ...toOptions(error), field: "salt" });
  }
  if (error.code === "salt_taken") {
    const message =
      "A token of the creator with these parameters and this salt exists: use another salt, or close the opening if it was " +
      "launched without it.";
    return new SlipwayError("salt_taken", message, { ...toOptions(error), field: "salt" });
  }
  return explainSignatureError(error, "value, salt, deadline and epoch", "signature");
}

const toOptions = ({ details, ...error }: SlipwayError) => ({
  cause: error,
  ...(details === undefined ? {} : { details }),
});
