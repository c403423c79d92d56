import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { parseUntrustedUrl, type UntrustedFetch } from "../untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../untrustedFetch/untrustedFetchError.ts";

/** Resolves a name to its TXT records, the strings of each joined; an empty list if there are none. */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** Returns the places where a website shows the owner's code; `dnsName` is null for a host without a name. */
export function getProofPlaces(website: string): { fileUrl: string; dnsName: string | null } {
  const { host, hostname } = new URL(website);
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  return { fileUrl: `https://${host}/.well-known/slipway.txt`, dnsName: isAddress ? null : `_slipway.${hostname}` };
}

export type WebsiteCheck = { found: true } | { found: false; reason: string };

const limits = {
  maxBytes: 4_096,
  deadlineMs: 10_000,
  accept: ["text/plain", "application/octet-stream"],
  // A person who can redirect from a path of a host does not necessarily control the host.
  maxRedirects: 0,
};

/** Maximum duration of a check in milliseconds: the file, then the DNS record. */
export const websiteCheckMs = 2 * limits.deadlineMs + 5_000;

/**
 * Checks whether a website shows a code: on a separate line in the well-known file, or in a TXT record.
 *
 * @returns The result; if not found, with the reason for the file, or `other_record` if TXT records with other content
 *   exist.
 * @throws UntrustedFetchError `stopped`.
 */
export async function checkWebsite(
  sources: { untrustedFetch: UntrustedFetch; resolveTxt: ResolveTxt },
  { website, code, signal }: { website: string; code: string; signal: AbortSignal },
): Promise<WebsiteCheck> {
  const { fileUrl, dnsName } = getProofPlaces(website);
  const inFile = await checkFile(sources.untrustedFetch, fileUrl, code, signal);
  if (inFile === null) return { found: true };
  // Names that resolve only inside a network are not queried.
  if (dnsName === null || inFile === "url_refused") return { found: false, reason: inFile };
  const records = await sources.resolveTxt(dnsName).catch(() => []);
  if (records.some((record) => record.trim() === code)) return { found: true };
  return { found: false, reason: records.length > 0 ? "other_record" : inFile };
}

/** @returns Null when the file contains the code, otherwise the reason. */
async function checkFile(
  untrustedFetch: UntrustedFetch,
  url: string,
  code: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    parseUntrustedUrl(url);
    const { status, bytes } = await untrustedFetch(url, { ...limits, signal });
    if (status !== 200) return "bad_status";
    const lines = new TextDecoder().decode(bytes).split(/\r\n|[\r\n]/);
    return lines.some((line) => line.trim() === code) ? null : "code_missing";
  } catch (error) {
    if (!(error instanceof UntrustedFetchError) || signal.aborted) throw error;
    return error.code;
  }
}

/** DNS errors for a name that does not exist or has no TXT record; they are not failures. */
const withoutRecord = ["ENOTFOUND", "ENODATA"];

/** Creates the function that resolves TXT records. @param servers - `address:port`; default: the system's servers. */
export function createResolveTxt(servers?: readonly string[]): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: 3_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    try {
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(""));
    } catch (error) {
      if (withoutRecord.includes((error as { code?: string }).code ?? "")) return [];
      throw error;
    }
  };
}
