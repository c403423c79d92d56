import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { parseUntrustedUrl, type UntrustedFetch } from "../untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../untrustedFetch/untrustedFetchError.ts";

/** Resolves a name to its TXT records, the strings of each joined; an empty list for none. */
export type ResolveTxt = (name: string) => Promise<string[]>;

/** Where the code of a website's owner is looked for; `dnsName` is null for a host without a name. */
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
  // Who can redirect from a path of a host does not control the host.
  maxRedirects: 0,
};

/** The longest duration of a check in milliseconds: the file, then the name. */
export const websiteCheckMs = 2 * limits.deadlineMs + 5_000;

/**
 * Checks whether a website shows a code: a line of its own in the well-known file, or a TXT record.
 *
 * @returns The reason why it was not found: of the file, unless a record of another content exists.
 * @throws UntrustedFetchError `stopped`.
 */
export async function checkWebsite(
  sources: { untrustedFetch: UntrustedFetch; resolveTxt: ResolveTxt },
  { website, code, signal }: { website: string; code: string; signal: AbortSignal },
): Promise<WebsiteCheck> {
  const { fileUrl, dnsName } = getProofPlaces(website);
  const inFile = await checkFile(sources.untrustedFetch, fileUrl, code, signal);
  if (inFile === null) return { found: true };
  // A name that means something inside a network alone is not asked for.
  if (dnsName === null || inFile === "url_refused") return { found: false, reason: inFile };
  const records = await sources.resolveTxt(dnsName).catch(() => []);
  if (records.some((record) => record.trim() === code)) return { found: true };
  return { found: false, reason: records.length > 0 ? "other_record" : inFile };
}

/** @returns Null when the file has the code, else why not. */
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

/** Names that do not exist, or have no such record: no failure. */
const withoutRecord = ["ENOTFOUND", "ENODATA"];

/** @param servers - `address:port`; default: the servers of the system. */
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
