import type { Manifest } from "@slipway/protocol/manifest";
import {
  type Address,
  createPublicClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  pad,
  parseAbi,
  toHex,
} from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deployer, type Fixture, startLocalDeployment, treasury } from "../../../tests/support/startLocalDeployment.ts";
import type { RpcClient } from "./createRpcClient.ts";
import { pinContract } from "./pinContract.ts";
import { proxySlots } from "./readProxySlots.ts";
import { verifyDeployment } from "./verifyDeployment.ts";

type Tier = Manifest["current"]["fee_policy"]["tiers"][number];

/** Returns the manifest with other fee tiers; null removes a tier. */
function withTiers(manifest: Manifest, change: (tier: Tier, index: number) => Tier | null): Manifest {
  const { current } = manifest;
  const tiers = current.fee_policy.tiers.map(change).filter((tier) => tier !== null);
  return { ...manifest, current: { ...current, fee_policy: { ...current.fee_policy, tiers } } };
}

const unrelated: Address = "0x00000000000000000000000000000000000000f1";

describe("verifyDeployment (C7-02)", () => {
  let fixture: Fixture;
  let manifest: Manifest;
  let token: Address;
  let snapshot: Hex;

  beforeAll(async () => {
    fixture = await startLocalDeployment();
    manifest = fixture.local.manifest;
    token = fixture.local.stablecoin;
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    snapshot = (await rpc("evm_snapshot")) as Hex;
  });
  afterEach(() => rpc("evm_revert", snapshot));

  const rpc = (method: string, ...params: unknown[]) => fixture.anvil.client.request({ method, params });
  const failed = async (changed: Manifest = manifest, client: RpcClient = fixture.anvil.client) =>
    (await verifyDeployment(client, changed)).checks.filter((check) => !check.ok).map((check) => check.name);
  const readCode = (address: string) => rpc("eth_getCode", address, "latest") as Promise<Hex>;
  const setSlot = (address: string, slot: Hex, value: Hex) =>
    rpc("anvil_setStorageAt", address, slot, pad(value, { size: 32 }));
  /** Finds the slot among the first ten that contains an address. */
  const slotHolding = async (address: string, content: Address): Promise<Hex> => {
    for (let index = 0; index < 10; index++) {
      const slot = toHex(index, { size: 32 });
      const word = (await rpc("eth_getStorageAt", address, slot, "latest")) as Hex;
      if (word.toLowerCase().endsWith(content.slice(2).toLowerCase())) return slot;
    }
    throw new Error(`${address} does not store ${content}`);
  };
  const contracts = (): Record<string, string> => ({
    launch_factory: manifest.current.launch_factory.address,
    fee_locker: manifest.current.fee_locker.address,
    splitter_factory: manifest.current.splitter_factory.address,
    splitter_implementation: manifest.current.splitter_implementation.address,
    vesting_factory: manifest.current.vesting_factory.address,
    vesting_implementation: manifest.current.vesting_implementation.address,
    opening_factory: manifest.current.opening_factory.address,
    opening_implementation: manifest.current.opening_implementation.address,
    gas_station: manifest.gas_station?.address ?? "",
    "uniswap.factory": manifest.uniswap.factory.address,
    "uniswap.router": manifest.uniswap.router.address,
    "uniswap.quoter": manifest.uniswap.quoter.address,
    wrapped_native: manifest.wrapped_native.address,
    multicall3: manifest.multicall3?.address ?? "",
  });
  const own = [
    ...["launch_factory", "fee_locker", "splitter_factory", "splitter_implementation"],
    ...["vesting_factory", "vesting_implementation", "opening_factory", "opening_implementation", "gas_station"],
  ];
  const thirdParty = ["uniswap.factory", "uniswap.router", "uniswap.quoter", "wrapped_native", "multicall3"];

  it("proves an untouched deployment in four calls", async () => {
    const methods: string[] = [];
    const counting: RpcClient = {
      request(call) {
        methods.push(call.method);
        return fixture.anvil.client.request(call);
      },
    };
    const { ok, checks, failedGasTokens } = await verifyDeployment(counting, manifest);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    expect({ ok, failedGasTokens }).toEqual({ ok: true, failedGasTokens: [] });
    expect(methods.sort()).toEqual(["eth_blockNumber", "eth_call", "eth_call", "eth_chainId"]);
    expect(new Set(checks.map((check) => check.name)).size).toBe(checks.length);
  });

  it("accepts a viem client", async () => {
    const client = createPublicClient({ transport: http(fixture.anvil.url) });
    expect((await verifyDeployment(client, manifest)).ok).toBe(true);
  });

  it("reads at the given block", async () => {
    await rpc("evm_mine");
    const { blockNumber, ok } = await verifyDeployment(fixture.anvil.client, manifest, { blockNumber: 24n });
    expect({ blockNumber, ok }).toEqual({ blockNumber: 24n, ok: true });
    expect((await verifyDeployment(fixture.anvil.client, manifest, { blockNumber: 3n })).ok).toBe(false);
  });

  it.each([...own, ...thirdParty])("detects other code at %s, and nothing else", async (name) => {
    const address = contracts()[name] as string;
    await rpc("anvil_setCode", address, `${await readCode(address)}00`);
    expect(await failed()).toEqual(own.includes(name) ? [`${name}.code`, `${name}.compiled_code`] : [`${name}.code`]);
  });

  it.each([...own, ...thirdParty])("detects that %s has become a proxy", async (name) => {
    const address = contracts()[name] as string;
    for (const slot of Object.values(proxySlots)) {
      await setSlot(address, slot, unrelated);
      expect(await failed()).toEqual([`${name}.proxy_slots`]);
      await setSlot(address, slot, "0x");
    }
    // Not an address, but not empty either.
    await setSlot(address, proxySlots.implementation, toHex(1n << 200n));
    expect(await failed()).toEqual([`${name}.proxy_slots`]);
  });

  it("detects a changed treasury, in locker and station", async () => {
    const { fee_locker, gas_station } = contracts();
    await setSlot(fee_locker as string, await slotHolding(fee_locker as string, treasury), unrelated);
    expect(await failed()).toEqual(["fee_locker.treasury"]);
    await setSlot(gas_station as string, await slotHolding(gas_station as string, treasury), unrelated);
    expect(await failed()).toEqual(["fee_locker.treasury", "gas_station.treasury"]);
  });

  it.each([
    ["launch_factory", "fee_locker", ["launch_factory.code", "launch_factory.LOCKER"]],
    ["launch_factory", "uniswap.factory", ["launch_factory.code", "launch_factory.UNISWAP_FACTORY"]],
    ["launch_factory", "wrapped_native", ["launch_factory.code", "launch_factory.WRAPPED_NATIVE"]],
    ["fee_locker", "launch_factory", ["fee_locker.code", "fee_locker.FACTORY"]],
    ["fee_locker", "wrapped_native", ["fee_locker.code", "fee_locker.WRAPPED_NATIVE"]],
    ["uniswap.router", "uniswap.factory", ["uniswap.router.code", "uniswap.router.factory"]],
    ["uniswap.router", "wrapped_native", ["uniswap.router.code", "uniswap.router.WETH9"]],
    ["uniswap.quoter", "uniswap.factory", ["uniswap.quoter.code", "uniswap.quoter.factory"]],
    ["uniswap.quoter", "wrapped_native", ["uniswap.quoter.code", "uniswap.quoter.WETH9"]],
  ])("detects %s wired to another %s", async (name, wiredTo, expected) => {
    const address = contracts()[name] as string;
    const wired = (contracts()[wiredTo] as string).slice(2).toLowerCase();
    await rpc("anvil_setCode", address, (await readCode(address)).replaceAll(wired, unrelated.slice(2).toLowerCase()));
    const names = (await failed()).filter((check) => !check.includes(".immutables."));
    expect(names.sort()).toEqual(expected.sort());
  });

  it.each([100, 50, 30, 10])("detects another tick spacing of the tier of %i bp", async (feeBps) => {
    await setTickSpacing(feeBps, 75);
    expect(await failed()).toEqual([`fee_policy.tick_spacing.${feeBps}`]);
  });

  it("accepts a tier that the owner of the Uniswap factory adds later", async () => {
    await setTickSpacing(50, 0);
    const without = withTiers(manifest, (tier) =>
      tier.fee_bps === 50 ? { ...tier, launchable: false, tick_spacing: null } : tier,
    );
    expect(await failed(without)).toEqual([]);
    await setTickSpacing(50, 100);
    expect(await failed(without)).toEqual([]);
  });

  const setTickSpacing = async (feeBps: number, tickSpacing: number) => {
    const key = [BigInt(feeBps) * 100n, 4n] as const;
    const slot = keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], key));
    await setSlot(manifest.uniswap.factory.address, slot, toHex(tickSpacing));
  };

  it("detects that the ETH/USD pool is not the factory's", async () => {
    const key = (outer: Hex, inner: Hex) => keccak256(`${pad(inner, { size: 32 })}${outer.slice(2)}` as Hex);
    const [low, high] = [manifest.wrapped_native.address, token].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)) as [
      Hex,
      Hex,
    ];
    const slot = key(key(key(pad("0x05", { size: 32 }), low), high), toHex(500));
    await setSlot(manifest.uniswap.factory.address, slot, unrelated);
    expect(await failed()).toEqual(["eth_usd.pool.address"]);
  });

  it("detects that the ETH/USD pool does not exist", async () => {
    await rpc("anvil_setCode", manifest.eth_usd?.pool, "0x");
    expect(await failed()).toEqual(["token0", "token1", "fee", "factory"].map((name) => `eth_usd.pool.${name}`));
  });

  it("proves the pools' code also when the probe's pool exists", async () => {
    const abi = parseAbi(["function createPool(address, address, uint24)"]);
    const args = [
      manifest.current.launch_factory.address as Address,
      manifest.current.fee_locker.address as Address,
      10_000,
    ] as const;
    const data = encodeFunctionData({ abi, functionName: "createPool", args });
    await rpc("eth_sendTransaction", {
      from: deployer.address,
      to: manifest.uniswap.factory.address,
      data,
      gas: "0x500000",
    });
    expect(await failed()).toEqual([]);
  });

  it.each([
    ["chain_id", (m: Manifest) => ({ ...m, chain_id: 1, gas_station_tokens: [], eth_usd: null })],
    [
      "uniswap.pool_init_code_hash",
      (m: Manifest) => ({ ...m, uniswap: { ...m.uniswap, pool_init_code_hash: `0x${"11".repeat(32)}` } }),
    ],
    ["launch_factory.START_TICK", (m: Manifest) => ({ ...m, current: { ...m.current, start_tick: -600 } })],
    [
      "launch_factory.PROTOCOL_FEE_BPS",
      (m: Manifest) => ({ ...m, current: { ...m.current, fee_policy: { ...m.current.fee_policy, protocol_bps: 20 } } }),
    ],
    ["fee_policy.tiers", (m: Manifest) => withTiers(m, (tier) => ({ ...tier, launchable: tier.fee_bps === 100 }))],
    ["fee_policy.tiers", (m: Manifest) => withTiers(m, (tier) => ({ ...tier, protocol_bps: 9 }))],
    ["fee_policy.tiers", (m: Manifest) => withTiers(m, (tier) => ({ ...tier, collaborators_bps: tier.fee_bps }))],
    ["fee_policy.tiers", (m: Manifest) => withTiers(m, (tier, index) => (index === 3 ? null : tier))],
    [
      "fee_policy.tick_spacing.50",
      (m: Manifest) => withTiers(m, (tier) => (tier.fee_bps === 50 ? { ...tier, tick_spacing: 60 } : tier)),
    ],
    [
      "launch_token.creation_code",
      (m: Manifest) => ({
        ...m,
        current: {
          ...m.current,
          launch_token: { ...m.current.launch_token, creation_code_hash: `0x${"11".repeat(32)}` },
        },
      }),
    ],
    [
      "launch_token.runtime_code",
      (m: Manifest) => ({
        ...m,
        current: {
          ...m.current,
          launch_token: { ...m.current.launch_token, runtime_code_hash: `0x${"11".repeat(32)}` },
        },
      }),
    ],
    [
      "launch_token.immutable_offsets",
      (m: Manifest) => ({
        ...m,
        current: { ...m.current, launch_token: { ...m.current.launch_token, immutable_offsets: [] } },
      }),
    ],
  ] as [string, (m: Manifest) => Manifest][])("detects a manifest with another %s", async (name, change) => {
    // The manifest's values are also part of the code of its contracts.
    const names = (await failed(change(manifest))).filter((check) => !/\.compiled$|\.immutables\./.test(check));
    expect(names).toEqual([name]);
  });

  it("C7-47 accepts no other code as Multicall3, also if the manifest pins it", async () => {
    const address = manifest.multicall3?.address as Address;
    await rpc("anvil_setCode", address, await readCode(manifest.uniswap.quoter.address));
    const multicall3 = await pinContract(fixture.anvil.client, address, "Multicall3");
    expect(await failed({ ...manifest, multicall3 })).toEqual(["multicall3.published"]);
    expect(await failed({ ...manifest, multicall3: null })).toEqual([]);
  });

  it("proves the contracts of the history too", async () => {
    const changed: Manifest = { ...manifest, history: [{ ...manifest.current, start_tick: 600 }] };
    expect(new Set((await failed(changed)).map((name) => name.replace(/\.\d+$/, "")))).toEqual(
      new Set([
        "history.0.launch_factory.compiled",
        "history.0.fee_locker.compiled",
        "history.0.launch_factory.START_TICK",
        "history.0.launch_factory.immutables.START_TICK",
        "history.0.launch_factory.immutables._SQRT_PRICE_X96_IF_TOKEN0",
        "history.0.launch_factory.immutables._SQRT_PRICE_X96_IF_TOKEN1",
        "history.0.launch_factory.immutables._LIQUIDITY_IF_TOKEN0",
        "history.0.launch_factory.immutables._LIQUIDITY_IF_TOKEN1",
        "history.0.fee_locker.immutables.START_TICK",
      ]),
    );
  });

  describe("a gas-station token", () => {
    it.each([
      ["other code", async () => rpc("anvil_setCode", token, `${await readCode(token)}00`), ["code"]],
      ["an implementation behind it", () => setSlot(token, proxySlots.implementation, unrelated), ["proxy_slots"]],
      ["no code", () => rpc("anvil_setCode", token, "0x"), ["code", "decimals", "DOMAIN_SEPARATOR"]],
      [
        "code that burns all gas",
        () => rpc("anvil_setCode", token, "0x5b600056"),
        ["code", "decimals", "DOMAIN_SEPARATOR"],
      ],
      [
        "code that returns megabytes",
        () => rpc("anvil_setCode", token, "0x620100006000f3"),
        ["code", "decimals", "DOMAIN_SEPARATOR"],
      ],
    ])("with %s is the only one disabled", async (_, tamper, names) => {
      await tamper();
      const { ok, checks, failedGasTokens } = await verifyDeployment(fixture.anvil.client, manifest);
      expect({ ok, failedGasTokens }).toEqual({ ok: true, failedGasTokens: [token] });
      const wrong = checks.filter((check) => !check.ok);
      expect(wrong.map((check) => check.name)).toEqual(names.map((name) => `gas_token.${token}.${name}`));
      expect(wrong.every((check) => check.scope === `gas_token:${token}`)).toBe(true);
    });

    it("with another permit domain or other decimals is the only one disabled", async () => {
      const [described] = manifest.gas_station_tokens;
      const changed = {
        ...described,
        decimals: 18,
        permit_domain: { name: "Other", version: "1" },
      } as typeof described;
      const result = await verifyDeployment(fixture.anvil.client, {
        ...manifest,
        gas_station_tokens: [changed as never],
      });
      expect(result).toMatchObject({ ok: true, failedGasTokens: [token] });
    });
  });

  describe("a stablecoin that the station does not accept", () => {
    it("is part of the core", async () => {
      const withoutTokens = { ...manifest, gas_station_tokens: [] };
      expect(await failed(withoutTokens)).toEqual([]);
      await rpc("anvil_setCode", token, `${await readCode(token)}00`);
      expect(await failed(withoutTokens)).toEqual(["eth_usd.stablecoin.code"]);
    });
  });

  describe("a proxy", () => {
    const implementation = () => manifest.uniswap.quoter.address;

    it("is proven with its pinned implementation", async () => {
      const weth = manifest.wrapped_native.address as Address;
      await setSlot(weth, proxySlots.implementation, implementation() as Hex);
      await setSlot(weth, proxySlots.admin, unrelated);
      const pinned = await pinContract(fixture.anvil.client, weth, "wrapped native");
      expect(pinned.proxy).toMatchObject({ implementation: implementation(), beacon: null, admin: unrelated });
      const changed = { ...manifest, wrapped_native: pinned };
      expect(await failed(changed)).toEqual([]);

      await setSlot(weth, proxySlots.implementation, manifest.uniswap.router.address as Hex);
      expect(await failed(changed)).toEqual(["wrapped_native.proxy_slots"]);
      await setSlot(weth, proxySlots.implementation, implementation() as Hex);
      await rpc("anvil_setCode", implementation(), `${await readCode(implementation())}00`);
      expect(await failed(changed)).toEqual(["uniswap.quoter.code", "wrapped_native.implementation.code"]);
    });

    it("with a beacon is proven with the beacon's implementation", async () => {
      const weth = manifest.wrapped_native.address as Address;
      const names = (address: string): Hex => `0x73${address.slice(2)}60005260206000f3`;
      await rpc("anvil_setCode", unrelated, names(implementation()));
      await setSlot(weth, proxySlots.beacon, unrelated);
      const changed = { ...manifest, wrapped_native: await pinContract(fixture.anvil.client, weth, "wrapped native") };
      expect(changed.wrapped_native.proxy).toMatchObject({ implementation: implementation(), beacon: unrelated });
      expect(await failed(changed)).toEqual([]);
      await rpc("anvil_setCode", unrelated, names(manifest.uniswap.router.address));
      expect(await failed(changed)).toEqual(["wrapped_native.beacon.implementation"]);
    });

    it("is detected through a node without state overrides", async () => {
      const plain: RpcClient = {
        async request(call) {
          if (call.method === "eth_call" && (call.params as unknown[]).length > 2)
            throw new Error("too many arguments");
          return fixture.anvil.client.request(call);
        },
      };
      expect(await failed(manifest, plain)).toEqual([]);
      await setSlot(manifest.wrapped_native.address, proxySlots.admin, unrelated);
      expect(await failed(manifest, plain)).toEqual(["wrapped_native.proxy_slots"]);
    });

    it("is detected through a node that ignores state overrides", async () => {
      const ignoring: RpcClient = {
        request: ({ method, params }) =>
          fixture.anvil.client.request({
            method,
            params: method === "eth_call" ? (params as unknown[]).slice(0, 2) : params,
          }),
      };
      await setSlot(manifest.wrapped_native.address, proxySlots.admin, unrelated);
      expect(await failed(manifest, ignoring)).toEqual(["wrapped_native.proxy_slots"]);
    });
  });

  it("reports that an endpoint does not answer, without its URL", async () => {
    const { createRpcClient } = await import("./createRpcClient.ts");
    const nowhere = createRpcClient("http://127.0.0.1:1/secret-key");
    const error = await verifyDeployment(nowhere, manifest).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "rpc_unavailable", message: expect.not.stringContaining("secret-key") });
  });
});
