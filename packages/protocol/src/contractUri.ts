import type { Intent } from "./intent.ts";

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
