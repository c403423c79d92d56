import { SlipwayError } from "@slipway/protocol/errors";
import { toSentence } from "@slipway/protocol/parseInput";
import { parsePublishedUri, type UriScheme } from "@slipway/protocol/publishedUri";

/**
 * Converts a URI to its normal form.
 *
 * @param field - The field of the body, for the error.
 * @throws SlipwayError `invalid_fields` for a URI that must not go on chain.
 */
export function prepareUri(field: string, uri: string, schemes: readonly UriScheme[]): string {
  const parsed = parsePublishedUri(uri, schemes);
  if (parsed.ok) return parsed.uri;
  throw new SlipwayError("invalid_fields", toSentence(field, parsed.message), {
    field,
    details: { reason: parsed.reason },
  });
}
