import { createHash } from "node:crypto";
import { type MetadataDocument, readMetadata } from "@slipway/protocol/metadataDocument";
import { z } from "zod";
import type { UntrustedFetch } from "./untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "./untrustedFetch/untrustedFetchError.ts";

/** A fetched document; `unchanged` when the validators still match. */
export type TokenManifestResponse =
  | "unchanged"
  | { document: MetadataDocument; sha256: Buffer; etag: string | null; lastModified: string | null };

/** The URI cannot be fetched: no ipfs gateway, or an invalid ipfs URI. */
export class ManifestUriError extends Error {
  override name = "ManifestUriError";
}

/** The response is not an ERC-7572 document. */
export class ManifestDocumentError extends Error {
  override name = "ManifestDocumentError";
}

const limits = {
  maxBytes: 256 * 1024,
  deadlineMs: 20_000,
  // Static hosts and gateways send various types for JSON.
  accept: ["application/json", "application/ld+json", "text/json", "text/plain", "application/octet-stream"],
};

/** Maximum duration of a fetch in milliseconds. */
export const manifestDeadlineMs = limits.deadlineMs;

/** Longer validators are not stored. */
const maxValidatorLength = 256;

/** ERC-7572 requires a name; everything else is optional and untrusted. */
const erc7572 = z.looseObject({ name: z.string().min(1) });

/**
 * Fetches the ERC-7572 document of a launch.
 *
 * @param options.previous - Validators of the stored document, for a conditional request.
 * @throws UntrustedFetchError, ManifestUriError, ManifestDocumentError.
 */
export async function fetchTokenManifest(
  untrustedFetch: UntrustedFetch,
  uri: string,
  options: {
    ipfsGateway: string | undefined;
    previous: { etag: string | null; lastModified: string | null };
    signal: AbortSignal;
  },
): Promise<TokenManifestResponse> {
  const url = getDocumentUrl(uri, options.ipfsGateway);
  if (url === null) throw new ManifestUriError("the URI is not https, nor ipfs with a gateway");
  const { etag, lastModified } = options.previous;
  const response = await untrustedFetch(url, {
    ...limits,
    headers: {
      ...(etag === null ? {} : { "if-none-match": etag }),
      ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
    },
    signal: options.signal,
  });
  if (response.status === 304) return "unchanged";
  if (response.status !== 200) {
    const retryable = response.status >= 500 || response.status === 408 || response.status === 429;
    throw new UntrustedFetchError("bad_status", `it answered ${response.status}`, { retryable });
  }
  return {
    document: readDocument(response.bytes),
    sha256: createHash("sha256").update(response.bytes).digest(),
    etag: toValidator(response.headers.etag),
    lastModified: toValidator(response.headers["last-modified"]),
  };
}

function readDocument(bytes: Uint8Array): MetadataDocument {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ManifestDocumentError("the document is not JSON", { cause: error });
  }
  const parsed = erc7572.safeParse(json);
  if (!parsed.success) throw new ManifestDocumentError("the document has no name");
  return readMetadata(parsed.data);
}

function toValidator(value: string | undefined): string | null {
  return value === undefined || value.length > maxValidatorLength || !/^[\x20-\x7e]+$/.test(value) ? null : value;
}

/**
 * Returns the URL of a document: an https URI itself, an ipfs URI at the gateway.
 *
 * @param gateway - Base URL of an IPFS gateway (`{gateway}/ipfs/{cid}`).
 * @returns Null when the URI is neither, or is ipfs and there is no gateway.
 *
 * @example
 * getDocumentUrl("ipfs://bafy.../token.json", "https://gateway.example"); // "https://gateway.example/ipfs/bafy.../token.json"
 */
export function getDocumentUrl(uri: string, gateway: string | undefined): string | null {
  if (/^https:/i.test(uri)) return uri;
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?([a-z0-9]{1,128})((?:\/[^?#]*)?)$/i.exec(uri);
  if (ipfs === null || gateway === undefined) return null;
  // Dot segments would leave the folder of the document.
  const segments = ipfs[2]!.split("/").filter((segment) => !/^(\.|%2e){1,2}$/i.test(segment));
  return `${gateway.replace(/\/+$/, "")}/ipfs/${ipfs[1]}${segments.join("/")}`;
}
