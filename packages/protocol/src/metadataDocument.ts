import type { Hex } from "viem";
import { draftCommitmentKey } from "./draftCommitment.ts";
import type { Intent } from "./intent.ts";
import { type LaunchOptions, linkNames } from "./launchOptions.ts";
import { toPublishedUri } from "./publishedUri.ts";

/** The sanitized fields of a token's ERC-7572 document. */
export type MetadataDocument = { description: string | null; image: string | null; website: string | null };

const empty: MetadataDocument = { description: null, image: null, website: null };

/**
 * Sanitizes text for storage and display: removes NUL, lone surrogates, control and bidirectional formatting characters
 * (which would reorder adjacent text), and truncates it to `maxLength` UTF-16 units.
 */
export function cleanText(text: string, maxLength: number): string {
  const visible = text
    .slice(0, maxLength * 2)
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
  return visible.slice(0, maxLength).toWellFormed();
}

/**
 * Reads an ERC-7572 document from its data URI (`data:application/json`, plain or base64).
 * Returns nulls for any other URI and for an invalid document.
 */
export function readMetadataUri(contractUri: string): MetadataDocument {
  const match = /^data:application\/json((?:;[^,;]*)*),/i.exec(contractUri);
  if (!match) return empty;
  try {
    const body = contractUri.slice(match[0].length);
    const json = /;base64$/i.test(match[1]!)
      ? new TextDecoder().decode(Uint8Array.from(atob(body), (c) => c.charCodeAt(0)))
      : decodePercent(body);
    return readMetadata(JSON.parse(json));
  } catch {
    return empty;
  }
}

/**
 * The bytes of the document that a `data:application/json` URI contains, exactly.
 *
 * @returns Null for any other URI, for what is no JSON object, and for text that the index could not store as it was
 *   (it puts U+FFFD for what is no Unicode).
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

/** @throws RangeError for what is not base64 (RFC 4648, section 4) with its padding. */
function decodeBase64(body: string): Uint8Array {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(body)) throw new RangeError("no base64");
  return Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
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
 * Reads description, image and website of a parsed document. Links are in the normal form of drafts (`toPublishedUri`);
 * others than https, and ipfs for the image, are null.
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
 * Creates the on-chain `data:` URI with the ERC-7572 metadata of a draft: one JSON document, keys in this order, without
 * empty fields, base64-encoded so that it needs no URI escaping. Deterministic: the token's address depends on it.
 *
 * @param commitment - To the draft (`draftCommitment`): the launch shows the draft's labels alone.
 * @param options - Those of the draft: a banner and links follow the other fields. None of them changes no byte.
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
