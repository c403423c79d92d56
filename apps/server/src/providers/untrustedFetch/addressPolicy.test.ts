import { expect, test } from "vitest";
import { isPublicTarget } from "./addressPolicy.ts";

test.each(["8.8.8.8", "93.184.216.34", "1.1.1.1", "172.32.0.1", "192.169.0.1", "100.128.0.1", "169.253.0.1"])(
  "allows the public address %s on the https port only",
  (address) => {
    expect(isPublicTarget({ address, port: 443 })).toBe(true);
    for (const port of [80, 22, 5432, 8443, 0]) expect(isPublicTarget({ address, port })).toBe(false);
  },
);

test.each(["2606:4700:4700::1111", "2a00:1450:4001:830::200e", "2001:4860:4860::8888", "2400:cb00::1"])(
  "allows the public address %s",
  (address) => {
    expect(isPublicTarget({ address, port: 443 })).toBe(true);
  },
);

// The first and the last address of each range.
test.each([
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["::", "::ffff:ffff:ffff"],
  ["64:ff9b::", "64:ff9b::ffff:ffff"],
  ["100::", "100::ffff"],
  ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", "fbff::"],
  ["fc00::", "fdff:ffff::"],
  ["fe80::", "febf:ffff::"],
  ["fe80::1%eth0", "fe80::1%1"],
  ["ff00::", "ffff::"],
])("rejects the range from %s to %s", (first, last) => {
  expect(isPublicTarget({ address: first, port: 443 })).toBe(false);
  expect(isPublicTarget({ address: last, port: 443 })).toBe(false);
});

test.each(["", "localhost", "0x7f.1", "2130706433", "8.8.8", "8.8.8.8 ", "[::1]"])(
  "rejects %j, which is not an address",
  (address) => {
    expect(isPublicTarget({ address, port: 443 })).toBe(false);
  },
);
