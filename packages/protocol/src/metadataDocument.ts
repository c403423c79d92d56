import type { Hex } from "viem";
import { draftCommitmentKey } from "./draftCommitment.ts";
import type { Intent } from "./intent.ts";

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

/** Reads description, image and website of a parsed document; drops links other than https (and ipfs for the image). */
export function readMetadata(document: unknown): MetadataDocument {
  if (typeof document !== "object" || document === null) return empty;
  const fields = document as Record<string, unknown>;
  return {
    description: text(fields.description, 1000),
    image: link(fields.image, /^(https|ipfs):\/\//i),
    website: link(fields.external_link ?? fields.website, /^https:\/\//i),
  };
}

function text(value: unknown, maxLength: number): string | null {
  return typeof value === "string" && value !== "" ? cleanText(value, maxLength) : null;
}

function link(value: unknown, allowed: RegExp): string | null {
  if (typeof value !== "string" || value.length > 2048 || !allowed.test(value)) return null;
  return cleanText(value, 2048);
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
 *
 * @example
 * contractUri({ name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy...", chain_id: 46630 });
 * // "data:application/json;base64,eyJuYW1lIjoiVGluIEJvYXQiLCJzeW1ib2wiOiJUSU4iLCJpbWFnZSI6ImlwZnM6Ly9iYWZ5Li4uIn0="
 */
export function contractUri(
  intent: Pick<Intent, "name" | "symbol" | "description" | "image_uri" | "website">,
  commitment?: Hex,
): string {
  const document = {
    name: intent.name,
    symbol: intent.symbol,
    ...(intent.description ? { description: intent.description } : {}),
    image: intent.image_uri,
    ...(intent.website ? { external_link: intent.website } : {}),
    ...(commitment === undefined ? {} : { [draftCommitmentKey]: commitment }),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:application/json;base64,${btoa(binary)}`;
}
