import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import { defaultFeeBps } from "@slipway/protocol/feeTiers";
import type { Intent } from "@slipway/protocol/intent";
import { prepareOnChainText } from "@slipway/protocol/onChainText";
import { toSentence } from "@slipway/protocol/parseInput";
import { checksummed } from "@slipway/protocol/primitives";
import { prepareUri } from "../../transactions/prepareUri.ts";

/**
 * Converts an intent to the stored form, which is launched byte for byte: fills in defaults and normalises the name and
 * the URIs. The symbol needs no normalisation, because its pattern allows only ASCII letters and digits.
 *
 * @throws SlipwayError `invalid_fields` for a text or URI that must not go on chain.
 */
export function prepareIntent(body: Intent): Intent {
  return {
    ...body,
    name: prepareName(body.name),
    image_uri: prepareUri("image_uri", body.image_uri, ["ipfs", "https"]),
    ...(body.website === undefined ? {} : { website: prepareUri("website", body.website, ["https"]) }),
    fee_bps: body.fee_bps ?? defaultFeeBps,
    recipients: (body.recipients ?? []).map((entry) => ({ ...entry, wallet: prepareWallet(entry.wallet) })),
  };
}

function prepareName(name: string): string {
  const prepared = prepareOnChainText(name);
  if (prepared.ok) return prepared.text;
  const { reason, codePoint, message } = prepared.refusal;
  throw new SlipwayError("invalid_fields", toSentence("name", message), {
    field: "name",
    details: { reason, ...(codePoint === undefined ? {} : { code_point: codePoint }) },
  });
}

/** Checksums an address; keeps an address with a wrong checksum, so that the splitter step can refuse the address. */
function prepareWallet(wallet: string): string {
  return checkAddressChecksum(wallet).status === "wrong" ? wallet : checksummed(wallet);
}
