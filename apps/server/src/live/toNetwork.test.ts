import { expect, it } from "vitest";
import { toNetwork } from "./toNetwork.ts";

it.each([
  ["203.0.113.7", "203.0.113.0/24"],
  ["2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:db8:1::/64", "2001:db8:1::/48"],
  ["2001:db8::/64", "2001:db8::/48"],
  ["2001:db8:0:2::/64", "2001:db8::/48"],
  ["2001:0:0:2::/64", "2001::/48"],
  ["2001:0:1:2::/64", "2001:0:1::/48"],
  ["::/64", "::/48"],
  ["unknown", "unknown"],
])("the network of %s is %s", (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
