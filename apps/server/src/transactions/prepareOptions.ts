import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import {
  type LaunchOptions,
  type LaunchOptionsRequest,
  type LinkName,
  linkNames,
  parseLink,
} from "@slipway/protocol/launchOptions";
import { toSentence } from "@slipway/protocol/parseInput";
import { checksummed } from "@slipway/protocol/primitives";
import { prepareUri } from "./prepareUri.ts";

/**
 * Converts options to the form in which they are stored and launched: null for omitted fields, checksummed addresses,
 * and normalised URIs.
 *
 * @throws SlipwayError `address_checksum` for a wrong EIP-55 checksum, `invalid_fields` for a URI that must not go on
 * chain, and for a link with a host of another service.
 */
export function prepareOptions(body: LaunchOptionsRequest): LaunchOptions {
  const { initial_buy, links } = body;
  const banner = body.banner_uri ?? null;
  return {
    initial_buy: initial_buy
      ? {
          amount_in: BigInt(initial_buy.amount_in).toString(),
          slippage_bps: initial_buy.slippage_bps,
          recipient: prepareAddress("initial_buy.recipient", initial_buy.recipient),
          vesting: initial_buy.vesting ?? null,
        }
      : null,
    partner: prepareAddress("partner", body.partner),
    links: Object.fromEntries(
      linkNames.map((name) => [name, prepareLink(name, links?.[name])]),
    ) as LaunchOptions["links"],
    banner_uri: banner === null ? null : prepareUri("banner_uri", banner, ["ipfs", "https"]),
    creator: prepareAddress("creator", body.creator),
  };
}

/** Checksums an address. Rejects a wrong checksum, because, unlike for a draft's recipients, no later check follows. */
function prepareAddress(field: string, address: string | null | undefined): string | null {
  if (address === null || address === undefined) return null;
  const checksum = checkAddressChecksum(address);
  if (checksum.status !== "wrong") return checksummed(address);
  throw new SlipwayError(
    "address_checksum",
    `The checksum of ${address} is wrong: a digit was mistyped, or the case was changed.`,
    { field, details: { wallet: address, checksummed: checksum.checksummed } },
  );
}

function prepareLink(name: LinkName, link: string | null | undefined): string | null {
  if (link === null || link === undefined) return null;
  const parsed = parseLink(name, link);
  if (parsed.ok) return parsed.uri;
  const field = `links.${name}`;
  throw new SlipwayError("invalid_fields", toSentence(field, parsed.message), {
    field,
    details: { reason: parsed.reason },
  });
}
