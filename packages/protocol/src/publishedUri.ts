import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base36, base36upper } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { base64url } from "multiformats/bases/base64";
import type { MultibaseCodec } from "multiformats/bases/interface";
import { CID } from "multiformats/cid";

/** The reasons why a URI cannot be published. */
export type UriRefusalReason =
  | "empty"
  | "too_long"
  | "unpaired_surrogate"
  | "space"
  | "control_character"
  | "backslash"
  | "scheme"
  | "no_host"
  | "userinfo"
  | "unparseable";

/** Codes of allowed URIs that are probably mistakes. */
export type UriWarningCode = "ipfs_cid_invalid" | "host_without_dot";

export type UriWarning = { code: UriWarningCode; message: string };

export type PublishedUri =
  | {
      ok: true;
      /** The normalised URI that is stored, served and written on chain. ASCII. */
      uri: string;
      warnings: UriWarning[];
    }
  | {
      ok: false;
      reason: UriRefusalReason;
      /** The message for the caller, which follows the field's name. */
      message: string;
    };

export type UriScheme = "https" | "ipfs";

/** The maximum length of a URI in code points, before and after normalisation (the spec's Intent). */
const maxLength = 256;

const imageSchemes: readonly UriScheme[] = ["ipfs", "https"];

/**
 * Checks and normalises a URI that is stored, served to browsers and written on chain: `image_uri`, `website`, a
 * contract URI. Normalises like WHATWG URL: host in lower case and punycode, default port and dot segments removed,
 * non-ASCII characters percent-encoded. Idempotent.
 *
 * Rejects URIs that parsers interpret differently: unparseable text, white space, control characters, backslashes (a
 * URL parser removes or converts these silently), userinfo, a missing host. Accepts with a warning, because the spec's
 * pattern allows it: an `ipfs://` URI without a valid CID, a host without a dot.
 *
 * @param schemes - The schemes that the field accepts, in lower case as in the spec's pattern.
 *
 * @example
 * parsePublishedUri("https://Tin.Example"); // { ok: true, uri: "https://tin.example/", warnings: [] }
 */
export function parsePublishedUri(value: string, schemes: readonly UriScheme[] = imageSchemes): PublishedUri {
  const malformed = findRawRefusal(value, schemes);
  if (malformed !== null) return malformed;
  const url = parseUrl(value);
  if (url === null) return refuse("unparseable", "must be a valid URL");
  if (url.hostname === "") return refuse("no_host", "must name a host");
  // Some parsers need a second pass for rare inputs; a form that changes again is not normal.
  if (parseUrl(url.href)?.href !== url.href) return refuse("unparseable", "must be a valid URL");
  if (url.href.length > maxLength) {
    return refuse("too_long", `must have at most ${maxLength} characters; it has ${url.href.length} once normalised`);
  }
  return { ok: true, uri: url.href, warnings: url.protocol === "ipfs:" ? checkCid(url) : checkHost(url) };
}

/**
 * Returns the normal form of a URI from another party; null if `parsePublishedUri` rejects it, and for any value that
 * is not text.
 *
 * @param schemes - As for `parsePublishedUri`.
 */
export function toPublishedUri(value: unknown, schemes?: readonly UriScheme[]): string | null {
  const parsed = typeof value === "string" ? parsePublishedUri(value, schemes) : null;
  return parsed?.ok ? parsed.uri : null;
}

/** Checks the text itself for faults that a URL parser repairs silently. */
function findRawRefusal(value: string, schemes: readonly UriScheme[]): PublishedUri | null {
  if (value === "") return refuse("empty", "must not be empty");
  if ([...value].length > maxLength) return refuse("too_long", `must have at most ${maxLength} characters`);
  if (!value.isWellFormed()) return refuse("unpaired_surrogate", "must be well-formed Unicode");
  if (/\p{Cc}/u.test(value)) return refuse("control_character", "must not contain control characters");
  if (/\p{White_Space}/u.test(value)) return refuse("space", "must not contain spaces");
  if (value.includes("\\")) return refuse("backslash", "must not contain backslashes");
  const scheme = schemes.find((candidate) => value.startsWith(`${candidate}://`));
  if (scheme === undefined) {
    return refuse("scheme", `must start with ${schemes.map((candidate) => `${candidate}://`).join(" or ")}`);
  }
  const authority = /^[^/?#]*/.exec(value.slice(scheme.length + 3))![0];
  if (authority === "") return refuse("no_host", "must name a host");
  if (authority.includes("@")) return refuse("userinfo", "must not contain a user name or password");
  return null;
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

/** An IPv6 address in brackets has no dot and also gets the warning. */
function checkHost({ hostname }: URL): UriWarning[] {
  if (hostname.replace(/\.$/, "").includes(".")) return [];
  return [
    { code: "host_without_dot", message: `The host ${hostname} has no dot: browsers elsewhere cannot reach it.` },
  ];
}

function checkCid({ hostname }: URL): UriWarning[] {
  if (isCid(hostname)) return [];
  return [
    { code: "ipfs_cid_invalid", message: `${hostname} is not an IPFS content identifier: no gateway can find it.` },
  ];
}

/** The multibases of the CID specification that a URI can contain, by prefix. */
const multibases: readonly MultibaseCodec<string>[] = [
  base32,
  base32upper,
  base36,
  base36upper,
  base58btc,
  base16,
  base16upper,
  base64url,
];

/**
 * Whether a text is a CID: version 0 (base58btc, `Qm…`) or version 1 in any multibase that a URI can contain. The
 * digest must have the length that its multihash states.
 *
 * @example
 * isCid("bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"); // true
 */
export function isCid(text: string): boolean {
  const base = multibases.find(({ prefix }) => text.startsWith(prefix));
  try {
    const { version, bytes } = CID.parse(text, base?.decoder);
    // Encodes the bytes again, because a decoder may accept another case and excess bits.
    return text === (version === 0 ? base58btc.baseEncode(bytes) : base?.encoder.encode(bytes));
  } catch {
    return false;
  }
}

function refuse(reason: UriRefusalReason, message: string): PublishedUri & { ok: false } {
  return { ok: false, reason, message };
}
