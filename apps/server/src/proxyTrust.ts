import ipaddr from "ipaddr.js";

/** Which proxies may say whom they ask for: the nearest so many hops, or those within named ranges. */
export type ProxyTrust = { hops: number } | { ranges: readonly string[] };

/** Ranges that have a name, as in RFC 4291, 3927, 4193 and 1918. */
const named: Record<string, readonly string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * Reads `false` (nobody), `true` (the one proxy in front), a number of hops, or a list of addresses, ranges in CIDR
 * notation and the names loopback, linklocal, uniquelocal.
 *
 * @returns null for anything else.
 */
export function parseProxyTrust(text: string): ProxyTrust | null {
  if (text === "false") return { hops: 0 };
  if (text === "true") return { hops: 1 };
  if (/^\d{1,2}$/.test(text)) return { hops: Number(text) };
  const ranges: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (named[entry]) ranges.push(...named[entry]);
    else if (ipaddr.isValidCIDR(entry)) ranges.push(entry);
    else if (ipaddr.IPv4.isValidFourPartDecimal(entry)) ranges.push(`${entry}/32`);
    else if (ipaddr.IPv6.isValid(entry)) ranges.push(`${entry}/128`);
    else return null;
  }
  return { ranges };
}
