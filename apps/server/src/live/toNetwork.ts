/**
 * Returns the network of a client address: the /24 of an IPv4 address, or the /48 of an IPv6 /64. A provider assigns a site
 * up to a /48 (RFC 6177), which has 65,536 different /64s. Any other text is its own network.
 *
 * @param address - An IPv4 address, or the /64 of an IPv6 address in the notation of RFC 5952.
 */
export function toNetwork(address: string): string {
  if (address.includes("::")) {
    // The last four groups of a /64 are zero, so `::` always replaces them, and the groups before it are complete.
    const groups = address.slice(0, address.indexOf("::")).split(":").slice(0, 3);
    while (groups.at(-1) === "0" || groups.at(-1) === "") groups.pop();
    return `${groups.join(":")}::/48`;
  }
  const lastDot = address.lastIndexOf(".");
  return lastDot === -1 ? address : `${address.slice(0, lastDot)}.0/24`;
}
