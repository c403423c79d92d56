import { SlipwayError } from "@slipway/protocol/errors";

/**
 * Returns the result of a contract that was read at the head.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export function requireResult<Value>(read: { result?: unknown } | undefined): Value {
  if (read?.result === undefined) throw new SlipwayError("chain_unavailable", "A contract could not be read.");
  return read.result as Value;
}
