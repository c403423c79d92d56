import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Where a connection would go: an address, not a name, and a port. */
export type Target = { address: string; port: number };

/** Says whether a connection may be made. */
export type Permit = (target: Target) => boolean;

/** What the internet routes to hosts (RFC 4291): everything else of IPv6 is private, special or wraps an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Only hosts of the public internet, on the port of https. Refused are loopback, private, link-local (cloud metadata),
 * carrier-grade NAT, multicast, reserved and documentation ranges, and every IPv6 form that carries an IPv4 address:
 * mapped, compatible, translated (NAT64), 6to4, Teredo.
 *
 * @example
 * isPublicTarget({ address: "::ffff:10.0.0.1", port: 443 }); // false
 */
export const isPublicTarget: Permit = ({ address, port }) => {
  if (port !== 443 || isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(globalUnicast);
};
