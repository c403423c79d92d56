import { fetch, type RequestInit, Response } from "undici";
import { MarketSourceError } from "./marketSource.ts";

/** Several times the longest list of markets of any exchange. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Creates a `fetch` that follows no redirect, limits the size of a response, and treats a success without JSON as a
 * failure: ccxt would treat an HTML page as a list without entries.
 *
 * @param closing - Aborts requests in progress.
 * @throws MarketSourceError (the function) `malformed`
 */
export function createBoundedFetch(closing: AbortSignal) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const { method, headers, body, signal } = init;
    const response = await fetch(url, {
      method: method ?? "GET",
      redirect: "error",
      ...(headers && { headers }),
      ...(body && { body }),
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
    });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > maxBytes) throw new MarketSourceError("malformed", "the response is too large");
      parts.push(part);
    }
    const { status, statusText } = response;
    const bytes = status === 204 || status === 304 ? null : Buffer.concat(parts);
    if (response.ok && bytes !== null && !isJson(bytes)) {
      throw new MarketSourceError("malformed", "the response is not JSON");
    }
    return new Response(bytes, { status, statusText, headers: response.headers });
  };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}
