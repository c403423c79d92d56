import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { launchTokenCreationCode } from "./contracts/launchTokenCreationCode.ts";
import { type LaunchParams, launchAddress, toLaunchAddressContext } from "./launchAddress.ts";
import type { Manifest } from "./manifest.ts";
import { createVanitySearch, predictToken } from "./vanitySearch.ts";

const address = (byte: string) => `0x${byte.repeat(20)}`;
const manifest = {
  current: { launch_factory: { address: address("fa") }, fee_locker: { address: address("fb") } },
  uniswap: { factory: { address: address("fc") }, pool_init_code_hash: `0x${"0c".repeat(32)}` },
  wrapped_native: { address: address("fd") },
} as unknown as Manifest;
const params: LaunchParams = {
  name: "Vane",
  symbol: "VANE",
  contractURI: "data:,",
  splitter: address("f1") as Hex,
  salt: `0x${"5a".repeat(32)}`,
  partner: address("00") as Hex,
  feeBps: 100,
};
const creator = address("c1");
const contracts = { launch_factory: address("fa"), fee_locker: address("fb") };
const search = (suffix: string) => createVanitySearch({ contracts, creator, params, suffix });

describe("createVanitySearch", () => {
  test.each(["0", "f", "A7"])("finds the first salt whose token ends with %s", (suffix) => {
    const started = search(suffix);
    const found = started.tryNext(100_000)!;
    const context = toLaunchAddressContext(manifest, launchTokenCreationCode as Hex);
    const { token } = launchAddress(context, creator as Hex, { ...params, salt: found.salt });
    expect(found.token).toBe(token.toLowerCase());
    expect(predictToken(contracts, creator, { ...params, salt: found.salt })).toBe(found.token);
    expect(found.token.endsWith(suffix.toLowerCase())).toBe(true);
    expect(started.tried()).toBe(found.tried);
    // In several parts, with one salt fewer: nothing before it matches.
    const parts = search(suffix);
    expect(parts.tryNext(found.tried - 1)).toBeNull();
    expect(parts.tryNext(1)).toEqual(found);
  });

  test("compares all 32 bits of eight digits", () => {
    const { token } = search("0").tryNext(1_000)!;
    const exact = search(token.slice(-8));
    expect(exact.expected).toBe(2 ** 32);
    expect(exact.tryNext(1_000)!.token).toBe(token);
  });

  test.each(["", "0xab", "g", "123456789", " a"])("refuses the suffix %o", (suffix) => {
    expect(() => search(suffix)).toThrow(RangeError);
  });
});
