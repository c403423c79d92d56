import type { Intent } from "./intent.ts";

/** What a token's ERC-7572 document says, cleaned. */
export type MetadataDocument = { description: string | null; image: string | null; website: string | null };

const empty: MetadataDocument = { description: null, image: null, website: null };

/**
 * Text that can be stored and shown: without NUL, lone surrogates, control and direction-changing characters
 * (a name must not rearrange what stands around it), at most `maxLength` UTF-16 units.
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
 * Reads an ERC-7572 document that travels inside its URI (`data:application/json`, plain or base64).
 * Anything else, or a broken document, gives nulls: fetching is for somebody else.
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

/** Picks description, image and website out of a parsed document; links other than https (and ipfs for the image) are dropped. */
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

/** A data URI may hold raw percent signs that encode nothing: then it is taken as it is. */
function decodePercent(body: string): string {
  try {
    return decodeURIComponent(body);
  } catch {
    return body;
  }
}

/**
 * The ERC-7572 metadata of a draft as the `data:` URI that goes on chain: one JSON document, keys in this order, empty
 * fields left out, base64 so that no byte of it means anything to a URI parser. The same draft always gives the same
 * bytes, because the token's address depends on them.
 *
 * @example
 * contractUri({ name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy...", chain_id: 46630 });
 * // "data:application/json;base64,eyJuYW1lIjoiVGluIEJvYXQiLCJzeW1ib2wiOiJUSU4iLCJpbWFnZSI6ImlwZnM6Ly9iYWZ5Li4uIn0="
 */
export function contractUri(intent: Pick<Intent, "name" | "symbol" | "description" | "image_uri" | "website">): string {
  const document = {
    name: intent.name,
    symbol: intent.symbol,
    ...(intent.description ? { description: intent.description } : {}),
    image: intent.image_uri,
    ...(intent.website ? { external_link: intent.website } : {}),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:application/json;base64,${btoa(binary)}`;
}
