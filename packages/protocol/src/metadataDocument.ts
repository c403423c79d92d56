import type { Hex } from "viem";
import { draftCommitmentKey } from "./draftCommitment.ts";
import type { Intent } from "./intent.ts";
import { type LaunchOptions, type LinkName, linkNames, parseLink } from "./launchOptions.ts";
import { toPublishedUri } from "./publishedUri.ts";

/** The sanitized fields of a token's ERC-7572 document. */
export type MetadataDocument = { description: string | null; image: string | null; website: string | null };

/** The links of a token's document; null for each link that the document does not have. */
export type MetadataLinks = Record<LinkName, string | null>;

const empty: MetadataDocument = { description: null, image: null, website: null };

/**
 * Sanitizes text for storage and display: removes NUL, lone surrogates, control and bidirectional formatting characters
 * (which would reorder adjacent text), and truncates it to `maxLength` UTF-16 units.
 */
export function cleanText(text: string, maxLength: number): string {
  const visible = text
    .slice(0, maxLength * 2)
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
  return visible.slice(0, maxLength).toWellFormed();
}

/**
 * Reads an ERC-7572 document from its data URI (`data:application/json`, plain or base64).
 * Returns nulls for any other URI and for an invalid document.
 */
export function readMetadataUri(contractUri: string): MetadataDocument {
  return readMetadata(parseDataUri(contractUri));
}

/**
 * Reads the links of an ERC-7572 document from its data URI, as `contractUri` writes them. Returns null for each link
 * that a draft could not have (`parseLink`), and for all links of any other URI.
 */
export function readMetadataLinks(contractUri: string): MetadataLinks {
  const { links } = (parseDataUri(contractUri) ?? {}) as { links?: unknown };
  const found = (typeof links === "object" && links !== null ? links : {}) as Record<string, unknown>;
  const entries = linkNames.map((name) => {
    const value = Object.hasOwn(found, name) ? found[name] : null;
    const parsed = typeof value === "string" ? parseLink(name, value) : null;
    return [name, parsed?.ok ? parsed.uri : null] as const;
  });
  return Object.fromEntries(entries) as MetadataLinks;
}

/** Parses the JSON of a `data:application/json` URI; null for any other URI and for invalid JSON. */
function parseDataUri(contractUri: string): unknown {
  const match = /^data:application\/json((?:;[^,;]*)*),/i.exec(contractUri);
  if (!match) return null;
  try {
    const body = contractUri.slice(match[0].length);
    const json = /;base64$/i.test(match[1]!) ? new TextDecoder().decode(toBytes(atob(body))) : decodePercent(body);
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/**
 * Returns the exact bytes of the document in a `data:application/json` URI.
 *
 * @returns Null for any other URI, for a document that is not a JSON object, and for text that the index cannot store
 *   unchanged (the index stores U+FFFD in place of invalid Unicode).
 */
export function readMetadataBytes(contractUri: string): Uint8Array | null {
  const match = /^data:application\/json((?:;[^,;]*)*),/i.exec(contractUri);
  if (match === null || contractUri.includes("\ufffd")) return null;
  const body = contractUri.slice(match[0].length);
  try {
    const bytes = /;base64$/i.test(match[1]!) ? decodeBase64(body) : decodePercentBytes(body);
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return typeof document === "object" && document !== null && !Array.isArray(document) ? bytes : null;
  } catch {
    return null;
  }
}

/** @throws RangeError for text that is not padded base64 (RFC 4648, section 4). */
function decodeBase64(body: string): Uint8Array {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(body)) throw new RangeError("no base64");
  return toBytes(atob(body));
}

/** Converts a text of `atob` to its bytes. A callback for each byte takes 20 times as long: a page of openings has 100 documents. */
function toBytes(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @throws RangeError for `%` without two hex digits. Source: RFC 3986, section 2.1. */
function decodePercentBytes(body: string): Uint8Array {
  if (/%(?![0-9A-Fa-f]{2})/.test(body)) throw new RangeError("no percent encoding");
  const text = new TextEncoder().encode(body);
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const isEncoded = text[i] === 0x25;
    bytes.push(isEncoded ? Number.parseInt(String.fromCharCode(text[i + 1]!, text[i + 2]!), 16) : text[i]!);
    if (isEncoded) i += 2;
  }
  return Uint8Array.from(bytes);
}

/**
 * Reads description, image and website of a parsed document. Returns links in the normal form of drafts
 * (`toPublishedUri`); null for other links than https, and ipfs for the image.
 */
export function readMetadata(document: unknown): MetadataDocument {
  if (typeof document !== "object" || document === null) return empty;
  const fields = document as Record<string, unknown>;
  return {
    description: text(fields.description, 1000),
    image: toPublishedUri(fields.image),
    website: toPublishedUri(fields.external_link ?? fields.website, ["https"]),
  };
}

function text(value: unknown, maxLength: number): string | null {
  return typeof value === "string" && value !== "" ? cleanText(value, maxLength) : null;
}

/** Decodes percent encoding; returns text with invalid encoding unchanged. */
function decodePercent(body: string): string {
  try {
    return decodeURIComponent(body);
  } catch {
    return body;
  }
}

/**
 * Creates the on-chain `data:` URI with the ERC-7572 metadata of a draft: one JSON document with keys in this order,
 * without empty fields, base64-encoded so that it needs no URI escaping. Deterministic: the token's address depends on
 * it.
 *
 * @param commitment - The commitment to the draft (`draftCommitment`): the launch shows only the labels of that draft.
 * @param options - The options of the draft: a banner and links follow the other fields. Without them, the bytes do not
 *   change.
 *
 * @example
 * contractUri({ name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy...", chain_id: 46630 });
 * // "data:application/json;base64,eyJuYW1lIjoiVGluIEJvYXQiLCJzeW1ib2wiOiJUSU4iLCJpbWFnZSI6ImlwZnM6Ly9iYWZ5Li4uIn0="
 */
export function contractUri(
  intent: Pick<Intent, "name" | "symbol" | "description" | "image_uri" | "website">,
  commitment?: Hex,
  options: Pick<LaunchOptions, "banner_uri" | "links"> | null = null,
): string {
  const links = linkNames.flatMap((name) => (options?.links[name] ? [[name, options.links[name]] as const] : []));
  const document = {
    name: intent.name,
    symbol: intent.symbol,
    ...(intent.description ? { description: intent.description } : {}),
    image: intent.image_uri,
    ...(intent.website ? { external_link: intent.website } : {}),
    ...(commitment === undefined ? {} : { [draftCommitmentKey]: commitment }),
    ...(options?.banner_uri ? { banner_image: options.banner_uri } : {}),
    ...(links.length > 0 ? { links: Object.fromEntries(links) } : {}),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:application/json;base64,${btoa(binary)}`;
}
