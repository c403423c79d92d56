import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { ProxyTrust } from "../proxyTrust.ts";

/** What an address from outside is normalised to is remembered for so many. */
const rememberedAddresses = 10_000;

/** Whom a request is from, as limits and budgets count: an IPv4 address, or the /64 of an IPv6 address. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Who asks, by the connection's address or, behind a trusted proxy, by X-Forwarded-For: the first hop from the right
 * that is not trusted. What stands further left was written by the client and counts for nothing; so does the whole
 * header when no proxy is trusted.
 */
export function createClientAddress(trust: ProxyTrust): ClientAddress {
  const isTrusted = trustOf(trust);
  const known = new LRUCache<string, string>({ max: rememberedAddresses });

  const subjectOf = (address: string): string => {
    // Nearly every address is plain IPv4 and stands for itself.
    if (!address.includes(":")) return address;
    let subject = known.get(address);
    if (subject === undefined) {
      subject = normalise(address);
      known.set(address, subject);
    }
    return subject;
  };

  return (request) => {
    const direct = request.socket.remoteAddress ?? "unknown";
    if (!isTrusted(direct, 0)) return subjectOf(direct);
    const forwarded = request.headers["x-forwarded-for"];
    if (forwarded === undefined) return subjectOf(direct);
    const hops = String(forwarded).split(",");
    let address = direct;
    for (let depth = 0; isTrusted(address, depth) && hops.length > 0; depth++) {
      const next = withoutPort(hops.pop()!.trim());
      // A trusted proxy that writes no address says nothing; its own is the last that is certain.
      if (isIP(next) === 0) break;
      address = next;
    }
    return subjectOf(address);
  };
}

function trustOf(trust: ProxyTrust): (address: string, depth: number) => boolean {
  if ("hops" in trust) return (_, depth) => depth < trust.hops;
  const ranges = trust.ranges.map((range) => ipaddr.parseCIDR(range));
  return (address) => {
    if (isIP(address) === 0) return false;
    const parsed = parse(address);
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  };
}

/** Without its zone, the name of an interface here: ipaddr.js knows fewer of them than Node, and throws at the others. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(address.replace(/%.*/s, ""));
}

/** IPv4 in IPv6 as IPv4; else the /64, which one subscriber has whole (RFC 6177). */
function normalise(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${prefix.toRFC5952String()}/64`;
}

/** Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop);
  if (bracketed) return bracketed[1]!;
  return /^[^:]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}
