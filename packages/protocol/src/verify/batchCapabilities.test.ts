import { expect, test } from "vitest";
import { isOrderedCapabilities } from "./batchCapabilities.ts";

const url = "https://paymaster.example/rpc";
const service = { url, optional: true };

test("accepts no capability, and exactly the deployment's paymaster as an optional one", () => {
  expect(isOrderedCapabilities(undefined, null)).toBe(true);
  expect(isOrderedCapabilities(undefined, url)).toBe(true);
  expect(isOrderedCapabilities({ paymasterService: service }, url)).toBe(true);
});

test.each([
  ["a paymaster without a deployment's", { paymasterService: service }, null],
  ["another paymaster", { paymasterService: { ...service, url: `${url}/` } }, url],
  ["a paymaster in other letters", { paymasterService: { ...service, url: url.toUpperCase() } }, url],
  ["a required paymaster", { paymasterService: { ...service, optional: false } }, url],
  ["a paymaster without the word optional", { paymasterService: { url } }, url],
  ["a context for the paymaster", { paymasterService: { ...service, context: { token: "0x" } } }, url],
  ["a second capability", { paymasterService: service, auxiliaryFunds: { optional: true } }, url],
  ["another capability", { permissions: service }, url],
  ["capabilities without one", {}, url],
  ["null", null, url],
  ["a list", [service], url],
  ["a text", url, url],
])("C10-98 refuses %s", (_, capabilities, paymasterUrl) =>
  expect(isOrderedCapabilities(capabilities, paymasterUrl)).toBe(false),
);
