import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddr from "proxy-addr";
import type { TrustProxy } from "../../config.ts";

/** The /64 of recent IPv6 addresses. */
const prefixes = new LRUCache<string, string>({ max: 10_000 });

/** Returns the client of a request for limits and budgets: an IPv4 address, or the /64 of an IPv6 address. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Creates the function that finds a client's address: the address of the connection or, behind a trusted proxy, the first
 * untrusted hop of X-Forwarded-For from the right. The client may have written the entries further left, so they are
 * ignored. Without a trusted proxy the whole header is ignored.
 */
export function createClientAddress(trustProxy: TrustProxy): ClientAddress {
  const isTrusted = createIsTrusted(trustProxy);

  return (incoming) => {
    const direct = removeZone(incoming.socket.remoteAddress ?? "unknown");
    // Node.js builds the map of headers when it is first read, which is too expensive for a cached response.
    if (!isTrusted(direct, 0)) return toSubject(direct);
    const forwarded = incoming.headers["x-forwarded-for"];
    if (forwarded === undefined) return toSubject(direct);
    const request = { socket: { remoteAddress: direct }, headers: { "x-forwarded-for": toHops(String(forwarded)) } };
    return toSubject(proxyAddr(request as unknown as IncomingMessage, isTrusted));
  };
}

/**
 * Creates the function that finds the address that a connection counts for: an IPv4 address, or the /64 of an IPv6 address.
 * It returns null for a connection of a trusted proxy, which carries the requests of many clients.
 */
export function createPeerAddress(trustProxy: TrustProxy): (socket: Pick<Socket, "remoteAddress">) => string | null {
  const isTrusted = createIsTrusted(trustProxy);
  return ({ remoteAddress }) => {
    const direct = removeZone(remoteAddress ?? "unknown");
    return isTrusted(direct, 0) ? null : toSubject(direct);
  };
}

/** Creates the function that decides whether a hop is trusted; `depth` 0 is the hop that connects to the service. */
function createIsTrusted(trustProxy: TrustProxy): (address: string, depth: number) => boolean {
  if ("hops" in trustProxy) return (_address, depth) => depth < trustProxy.hops;
  return proxyAddr.compile([...trustProxy.ranges]);
}

/** Converts an address to the subject of limits. */
function toSubject(address: string): string {
  // Most addresses are plain IPv4, which needs no conversion.
  if (!address.includes(":")) return address;
  let prefix = prefixes.get(address);
  if (prefix === undefined) {
    prefix = toPrefix(address);
    prefixes.set(address, prefix);
  }
  return prefix;
}

/**
 * Returns the hops of an X-Forwarded-For without ports and zones. The hops begin to the right of the last entry that is
 * not an address: if a proxy writes no address (RFC 7239, 6), its own address is the last reliable one.
 */
function toHops(forwarded: string): string {
  const hops = forwarded.split(",").map((hop) => removeZone(removePort(hop.trim())));
  return hops.slice(hops.findLastIndex((hop) => isIP(hop) === 0) + 1).join(",");
}

/** Removes the port that some proxies append: 192.0.2.1:4711, [2001:db8::1]:4711. */
function removePort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed) return bracketed[1]!;
  return /^[^:]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}

/** Removes the name of the interface: ipaddr.js does not accept all forms of it that Node.js accepts. */
function removeZone(address: string): string {
  const zoneAt = address.indexOf("%");
  return zoneAt === -1 ? address : address.slice(0, zoneAt);
}

/** Converts an IPv4-mapped address to IPv4, and any other IPv6 address to its /64, which belongs to one subscriber (RFC 6177). */
function toPrefix(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${prefix.toRFC5952String()}/64`;
}
