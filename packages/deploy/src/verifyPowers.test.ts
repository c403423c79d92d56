import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, encodeFunctionData, type Hex, pad, parseAbi, zeroAddress } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Fixture, owner, startLocalDeployment, treasury } from "../../../tests/support/startLocalDeployment.ts";
import { verifyPowers } from "./verifyPowers.ts";

const accomplice: Address = "0x00000000000000000000000000000000000000f1";
const nextTreasury: Address = "0x00000000000000000000000000000000000000f2";
const abi = parseAbi([
  "function setOwner(address)",
  "function proposeOwner(address)",
  "function proposeTreasury(address)",
  "function acceptTreasury()",
  "function setPartnerShare(address, uint16)",
  "function partnerShareBps(address) view returns (uint16)",
]);

describe("C8-33 the powers over a deployment", () => {
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
  const listFailures = async () =>
    (await verifyPowers(fixture.anvil.client, manifest))
      .filter(({ expected, actual }) => expected.toLowerCase() !== actual.toLowerCase())
      .map(({ name, actual }) => [name, actual.toLowerCase()]);
  /** Sends a call from any account. */
  async function send(from: string, to: string, data: Hex): Promise<void> {
    await rpc("anvil_setBalance", from, "0xde0b6b3a7640000");
    await rpc("anvil_impersonateAccount", from);
    const hash = await rpc("eth_sendTransaction", { from, to, data, gas: "0x100000" });
    await expect.poll(async () => ((await rpc("eth_getTransactionReceipt", hash)) as any)?.status).toBe("0x1");
  }
  const call = (functionName: "proposeOwner" | "proposeTreasury", account: Address) =>
    encodeFunctionData({ abi, functionName, args: [account] });
  const setShare = (shareBps: number) =>
    encodeFunctionData({ abi, functionName: "setPartnerShare", args: [accomplice, shareBps] });
  const readShare = async () => {
    const data = encodeFunctionData({ abi, functionName: "partnerShareBps", args: [accomplice] });
    return Number(await rpc("eth_call", { to: factory(), data }, "latest"));
  };
  const locker = () => manifest.current.fee_locker.address;
  const factory = () => manifest.current.launch_factory.address;

  it("belong to no account beyond the manifest's after a deployment, whose Uniswap factory has no owner", async () => {
    expect(manifest.uniswap.factory_owner).toBe(zeroAddress);
    expect(await listFailures()).toEqual([]);
  });

  it("include an owner of the Uniswap factory that the manifest does not name", async () => {
    await rpc("anvil_setStorageAt", manifest.uniswap.factory.address, pad("0x03", { size: 32 }), pad(accomplice));
    expect(await listFailures()).toEqual([["uniswap.factory.owner", accomplice]]);
  });

  it("include a proposed owner of the gas station and a proposed treasury, who can accept at any time", async () => {
    await send(owner, manifest.gas_station!.address, call("proposeOwner", accomplice));
    await send(treasury, locker(), call("proposeTreasury", accomplice));
    expect(await listFailures()).toEqual([
      ["gas_station.proposed_owner", accomplice],
      ["fee_locker.proposed_treasury", accomplice],
    ]);
  });

  it("include no partner of an earlier treasury, whose share ends with the treasury", async () => {
    await send(treasury, factory(), setShare(5_000));
    expect(await readShare()).toBe(5_000);
    await send(treasury, locker(), call("proposeTreasury", nextTreasury));
    await send(nextTreasury, locker(), encodeFunctionData({ abi, functionName: "acceptTreasury" }));
    expect(await readShare()).toBe(0);
    expect(await listFailures()).toEqual([]);
  });
});
