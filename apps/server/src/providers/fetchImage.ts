import { imageTypes } from "@slipway/protocol/images";
import { getDocumentUrl } from "./fetchTokenManifest.ts";
import type { UntrustedFetch } from "./untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "./untrustedFetch/untrustedFetchError.ts";

const limits = {
  maxBytes: 8 * 1024 * 1024,
  deadlineMs: 30_000,
  // Gateways do not know the media types of their content; the content decides.
  accept: [...imageTypes, "application/octet-stream"],
};

/** Maximum duration of a fetch of a picture in milliseconds. */
export const imageDeadlineMs = limits.deadlineMs;

/**
 * Fetches the picture of a token.
 *
 * @param uri - https, or ipfs, which is fetched from the gateway.
 * @throws UntrustedFetchError; `url_refused` for any other URI, or for ipfs without a gateway.
 */
export async function fetchImage(
  untrustedFetch: UntrustedFetch,
  uri: string,
  options: { ipfsGateway: string | undefined; signal: AbortSignal },
): Promise<Uint8Array> {
  const url = getDocumentUrl(uri, options.ipfsGateway);
  if (url === null) throw new UntrustedFetchError("url_refused", "the URI is not https, nor ipfs with a gateway");
  const { status, bytes } = await untrustedFetch(url, { ...limits, signal: options.signal });
  if (status === 200) return bytes;
  const retryable = status >= 500 || status === 408 || status === 429;
  throw new UntrustedFetchError("bad_status", `it answered ${status}`, { retryable });
}
