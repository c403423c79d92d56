import type { Settings } from "@slipway/protocol/settings";
import { expect, test } from "vitest";
import { toChain } from "./deployment.ts";

const address = (byte: string) => `0x${byte.repeat(20)}`;
const toSettings = (contracts: Settings["contracts"]) =>
  ({ chain_id: 46630, chain: { name: "Test", rpc_urls: [] }, contracts }) as unknown as Settings;

test("C10-70 the contracts of the first response stay until the page is reloaded", () => {
  expect(toChain(toSettings({}), null)).toBeNull();
  const contracts = { launch_factory: address("22"), uniswap_router: address("77") };
  const chain = toChain(toSettings(contracts), null);
  expect(chain).toMatchObject({ id: 46630, factory: address("22"), contracts });
  expect(toChain(toSettings({ ...contracts, uniswap_router: address("ee") }), chain)).toBe(chain);
  expect(toChain(toSettings({}), chain)).toBe(chain);
});

test("C10-98 only a public paymaster without a password reaches the wallet, and stays until the page is reloaded", () => {
  const contracts = { launch_factory: address("22") };
  const toPaymaster = (paymaster_url: unknown) =>
    toChain({ ...toSettings(contracts), paymaster_url } as Settings, null)?.paymasterUrl;
  expect(toPaymaster("https://paymaster.example/rpc")).toBe("https://paymaster.example/rpc");
  const refused = ["http://paymaster.example", "https://me:secret@paymaster.example", "javascript:alert(1)", "", null];
  // A server of an earlier version has no such setting.
  expect([...refused, undefined].map(toPaymaster)).toEqual([null, null, null, null, null, null]);
  const known = toChain({ ...toSettings(contracts), paymaster_url: null }, null);
  expect(toChain({ ...toSettings(contracts), paymaster_url: "https://late.example" }, known)?.paymasterUrl).toBeNull();
});
