import { existsSync, readFileSync } from "node:fs";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { feeSplitterCreationCode } from "@slipway/protocol/contracts/feeSplitterCreationCode";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { type Manifest, templateRuntimeHash } from "@slipway/protocol/manifest";
import {
  type Address,
  createTestClient,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseAbi,
  publicActions,
  walletActions,
} from "viem";
import { anvil as anvilChain } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { finishDeployment, type ManifestInput } from "./finishDeployment.ts";
import { readManifest, serializeManifest } from "./readManifest.ts";
import { getImmutableOffsets, readArtifact } from "./readArtifact.ts";
import { getRecordedGas } from "./createPlanner.ts";
import {
  deployer,
  type Fixture,
  relayer,
  startLocalDeployment,
  treasury,
} from "../../../tests/support/startLocalDeployment.ts";

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
  // Polled: a chain that mines only what it receives shows a block before its receipts.
  const waitForReceipt = (hash: Hex) => vi.waitFor(() => client().getTransactionReceipt({ hash }), 30_000);

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

  it("C8-14 pins the compiled contracts: artifact, manifest and chain agree", async () => {
    const { current, gas_station } = fixture.local.manifest;
    const own = {
      LaunchFactory: current.launch_factory,
      FeeLocker: current.fee_locker,
      GasStation: gas_station,
    } as const;
    for (const [name, pinned] of Object.entries(own)) {
      const artifact = readArtifact(name as keyof typeof own);
      const code = (await client().getCode({ address: pinned?.address as Address })) as Hex;
      expect(keccak256(code)).toBe(pinned?.runtime_code_hash);
      expect(templateRuntimeHash(code, getImmutableOffsets(artifact))).toBe(keccak256(artifact.deployedBytecode));
    }
  });

  it("refuses to write a manifest when the code on the chain is not the compiled one", async () => {
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
        slipway: {
          launchFactory: manifest.current.launch_factory.address as Address,
          feeLocker: address,
          gasStation: null,
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
    const deployed = await client().deployContract({
      abi: feeSplitterAbi,
      bytecode: feeSplitterCreationCode,
      args: [[deployer.address], [10_000]],
    });
    const splitter = (await waitForReceipt(deployed)).contractAddress as Address;
    const zero: Address = "0x0000000000000000000000000000000000000000";
    const nativeIsToken0 = new Set<boolean>();
    for (let salt = 0; nativeIsToken0.size < 2 && salt < 40; salt++) {
      const params = {
        name: "Sloop",
        symbol: "SLP",
        contractURI: "ipfs://sloop",
        splitter,
        partner: zero,
        partnerShareBps: 0,
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

      const runtime = {
        launch_token: (await client().getCode({ address: token })) as Hex,
        fee_splitter: (await client().getCode({ address: splitter })) as Hex,
      };
      for (const name of ["launch_token", "fee_splitter"] as const) {
        const template = manifest.current[name];
        expect(templateRuntimeHash(runtime[name], template.immutable_offsets)).toBe(template.runtime_code_hash);
      }
    }
    expect(nativeIsToken0).toEqual(new Set([true, false]));
    expect(getImmutableOffsets(readArtifact("LaunchToken")).length).toBeGreaterThan(0);
  });

  it("needs no more gas than the recorded figures", async () => {
    const recorded = ["wrapped_native", "uniswap_factory", "uniswap_position_manager", "uniswap_router"];
    recorded.push("uniswap_quoter", "launch_factory", "gas_station", "gas_station_float");
    const blocks = await Promise.all(
      steps.map((_, index) => client().getBlock({ blockNumber: BigInt(index + 1), includeTransactions: false })),
    );
    for (const [index, [step]] of steps.entries()) {
      if (!recorded.includes(step)) continue;
      expect({ step, fits: (blocks[index]?.gasUsed ?? 0n) <= getRecordedGas(step) }).toEqual({ step, fits: true });
    }
  });
});
