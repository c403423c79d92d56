import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTrustProxy } from "../../config.ts";
import { createClientAddress, createPeerAddress } from "./clientAddress.ts";

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage;

const createAddress = (trust: string) => createClientAddress(parseTrustProxy(trust)!);

describe("parseTrustProxy", () => {
  it("parses false, true, a number of hops, addresses, ranges and names", () => {
    expect(parseTrustProxy("false")).toEqual({ hops: 0 });
    expect(parseTrustProxy("true")).toEqual({ hops: 1 });
    expect(parseTrustProxy("3")).toEqual({ hops: 3 });
    expect(parseTrustProxy("192.0.2.1, 2001:db8::/32,loopback")).toEqual({
      ranges: ["192.0.2.1", "2001:db8::/32", "loopback"],
    });
  });

  it("refuses anything else", () => {
    for (const text of ["", "yes", "-1", "192.0.2", "192.0.2.1/33", "loopback,", "everybody", "*", "0.0.0.0/0"]) {
      expect(parseTrustProxy(text), text).toBeNull();
    }
  });
});

describe("C4-10 the client address", () => {
  it("does not depend on X-Forwarded-For while no proxy is trusted", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.string(), (address, forwarded) => {
        expect(createAddress("false")(from(address, forwarded))).toBe(address);
      }),
    );
  });

  it("is the one that the trusted proxy appended, whatever the client sent", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), fc.ipV4(), (forged, seen) => {
        const forwarded = [...forged, seen].join(", ");
        for (const trust of ["true", "1", "192.0.2.1", "192.0.2.0/24"]) {
          expect(createAddress(trust)(from("192.0.2.1", forwarded)), trust).toBe(seen);
        }
      }),
    );
  });

  it("is the first hop from the right that is not trusted", () => {
    const forwarded = "198.51.100.9, 203.0.113.7, 10.0.0.3";
    expect(createAddress("1")(from("10.0.0.2", forwarded))).toBe("10.0.0.3");
    expect(createAddress("2")(from("10.0.0.2", forwarded))).toBe("203.0.113.7");
    expect(createAddress("10.0.0.0/8")(from("10.0.0.2", forwarded))).toBe("203.0.113.7");
    expect(createAddress("uniquelocal")(from("::ffff:10.0.0.2", forwarded))).toBe("203.0.113.7");
    // A client that bypasses the proxy is not a trusted proxy.
    expect(createAddress("10.0.0.0/8")(from("203.0.113.99", forwarded))).toBe("203.0.113.99");
  });

  it("is the last reliable address when the proxy appends none", () => {
    for (const forwarded of ["", "unknown", "_hidden", "300.1.1.1", "0x7f.1", "203.0.113.7, -"]) {
      expect(createAddress("1")(from("10.0.0.2", forwarded)), forwarded).toBe("10.0.0.2");
    }
    expect(createAddress("1")(from("10.0.0.2"))).toBe("10.0.0.2");
  });

  it("is parsed with and without a port", () => {
    expect(createAddress("1")(from("10.0.0.2", "203.0.113.7:4711"))).toBe("203.0.113.7");
    expect(createAddress("1")(from("10.0.0.2", "[2001:db8::1]:4711"))).toBe("2001:db8::/64");
  });

  it("C4-56 is the same for a connection, or null for the connection of a trusted proxy", () => {
    const createPeer = (trust: string) => createPeerAddress(parseTrustProxy(trust)!);
    expect(createPeer("false")({ remoteAddress: "2001:db8:1:2:3::4" })).toBe("2001:db8:1:2::/64");
    expect(createPeer("false")({ remoteAddress: "::ffff:192.0.2.7" })).toBe("192.0.2.7");
    expect(createPeer("10.0.0.0/8")({ remoteAddress: "192.0.2.7" })).toBe("192.0.2.7");
    expect(createPeer("10.0.0.0/8")({ remoteAddress: "::ffff:10.1.2.3" })).toBeNull();
    expect(createPeer("1")({ remoteAddress: "192.0.2.7" })).toBeNull();
  });

  it("is the /64 of an IPv6 address, and IPv4 in IPv6 is IPv4", () => {
    const plain = createAddress("false");
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0DB8:0001:2:3::"]) {
      expect(plain(from(address))).toBe("2001:db8:1:2::/64");
    }
    expect(plain(from("2001:db8:1:3::1"))).toBe("2001:db8:1:3::/64");
    expect(plain(from("::ffff:192.0.2.7"))).toBe("192.0.2.7");
    expect(plain(from("::ffff:c000:207"))).toBe("192.0.2.7");
    expect(plain(from("::1"))).toBe("::/64");
    // In the form of Node.js for a link-local client on a VLAN, and as a client may send it.
    expect(plain(from("fe80::1%eth0.100"))).toBe("fe80::/64");
    expect(createAddress("linklocal")(from("fe80::1%eth0.100", "2001:db8::1%a.b"))).toBe("2001:db8::/64");
  });
});
