import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddr from "proxy-addr";
import type { TrustProxy } from "../config.ts";

/** IPv6 addresses whose prefix is cached. */
const cachedAddresses = 10_000;

/** Whom a request is from, as limits and budgets count: an IPv4 address, or the /64 of an IPv6 address. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The address of the client: that of the connection or, behind a trusted proxy, the first hop of X-Forwarded-For from
 * the right that is not trusted. What stands further left was written by the client and is ignored; so is the whole
 * header when no proxy is trusted.
 */
export function createClientAddress(trustProxy: TrustProxy): ClientAddress {
  const isTrusted =
    "hops" in trustProxy
      ? (_address: string, depth: number) => depth < trustProxy.hops
      : proxyAddr.compile([...trustProxy.ranges]);
  const prefixes = new LRUCache<string, string>({ max: cachedAddresses });

  const toSubject = (address: string): string => {
    // Most addresses are plain IPv4, which needs no conversion.
    if (!address.includes(":")) return address;
    let prefix = prefixes.get(address);
    if (prefix === undefined) {
      prefix = toPrefix(address);
      prefixes.set(address, prefix);
    }
    return prefix;
  };

  return (incoming) => {
    const direct = removeZone(incoming.socket.remoteAddress ?? "unknown");
    // Node builds the map of headers when it is first read: too expensive for each hot read.
    if (!isTrusted(direct, 0)) return toSubject(direct);
    const forwarded = incoming.headers["x-forwarded-for"];
    if (forwarded === undefined) return toSubject(direct);
    const request = { socket: { remoteAddress: direct }, headers: { "x-forwarded-for": toHops(String(forwarded)) } };
    return toSubject(proxyAddr(request as unknown as IncomingMessage, isTrusted));
  };
}

/**
 * The hops of an X-Forwarded-For as addresses alone, without ports and zones. It begins right of the last entry that is
 * no address: a proxy that writes none (RFC 7239, 6) is itself the last address that is certain.
 */
function toHops(forwarded: string): string {
  const hops = forwarded.split(",").map((hop) => removeZone(removePort(hop.trim())));
  return hops.slice(hops.findLastIndex((hop) => isIP(hop) === 0) + 1).join(",");
}

/** Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711. */
function removePort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed) return bracketed[1]!;
  return /^[^:]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}

/** Without the name of the interface, which ipaddr.js does not accept in all forms that Node does. */
function removeZone(address: string): string {
  const zoneAt = address.indexOf("%");
  return zoneAt === -1 ? address : address.slice(0, zoneAt);
}

/** IPv4 in IPv6 as IPv4; else the /64, which one subscriber has whole (RFC 6177). */
function toPrefix(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${prefix.toRFC5952String()}/64`;
}
