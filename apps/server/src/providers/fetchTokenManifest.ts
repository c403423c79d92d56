import { createHash } from "node:crypto";
import { type MetadataDocument, readMetadata } from "@slipway/protocol/metadataDocument";
import { z } from "zod";
import type { UntrustedFetch } from "./untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "./untrustedFetch/untrustedFetchError.ts";

/** A launch's document as it was published; `unchanged` when it is still the one with these validators. */
export type TokenManifestAnswer =
  | "unchanged"
  | { document: MetadataDocument; sha256: Buffer; etag: string | null; lastModified: string | null };

/** The document cannot be had: no ipfs gateway, or an ipfs URI that names nothing. */
export class ManifestUriError extends Error {
  override name = "ManifestUriError";
}

/** What came is no ERC-7572 document. */
export class ManifestDocumentError extends Error {
  override name = "ManifestDocumentError";
}

const limits = {
  maxBytes: 256 * 1024,
  deadlineMs: 20_000,
  // Static hosts and gateways do not always know what JSON is.
  accept: ["application/json", "application/ld+json", "text/json", "text/plain", "application/octet-stream"],
};

/** How long a fetch can take, in milliseconds. */
export const manifestDeadlineMs = limits.deadlineMs;

/** Validators longer than this are not worth keeping. */
const maxValidatorLength = 256;

/** ERC-7572 demands a name; everything else is optional, and none of it is trusted. */
const erc7572 = z.looseObject({ name: z.string().min(1) });

/**
 * Fetches the ERC-7572 document that a launch names.
 *
 * @param previous - Validators of the document that is already there: the server may answer that it has not changed.
 * @throws OutsideFetchError, ManifestUriError, ManifestDocumentError.
 */
export async function fetchTokenManifest(
  fetchOutside: UntrustedFetch,
  uri: string,
  options: {
    ipfsGateway: string | undefined;
    previous: { etag: string | null; lastModified: string | null };
    signal: AbortSignal;
  },
): Promise<TokenManifestAnswer> {
  const url = documentUrl(uri, options.ipfsGateway);
  if (url === null) throw new ManifestUriError("the URI is none that is fetched");
  const { etag, lastModified } = options.previous;
  const answer = await fetchOutside(url, {
    ...limits,
    headers: {
      ...(etag === null ? {} : { "if-none-match": etag }),
      ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
    },
    signal: options.signal,
  });
  if (answer.status === 304) return "unchanged";
  if (answer.status !== 200) {
    const retryable = answer.status >= 500 || answer.status === 408 || answer.status === 429;
    throw new UntrustedFetchError("bad_status", `it answered ${answer.status}`, { retryable });
  }
  return {
    document: readDocument(answer.bytes),
    sha256: createHash("sha256").update(answer.bytes).digest(),
    etag: validator(answer.headers.etag),
    lastModified: validator(answer.headers["last-modified"]),
  };
}

function readDocument(bytes: Uint8Array): MetadataDocument {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ManifestDocumentError("it is no JSON", { cause: error });
  }
  const parsed = erc7572.safeParse(json);
  if (!parsed.success) throw new ManifestDocumentError("it has no name");
  return readMetadata(parsed.data);
}

function validator(value: string | undefined): string | null {
  return value === undefined || value.length > maxValidatorLength || !/^[\x20-\x7e]+$/.test(value) ? null : value;
}

/**
 * Where to ask for a document: an https URI itself, an ipfs one at the gateway.
 *
 * @param gateway - Base URL of an IPFS gateway (`{gateway}/ipfs/{cid}`).
 * @returns Null when the URI is neither, or is ipfs and there is no gateway.
 *
 * @example
 * documentUrl("ipfs://bafy.../token.json", "https://gateway.example"); // "https://gateway.example/ipfs/bafy.../token.json"
 */
export function documentUrl(uri: string, gateway: string | undefined): string | null {
  if (/^https:/i.test(uri)) return uri;
  const ipfs = /^ipfs:\/\/(?:ipfs\/)?([a-z0-9]{1,128})((?:\/[^?#]*)?)$/i.exec(uri);
  if (ipfs === null || gateway === undefined) return null;
  // No segment may climb out of the document's own folder.
  const segments = ipfs[2]!.split("/").filter((segment) => !/^(\.|%2e){1,2}$/i.test(segment));
  return `${gateway.replace(/\/+$/, "")}/ipfs/${ipfs[1]}${segments.join("/")}`;
}
