import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  size,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  deployer,
  type Fixture,
  owner,
  relayer,
  startLocalDeployment,
  treasury,
} from "../../../tests/support/startLocalDeployment.ts";
import { createBroadcaster } from "./createBroadcaster.ts";
import { createChainReader } from "./createRpcClient.ts";
import { type DeployedSet, deployAll } from "./deployAll.ts";
import type { Deployer } from "./deployer.ts";
import { buildManifest, finishDeployment, type ManifestInput } from "./finishDeployment.ts";
import { createMemoryJournal } from "./openDeploymentState.ts";
import { readArtifact } from "./readArtifact.ts";
import { verifyDeployment } from "./verifyDeployment.ts";

const attacker: Address = "0x00000000000000000000000000000000000000f1";

describe("the transactions that created a deployment", () => {
  let fixture: Fixture;
  let manifest: Manifest;
  beforeAll(async () => {
    fixture = await startLocalDeployment();
    manifest = fixture.local.manifest;
  });
  afterAll(() => fixture.stop());

  const client = () => fixture.anvil.client;
  const readFailures = async (changed: Manifest) =>
    (await verifyDeployment(client(), changed, { creations: true })).checks.filter(({ ok }) => !ok);

  /** Deploys another set on the same Uniswap; `change` replaces the creation code of a step. */
  async function deployAnother(change: (step: string, code: Hex) => Promise<Hex>): Promise<DeployedSet> {
    const broadcaster = createBroadcaster({
      client: client(),
      chainId: manifest.chain_id,
      account: deployer,
      journal: createMemoryJournal(),
    });
    const tampered: Deployer = {
      ...broadcaster,
      create: async (step, code) => broadcaster.create(step, await change(step, code)),
    };
    const { uniswap, wrapped_native } = manifest;
    return deployAll(tampered, {
      existing: {
        wrappedNative: wrapped_native.address as Address,
        uniswap: {
          factory: uniswap.factory.address as Address,
          router: uniswap.router.address as Address,
          routerKind: uniswap.router_kind,
          quoter: uniswap.quoter.address as Address,
        },
      },
      routerKind: uniswap.router_kind,
      treasury,
      owner,
      relayer,
      startTick: manifest.current.start_tick,
      multicall3: null,
      stationFloatInWei: 0n,
    });
  }

  const toInput = (deployed: DeployedSet): ManifestInput => ({
    chainId: manifest.chain_id,
    deployed,
    treasury,
    startTick: manifest.current.start_tick,
    poolInitCodeHash: manifest.uniswap.pool_init_code_hash as Hex,
    ethUsd: manifest.eth_usd,
    gasStationTokens: manifest.gas_station_tokens,
    history: [manifest.current],
    commit: null,
    explorerUrl: null,
  });

  /** Returns creation code that returns the genuine code, but first records the attacker's contract as a splitter. */
  async function poisonSplitterFactory(): Promise<Hex> {
    const nonce = (await client().request({
      method: "eth_getTransactionCount",
      params: [deployer.address, "latest"],
    })) as Hex;
    const factory = getContractAddress({ from: deployer.address, nonce: BigInt(nonce) });
    const implementation = pad(getContractAddress({ from: factory, nonce: 1n }))
      .slice(2)
      .toLowerCase();
    const splitter = encodeDeployData({
      ...readArtifact("FeeSplitter"),
      args: [manifest.wrapped_native.address as Address],
    });
    const artifact = readArtifact("SplitterFactory");
    let runtime: string = artifact.deployedBytecode;
    for (const start of artifact.immutables.flatMap(({ starts }) => starts)) {
      runtime = `${runtime.slice(0, 2 + 2 * start)}${implementation}${runtime.slice(66 + 2 * start)}`;
    }
    const slot = keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [attacker, 0n]));
    const push = (value: number) => concatHex(["0x61", numberToHex(value, { size: 2 })]);
    const codeSize = 64;
    const a = size(splitter);
    const b = size(runtime as Hex);
    return concatHex([
      ...(["0x60017f", slot, "0x55"] as Hex[]),
      ...([push(a), push(codeSize), "0x5f39", push(a), "0x5f5ff050"] as Hex[]),
      ...([push(b), push(codeSize + a), "0x5f39", push(b), "0x5ff3"] as Hex[]),
      splitter,
      runtime as Hex,
    ]);
  }

  it("equal the manifest's transactions in an untouched deployment, also in the history", async () => {
    const { checks } = await verifyDeployment(
      client(),
      { ...manifest, history: [manifest.current] },
      { creations: true },
    );
    const names = checks.filter(({ name }) => name.endsWith(".creation")).map(({ name }) => name);
    expect(names).toEqual([
      "splitter_factory.creation",
      "launch_factory.creation",
      "vesting_factory.creation",
      "opening_factory.creation",
      "history.0.splitter_factory.creation",
      "history.0.launch_factory.creation",
      "history.0.vesting_factory.creation",
      "history.0.opening_factory.creation",
      "gas_station.creation",
    ]);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  it("C8-19 are refused when the creation code returns the genuine code after it has written storage", async () => {
    const deployed = await deployAnother(async (step, code) =>
      step === "splitter_factory" ? await poisonSplitterFactory() : code,
    );
    const poisoned = await buildManifest(client(), toInput(deployed));
    const recorded = await createChainReader(client()).readContract({
      address: deployed.slipway.splitterFactory,
      abi: splitterFactoryAbi,
      functionName: "isSplitter",
      args: [attacker],
    });
    expect(recorded).toBe(true);
    // Every contract has the right code.
    expect((await verifyDeployment(client(), poisoned)).ok).toBe(true);
    expect(await readFailures(poisoned)).toMatchObject([
      { name: "splitter_factory.creation", actual: "not created from the creation code of SplitterFactory" },
    ]);
    const path = `${fixture.local.path}.poisoned`;
    await expect(finishDeployment(client(), path, toInput(deployed))).rejects.toMatchObject({
      code: "deployment_unproven",
      message: expect.stringContaining("splitter_factory.creation"),
    });
  });

  it.each([
    ["bytes after the arguments", "launch_factory", "created with other arguments"],
    ["bytes after the arguments", "gas_station", "created with other arguments"],
  ])("C8-19 are refused with %s of %s", async (_, added, problem) => {
    const deployed = await deployAnother(async (step, code) => (step === added ? concatHex([code, "0x00"]) : code));
    const changed = await buildManifest(client(), toInput(deployed));
    expect(await readFailures(changed)).toMatchObject([{ name: `${added}.creation`, actual: problem }]);
  });

  it("C8-19 are refused when the manifest names another transaction, or one that does not exist", async () => {
    const { launch_factory, splitter_factory } = manifest.current;
    const rename = (hash: string): Manifest => ({
      ...manifest,
      current: { ...manifest.current, launch_factory: { ...launch_factory, creation_transaction: hash } },
    });
    expect(await readFailures(rename(splitter_factory.creation_transaction))).toMatchObject([
      { name: "launch_factory.creation", actual: `the creation of ${splitter_factory.address.toLowerCase()}` },
    ]);
    expect(await readFailures(rename(`0x${"12".repeat(32)}`))).toMatchObject([
      { name: "launch_factory.creation", actual: "the node does not have the transaction" },
    ]);
  });
});
