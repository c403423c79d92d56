import { existsSync, readFileSync } from "node:fs";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import { launchForTypedData } from "@slipway/protocol/launchSignature";
import { type Manifest, templateRuntimeHash } from "@slipway/protocol/manifest";
import {
  type Allocation,
  checkSplitterDeployment,
  draftSplitterSalt,
  encodeCreateSplitter,
  encodeSplitterClone,
  maxPayees,
  predictFactorySplitter,
  splitterCreationInput,
} from "@slipway/protocol/splitter";
import {
  type Address,
  createTestClient,
  erc20Abi,
  getAddress,
  type Hex,
  hashTypedData,
  http,
  keccak256,
  parseAbi,
  parseEventLogs,
  publicActions,
  walletActions,
} from "viem";
import { anvil as anvilChain } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  deployer,
  type Fixture,
  owner,
  relayer,
  startLocalDeployment,
  treasury,
} from "../../../tests/support/startLocalDeployment.ts";
import { getRecordedGas } from "./createPlanner.ts";
import { finishDeployment, type ManifestInput } from "./finishDeployment.ts";
import { multicall3Address, multicall3CodeHash } from "./multicall3.ts";
import { getImmutableOffsets, readArtifact } from "./readArtifact.ts";
import { readManifest, serializeManifest } from "./readManifest.ts";

const poolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16 cardinality, uint16 cardinalityNext, uint8, bool)",
  "function observe(uint32[]) view returns (int56[] tickCumulatives, uint160[])",
]);
const startTick = 150_000;

describe("deployLocal", () => {
  let fixture: Fixture;
  const steps: [step: string, done: number, total: number][] = [];
  let sent = 0;
  const chain = () => ({ ...anvilChain, id: 46630 });
  const client = () =>
    createTestClient({ mode: "anvil", chain: chain(), transport: http(fixture.anvil.url), account: deployer })
      .extend(publicActions)
      .extend(walletActions);
  // Polls, because a chain that mines on demand shows a block before its receipts.
  const waitForReceipt = (hash: Hex) => vi.waitFor(() => client().getTransactionReceipt({ hash }), 60_000);

  beforeAll(async () => {
    fixture = await startLocalDeployment({ startTick, onProgress: (...step) => steps.push(step) });
    sent = await client().getTransactionCount({ address: deployer.address });
  });
  afterAll(() => fixture.stop());

  it("sends one transaction a step and reports every step once", async () => {
    expect(sent).toBe(steps.length);
    expect(steps.map(([, done]) => done)).toEqual(Array.from({ length: steps.length }, (_, index) => index + 1));
    expect(steps.every(([, , total]) => total === steps.length)).toBe(true);
  });

  it("writes a manifest that reads back as the returned one", () => {
    const { manifest, sha256, path } = fixture.local;
    expect(readManifest(readFileSync(path), sha256)).toEqual({ manifest, sha256 });
    expect(manifest).toMatchObject({
      chain_id: 46630,
      treasury,
      current: { start_tick: startTick },
      uniswap: {
        router_kind: "swap_router_02",
        pool_init_code_hash: "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54",
      },
      gas_station_tokens: [{ symbol: "USDG", decimals: 6, permit: true, permit_domain: { version: "1" } }],
      eth_usd: { fee: 500, stablecoin_symbol: "USDG", stablecoin_decimals: 6 },
    });
  });

  it("creates Multicall3 at the address that it has on other chains, with the same code", () => {
    expect(fixture.local.manifest.multicall3).toEqual({
      address: multicall3Address,
      runtime_code_hash: multicall3CodeHash,
    });
  });

  it("reads a manifest that names no Multicall3", () => {
    const { multicall3: _, ...older } = JSON.parse(readFileSync(fixture.local.path, "utf8"));
    expect(readManifest(JSON.stringify(older)).manifest).toEqual({ ...fixture.local.manifest, multicall3: null });
  });

  it("C8-14 pins the compiled contracts: artifact, manifest and chain agree", async () => {
    const { current, gas_station } = fixture.local.manifest;
    const own = {
      SplitterFactory: current.splitter_factory,
      FeeSplitter: current.splitter_implementation,
      LaunchFactory: current.launch_factory,
      FeeLocker: current.fee_locker,
      VestingFactory: current.vesting_factory,
      Vesting: current.vesting_implementation,
      OpeningFactory: current.opening_factory,
      Opening: current.opening_implementation,
      GasStation: gas_station,
    } as const;
    for (const [name, pinned] of Object.entries(own)) {
      const artifact = readArtifact(name as keyof typeof own);
      const code = (await client().getCode({ address: pinned?.address as Address })) as Hex;
      expect(keccak256(code)).toBe(pinned?.runtime_code_hash);
      expect(templateRuntimeHash(code, getImmutableOffsets(artifact))).toBe(keccak256(artifact.deployedBytecode));
    }
  });

  it("refuses to write a manifest when the code on the chain is not the compiled code", async () => {
    const address = fixture.local.manifest.current.fee_locker.address as Address;
    const code = (await client().getCode({ address })) as Hex;
    await client().setCode({ address, bytecode: `${code}00` });
    const { manifest } = fixture.local;
    const input: ManifestInput = {
      chainId: 46630,
      deployed: {
        wrappedNative: manifest.wrapped_native.address as Address,
        uniswap: {
          factory: manifest.uniswap.factory.address as Address,
          router: manifest.uniswap.router.address as Address,
          routerKind: "swap_router_02",
          quoter: manifest.uniswap.quoter.address as Address,
        },
        positionManager: null,
        multicall3: manifest.multicall3!.address as Address,
        slipway: {
          splitterFactory: manifest.current.splitter_factory.address as Address,
          splitterImplementation: manifest.current.splitter_implementation.address as Address,
          launchFactory: manifest.current.launch_factory.address as Address,
          feeLocker: address,
          vestingFactory: manifest.current.vesting_factory.address as Address,
          vestingImplementation: manifest.current.vesting_implementation.address as Address,
          openingFactory: manifest.current.opening_factory.address as Address,
          openingImplementation: manifest.current.opening_implementation.address as Address,
          gasStation: null,
          creationTransactions: {
            splitterFactory: manifest.current.splitter_factory.creation_transaction as Hex,
            launchFactory: manifest.current.launch_factory.creation_transaction as Hex,
            vestingFactory: manifest.current.vesting_factory.creation_transaction as Hex,
            openingFactory: manifest.current.opening_factory.creation_transaction as Hex,
          },
          deploymentBlock: BigInt(manifest.current.deployment_block),
        },
      },
      treasury,
      startTick,
      poolInitCodeHash: manifest.uniswap.pool_init_code_hash as Hex,
      ethUsd: null,
      gasStationTokens: [],
      history: [],
      commit: null,
      explorerUrl: null,
    };
    const path = `${fixture.local.path}.again`;
    await expect(finishDeployment(fixture.anvil.client, path, input)).rejects.toMatchObject({
      code: "deployment_unproven",
    });
    expect(existsSync(path)).toBe(false);
    await client().setCode({ address, bytecode: code });
  });

  it("gives the same bytes for the same manifest, whatever the order of its fields", () => {
    const { manifest, path } = fixture.local;
    const reversed = Object.fromEntries(Object.entries(manifest).reverse()) as Manifest;
    expect(serializeManifest(reversed)).toBe(readFileSync(path, "utf8"));
  });

  it("opens the ETH/USD pool at 3000, and the pool returns its price of the last ten minutes immediately", async () => {
    const pool = fixture.local.manifest.eth_usd?.pool as Address;
    const [, , , , cardinalityNext] = await client().readContract({
      address: pool,
      abi: poolAbi,
      functionName: "slot0",
    });
    expect(cardinalityNext).toBe(640);
    const [cumulatives] = await client().readContract({
      address: pool,
      abi: poolAbi,
      functionName: "observe",
      args: [[600, 0]],
    });
    const tick = Number((cumulatives[1] as bigint) - (cumulatives[0] as bigint)) / 600;
    const nativeIsToken0 = BigInt(fixture.local.manifest.wrapped_native.address) < BigInt(fixture.local.stablecoin);
    expect(1.0001 ** (nativeIsToken0 ? tick : -tick) * 1e12).toBeCloseTo(3000, -1);
  });

  it("creates the station with its float and its roles", async () => {
    const station = fixture.local.manifest.gas_station?.address as Address;
    expect(await client().getBalance({ address: station })).toBe(10n ** 19n);
    const abi = parseAbi(["function relayer() view returns (address)"]);
    expect(await client().readContract({ address: station, abi, functionName: "relayer" })).toBe(relayer);
  });

  it("deploys a factory that launches exactly at a start tick other than the default", async () => {
    const { manifest } = fixture.local;
    const factory = manifest.current.launch_factory.address as Address;
    const implementation = manifest.current.splitter_implementation.address as Address;
    const allocations = [{ payee: deployer.address, shareBps: 10_000 }];
    const data = splitterCreationInput(implementation, allocations);
    const splitter = (await waitForReceipt(await client().sendTransaction({ data }))).contractAddress as Address;
    const zero: Address = "0x0000000000000000000000000000000000000000";
    const nativeIsToken0 = new Set<boolean>();
    for (let salt = 0; nativeIsToken0.size < 2 && salt < 40; salt++) {
      const params = {
        name: "Sloop",
        symbol: "SLP",
        contractURI: "ipfs://sloop",
        splitter,
        partner: zero,
        feeBps: 100,
        salt: `0x${salt.toString(16).padStart(64, "0")}` as Hex,
      };
      const { result, request } = await client().simulateContract({
        address: factory,
        abi: launchFactoryAbi,
        functionName: "launch",
        args: [params, { recipient: zero, minimumOut: 0n }],
        account: deployer,
      });
      const [token, pool] = result;
      const hash = await client().writeContract(request);
      await waitForReceipt(hash);
      const tokenIsToken1 = BigInt(manifest.wrapped_native.address) < BigInt(token);
      nativeIsToken0.add(tokenIsToken1);
      const [, tick] = await client().readContract({ address: pool, abi: poolAbi, functionName: "slot0" });
      expect(tick).toBe(tokenIsToken1 ? startTick : -startTick);
      expect(await client().readContract({ address: token, abi: erc20Abi, functionName: "totalSupply" })).toBe(
        10n ** 27n,
      );

      const template = manifest.current.launch_token;
      const runtimeCode = (await client().getCode({ address: token })) as Hex;
      expect(templateRuntimeHash(runtimeCode, template.immutable_offsets)).toBe(template.runtime_code_hash);
    }
    expect(nativeIsToken0).toEqual(new Set([true, false]));
    expect(getImmutableOffsets(readArtifact("LaunchToken")).length).toBeGreaterThan(0);
  });

  describe("splitters", () => {
    const pinned = () => fixture.local.manifest.current;
    const factory = () => pinned().splitter_factory.address as Address;
    const implementation = () => pinned().splitter_implementation.address as Address;
    const createAllocations = (count: number): Allocation[] =>
      Array.from({ length: count }, (_, index) => ({
        payee: getAddress(`0x${(0xa0000 + index).toString(16).padStart(40, "0")}`),
        shareBps: index === 0 ? 10_000 - count + 1 : 1,
      }));

    it("C8-18 encodes the creation code and predicts the address as the factory does, for every number of payees", async () => {
      const salt = draftSplitterSalt("0190a5c0-1111-7000-8000-000000000001");
      for (let count = 1; count <= maxPayees; count++) {
        const allocations = createAllocations(count);
        const args = [allocations.map(({ payee }) => payee), allocations.map(({ shareBps }) => shareBps)] as const;
        const contract = { address: factory(), abi: splitterFactoryAbi } as const;
        expect(await client().readContract({ ...contract, functionName: "creationCode", args })).toBe(
          splitterCreationInput(implementation(), allocations),
        );
        expect(await client().readContract({ ...contract, functionName: "predict", args: [...args, salt] })).toBe(
          predictFactorySplitter(factory(), implementation(), allocations, salt),
        );
      }
    });

    it.each([1, 2, 20])("C8-18 are proven by their creation transaction, with %i payees", async (count) => {
      const allocations = createAllocations(count);
      const hash = await client().sendTransaction({ data: splitterCreationInput(implementation(), allocations) });
      const { contractAddress, logs } = await waitForReceipt(hash);
      const splitter = contractAddress as Address;
      const { to, input } = await client().getTransaction({ hash });
      const code = (await client().getCode({ address: splitter })) as Hex;
      const deployment = { to, input, contractAddress: splitter, succeeded: true };
      expect(checkSplitterDeployment(splitter, deployment, code, implementation())).toEqual({ allocations });
      const [created] = parseEventLogs({ abi: feeSplitterAbi, logs, eventName: "SplitterCreated" });
      expect(created?.address).toBe(splitter.toLowerCase());
      expect(created?.args).toEqual({
        payees: allocations.map(({ payee }) => payee),
        shares: allocations.map(({ shareBps }) => shareBps),
      });
    });

    it("C8-18 are created by the factory once, at the predicted address and with the same code", async () => {
      const allocations = createAllocations(3);
      const salt = draftSplitterSalt("0190a5c0-1111-7000-8000-000000000002");
      const data = encodeCreateSplitter(allocations, salt);
      const splitter = predictFactorySplitter(factory(), implementation(), allocations, salt);
      expect((await waitForReceipt(await client().sendTransaction({ to: factory(), data }))).logs).toHaveLength(1);
      expect(await client().getCode({ address: splitter })).toBe(encodeSplitterClone(implementation(), allocations));
      const again = await waitForReceipt(await client().sendTransaction({ to: factory(), data }));
      expect(again).toMatchObject({ status: "success", logs: [] });
      const recorded = { address: factory(), abi: splitterFactoryAbi, functionName: "isSplitter" } as const;
      expect(await client().readContract({ ...recorded, args: [splitter] })).toBe(true);
    });
  });

  it("deploys a factory whose digest of a launch equals the digest of the typed data", async () => {
    const factory = fixture.local.manifest.current.launch_factory.address as Address;
    const launch = {
      creator: deployer.address,
      params: {
        name: "Sloop",
        symbol: "SLP",
        contractURI: "ipfs://sloop",
        splitter: owner,
        salt: keccak256("0x01"),
        partner: treasury,
        feeBps: 100,
      },
      buy: { recipient: relayer, minimumOut: 7n },
      value: 10n ** 18n,
      deadline: 1_900_000_000n,
      epoch: 0n,
    };
    const digest = await client().readContract({
      address: factory,
      abi: launchFactoryAbi,
      functionName: "digestOf",
      args: [launch.creator, launch.params, launch.buy, launch.value, launch.deadline],
    });
    expect(hashTypedData(launchForTypedData(launch, factory, 46630) as never)).toBe(digest);
  });

  it("needs no more gas than the recorded figures", async () => {
    const recorded = ["wrapped_native", "uniswap_factory", "uniswap_position_manager", "uniswap_router"];
    recorded.push("uniswap_fee_tier_5000", "uniswap_fee_tier_1000", "uniswap_owner");
    recorded.push("uniswap_quoter", "splitter_factory", "launch_factory", "vesting_factory", "opening_factory");
    recorded.push("gas_station", "gas_station_float");
    const blocks = await Promise.all(
      steps.map((_, index) => client().getBlock({ blockNumber: BigInt(index + 1), includeTransactions: false })),
    );
    for (const [index, [step]] of steps.entries()) {
      if (!recorded.includes(step)) continue;
      expect({ step, fits: (blocks[index]?.gasUsed ?? 0n) <= getRecordedGas(step) }).toEqual({ step, fits: true });
    }
  });
});
