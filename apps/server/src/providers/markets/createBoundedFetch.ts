import { fetch, type RequestInit, Response } from "undici";
import { MarketSourceError } from "./marketSource.ts";

/**
 * Creates a `fetch` that follows no redirect and limits the size of a response.
 *
 * @param closing - Aborts requests in progress.
 * @param getMaxBytes - Returns the maximum size of the response to a request that starts now.
 * @throws MarketSourceError (the function) `malformed`
 */
export function createBoundedFetch(closing: AbortSignal, getMaxBytes: () => number) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const maxBytes = getMaxBytes();
    const { method, headers, body, signal } = init;
    const response = await fetch(url, {
      method: method ?? "GET",
      redirect: "error",
      ...(headers && { headers }),
      ...(body && { body }),
      signal: signal ? AbortSignal.any([signal, closing]) : closing,
    });
    const tooLarge = () => new MarketSourceError("malformed", "the response is too large");
    if (Number(response.headers.get("content-length")) > maxBytes) {
      await response.body?.cancel();
      throw tooLarge();
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > maxBytes) throw tooLarge();
      parts.push(part);
    }
    const { status, statusText } = response;
    const bytes = status === 204 || status === 304 ? null : Buffer.concat(parts);
    return new Response(bytes, { status, statusText, headers: response.headers });
  };
}
