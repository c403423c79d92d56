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
