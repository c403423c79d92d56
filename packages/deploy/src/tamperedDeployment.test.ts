import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import type { Manifest } from "@slipway/protocol/manifest";
import {
  type Address,
  concatHex,
  encodeFunctionData,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  toFunctionSelector,
  toHex,
} from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runCli } from "../../../tests/support/runDeployCli.ts";
import {
  type Fixture,
  owner,
  relayer,
  startLocalDeployment,
  treasury,
} from "../../../tests/support/startLocalDeployment.ts";
import { type ContractName, readArtifact } from "./readArtifact.ts";
import { writeManifest } from "./readManifest.ts";
import { proxySlots } from "./readProxySlots.ts";
import { verifyDeployment } from "./verifyDeployment.ts";

const attacker: Address = "0x00000000000000000000000000000000000000f1";
const genuineAt: Address = "0x00000000000000000000000000000000000000f2";
const rolesAbi = parseAbi([
  "function proposeOwner(address)",
  "function acceptOwnership()",
  "function setRelayer(address)",
]);

/** A deployment from a tampered checkout: chain and manifest agree with each other. */
describe("a deployment of a tampered checkout", () => {
  let fixture: Fixture;
  let manifest: Manifest;
  let snapshot: Hex;

  beforeAll(async () => {
    fixture = await startLocalDeployment();
    manifest = fixture.local.manifest;
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    snapshot = (await rpc("evm_snapshot")) as Hex;
  });
  afterEach(() => rpc("evm_revert", snapshot));

  const rpc = (method: string, ...params: unknown[]) => fixture.anvil.client.request({ method, params });
  const readCode = (address: string) => rpc("eth_getCode", address, "latest") as Promise<Hex>;
  const verify = (changed: Manifest) => verifyDeployment(fixture.anvil.client, changed);
  const readFailures = async (changed: Manifest) => (await verify(changed)).checks.filter(({ ok }) => !ok);

  const names = [
    ...(["launch_factory", "fee_locker", "splitter_factory", "splitter_implementation"] as const),
    ...(["vesting_factory", "vesting_implementation", "opening_factory", "opening_implementation"] as const),
  ];
  type Label = (typeof names)[number] | "gas_station";
  const labels: Record<Label, ContractName> = {
    launch_factory: "LaunchFactory",
    fee_locker: "FeeLocker",
    splitter_factory: "SplitterFactory",
    splitter_implementation: "FeeSplitter",
    vesting_factory: "VestingFactory",
    vesting_implementation: "Vesting",
    opening_factory: "OpeningFactory",
    opening_implementation: "Opening",
    gas_station: "GasStation",
  };
  const entry = (label: Label) => (label === "gas_station" ? manifest.gas_station! : manifest.current[label]);

  /** Replaces the code of a contract, and returns the manifest that the attacker writes for it. */
  async function replace(label: Label, code: Hex): Promise<Manifest> {
    await rpc("anvil_setCode", entry(label).address, code);
    const pinned = { ...entry(label), runtime_code_hash: keccak256(code) };
    return label === "gas_station"
      ? { ...manifest, gas_station: pinned as NonNullable<Manifest["gas_station"]> }
      : { ...manifest, current: { ...manifest.current, [label]: pinned } };
  }

  /** Creates code that calls `target` for one selector, and the genuine contract for every other. */
  async function addFunction(label: Label, selector: Hex): Promise<Hex> {
    await rpc("anvil_setCode", genuineAt, await readCode(entry(label).address));
    // The new function stores its caller and stops; every other call is delegated.
    const added = "0x3360075500";
    const dispatch = concatHex(["0x5f3560e01c63", selector, "0x14603b57"]);
    const delegate = concatHex(["0x365f5f375f5f365f73", genuineAt, "0x5af43d5f5f3e603757", "0x3d5ffd", "0x5b3d5ff3"]);
    return concatHex([dispatch, delegate, "0x5b", added]);
  }

  it("C8-17 is refused when the locker has one more function", async () => {
    const selector = toFunctionSelector("function rescue(address)");
    const code = await addFunction("fee_locker", selector);
    const changed = await replace("fee_locker", code);
    const call = { from: attacker, to: manifest.current.fee_locker.address, data: selector };
    expect(await rpc("eth_call", call, "latest")).toBe("0x");
    expect((await readFailures(changed)).map(({ name }) => name)).toEqual([
      "fee_locker.compiled",
      "fee_locker.compiled_code",
    ]);

    const path = `${fixture.local.path}.tampered`;
    const sha256 = writeManifest(path, changed);
    const args = ["--rpc-url", fixture.anvil.url, "--manifest", path, "--sha256", sha256];
    const cli = await runCli("verify", args);
    expect(cli).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAILED fee_locker\.compiled\n[\s\S]*NOT PROVEN/),
    });
  });

  it("C8-17 is refused when the launch factory creates tokens with a mint", async () => {
    const token = launchTokenCreationCode.slice(2);
    const factory = await readCode(manifest.current.launch_factory.address);
    expect(factory).toContain(token);
    // Replaces one function of the token: permit's selector becomes the selector of mint.
    const permit = toFunctionSelector("function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)").slice(
      2,
    );
    const mint = toFunctionSelector("function mint(address,uint256)").slice(2);
    const hostile = token.replace(permit, mint);
    expect(hostile).not.toBe(token);
    const changed = await replace("launch_factory", factory.replace(token, hostile) as Hex);
    changed.current = {
      ...changed.current,
      launch_token: { ...changed.current.launch_token, creation_code_hash: keccak256(`0x${hostile}`) },
    };
    expect((await readFailures(changed)).map(({ name }) => name)).toEqual([
      "launch_factory.compiled",
      "launch_token.creation_code",
      "launch_factory.compiled_code",
    ]);
  });

  it.each(Object.entries(labels))(
    "C8-17 is refused with a wrong immutable in any position of %s",
    async (label, name) => {
      const address = entry(label as Label).address;
      const genuine = await readCode(address);
      const positions = readArtifact(name).immutables.flatMap((one) =>
        one.starts.map((start) => [one.name, start] as const),
      );
      expect(positions.length).toBe(readArtifact(name).immutableReferences.length);
      for (const [immutable, start] of positions) {
        const from = 2 + 2 * start;
        const other = `${genuine.slice(0, from)}${pad(attacker).slice(2)}${genuine.slice(from + 64)}` as Hex;
        const failures = await readFailures(await replace(label as Label, other));
        const found = failures.map((check) => check.name);
        expect(found).toContain(`${label}.compiled`);
        expect(found.filter((check) => check.includes(".immutables."))).toEqual([
          `${label}.immutables.${immutable}.${start}`,
        ]);
        expect(failures.find((check) => check.name.includes(".immutables."))?.actual).toBe(pad(attacker));
      }
    },
  );

  it.each(Object.keys(labels) as Label[])("C8-17 is refused with a proxy in place of %s", async (label) => {
    const address = entry(label).address;
    await rpc("anvil_setCode", genuineAt, await readCode(address));
    // ERC-1967: delegates to the address in its implementation slot.
    const slot = proxySlots.implementation;
    await rpc("anvil_setStorageAt", address, slot, pad(genuineAt));
    const proxy = concatHex(["0x365f5f375f5f365f7f", slot, "0x545af43d5f5f3e6036573d5ffd5b3d5ff3"]);
    const changed = await replace(label, proxy);
    const found = (await readFailures(changed)).map(({ name }) => name);
    expect(found).toEqual(
      expect.arrayContaining([`${label}.compiled`, `${label}.proxy_slots`, `${label}.compiled_code`]),
    );
    // The manifest cannot declare the proxy either.
    const declared = { ...entry(label), proxy: { implementation: genuineAt } };
    const text = {
      ...changed,
      ...(label === "gas_station" ? { gas_station: declared } : { current: { ...changed.current, [label]: declared } }),
    };
    expect(() => writeManifest(`${fixture.local.path}.proxy`, text as Manifest)).toThrow(/proxy/);
  });

  it("C8-17 is refused with the code of another contract in place of the splitter implementation", async () => {
    const changed = await replace("splitter_implementation", await readCode(fixture.local.stablecoin));
    expect((await readFailures(changed)).map(({ name }) => name)).toEqual([
      "splitter_implementation.compiled",
      "splitter_implementation.compiled_code",
    ]);
  });

  it("C8-17 is refused when the manifest names the addresses of another set", async () => {
    for (const label of names) {
      const changed = {
        ...manifest,
        current: { ...manifest.current, [label]: { ...entry(label), address: attacker } },
      };
      expect((await verify(changed)).ok).toBe(false);
    }
  });

  it("C8-17 is refused in the history too", async () => {
    const { current } = await replace("fee_locker", `${await readCode(manifest.current.fee_locker.address)}00`);
    const found = (await readFailures({ ...manifest, history: [current] })).map(({ name }) => name);
    expect(found).toContain("history.0.fee_locker.compiled");
  });

  describe("with other roles of the gas station", () => {
    const send = async (from: Address, data: Hex) => {
      await rpc("anvil_impersonateAccount", from);
      await rpc("anvil_setBalance", from, toHex(10n ** 18n));
      const transaction = { from, to: manifest.gas_station!.address, data, gas: "0x100000" };
      const hash = (await rpc("eth_sendTransaction", transaction)) as Hex;
      await vi.waitFor(async () => expect(await rpc("eth_getTransactionReceipt", hash)).not.toBeNull(), 60_000);
    };

    it("C8-17 has no usable station when the owner is another one; the rest is usable", async () => {
      await send(owner, encodeFunctionData({ abi: rolesAbi, functionName: "proposeOwner", args: [attacker] }));
      await send(attacker, encodeFunctionData({ abi: rolesAbi, functionName: "acceptOwnership" }));
      const { ok, failedGasTokens, checks } = await verify(manifest);
      expect({ ok, failedGasTokens }).toEqual({ ok: true, failedGasTokens: [fixture.local.stablecoin] });
      expect(checks.filter((check) => !check.ok)).toMatchObject([
        { name: "gas_station.owner", scope: "gas_station", expected: owner },
      ]);
      const args = ["--rpc-url", fixture.anvil.url, "--manifest", fixture.local.path];
      expect((await runCli("verify", args)).code).toBe(1);
    });

    it("C8-17 has no usable station when the relayer is another one", async () => {
      await send(owner, encodeFunctionData({ abi: rolesAbi, functionName: "setRelayer", args: [attacker] }));
      const { ok, failedGasTokens, checks } = await verify(manifest);
      expect({ ok, failedGasTokens }).toEqual({ ok: true, failedGasTokens: [fixture.local.stablecoin] });
      expect(checks.filter((check) => !check.ok)).toMatchObject([{ name: "gas_station.relayer", expected: relayer }]);
    });
  });

  it("C8-17 names the owner and the relayer of the station in its manifest", () => {
    expect(manifest.gas_station).toMatchObject({ owner, relayer });
    expect(manifest.treasury).toBe(treasury);
  });
});
