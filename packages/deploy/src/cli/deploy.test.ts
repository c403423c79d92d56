import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptKeystoreJsonSync } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli, runDeployCommand } from "../../../../tests/support/runDeployCli.ts";
import { type Anvil, startAnvil } from "../../../../tests/support/startAnvil.ts";
import {
  deployer,
  deployerKey,
  type Fixture,
  owner,
  relayer,
  startLocalDeployment,
  treasury,
} from "../../../../tests/support/startLocalDeployment.ts";

const withKey = { DEPLOYER_PRIVATE_KEY: deployerKey };

describe("contracts:deploy", () => {
  let anvil: Anvil;
  let folder: string;
  const file = (name: string) => join(folder, name);
  const transactionCount = async () =>
    Number(await anvil.client.request({ method: "eth_getTransactionCount", params: [deployer.address, "pending"] }));
  const deploy = (args: string[], env: Record<string, string> = withKey) =>
    runDeployCommand(["--rpc-url", anvil.url, "--treasury", treasury, "--relayer", relayer, ...args], env);

  beforeAll(async () => {
    anvil = await startAnvil();
    folder = mkdtempSync(join(tmpdir(), "slipway-deploy-command-"));
  });
  afterAll(async () => {
    await anvil.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("sends and writes nothing without --broadcast, and predicts addresses and cost", async () => {
    const dry = await deploy(["--out", file("dry.json")]);
    expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 0, stderr: "" });
    expect(dry.stdout).toMatch(/cost {5}at most \d+\.\d+ native/);
    expect(dry.stdout).toContain("Dry run: nothing was sent");
    expect(await transactionCount()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);

    const wet = await deploy(["--out", file("wet.json"), "--verification-dir", file("verification"), "--broadcast"]);
    expect({ code: wet.code, stderr: wet.stderr }).toEqual({ code: 0, stderr: "" });
    const manifest = JSON.parse(readFileSync(file("wet.json"), "utf8"));
    const getPredicted = (step: string) => new RegExp(`${step} +(0x[0-9a-fA-F]{40})`).exec(dry.stdout)?.[1];
    expect(getPredicted("splitter_factory")).toBe(manifest.current.splitter_factory.address);
    expect(getPredicted("splitter implementation")).toBe(manifest.current.splitter_implementation.address);
    expect(getPredicted("vesting_factory")).toBe(manifest.current.vesting_factory.address);
    expect(getPredicted("vesting implementation")).toBe(manifest.current.vesting_implementation.address);
    expect(getPredicted("opening_factory")).toBe(manifest.current.opening_factory.address);
    expect(getPredicted("opening implementation")).toBe(manifest.current.opening_implementation.address);
    expect(getPredicted("launch_factory")).toBe(manifest.current.launch_factory.address);
    expect(getPredicted("fee locker")).toBe(manifest.current.fee_locker.address);
    expect(getPredicted("gas_station")).toBe(manifest.gas_station.address);
    expect(wet.stdout + wet.stderr).not.toContain(deployerKey.slice(2));
    const sha256 = /sha-256 {2}([0-9a-f]{64})/.exec(wet.stdout)?.[1] as string;
    expect(
      (await runCli("verify", ["--rpc-url", anvil.url, "--manifest", file("wet.json"), "--sha256", sha256])).code,
    ).toBe(0);
  });

  it("writes verification input with the constructor arguments of the contracts", async () => {
    const index = JSON.parse(readFileSync(file("verification/index.json"), "utf8")) as {
      contract: string;
      address: string | null;
      constructor_arguments: string | null;
      standard_json_input: string;
    }[];
    expect(index.map(({ contract }) => contract.split(":")[1])).toEqual([
      "LaunchFactory",
      "FeeLocker",
      "LaunchToken",
      "SplitterFactory",
      "FeeSplitter",
      "VestingFactory",
      "Vesting",
      "OpeningFactory",
      "Opening",
      "GasStation",
    ]);
    for (const entry of index) {
      const input = JSON.parse(readFileSync(join(file("verification"), entry.standard_json_input), "utf8"));
      expect(Object.keys(input.sources)).toContain(entry.contract.split(":")[0]);
    }
    const inputs: string[] = [];
    for (let height = 1; height <= 14; height++) {
      const block = (await anvil.client.request({
        method: "eth_getBlockByNumber",
        params: [`0x${height.toString(16)}`, true],
      })) as { transactions: { input: string }[] };
      inputs.push(block.transactions[0]?.input ?? "");
    }
    for (const name of ["SplitterFactory", "LaunchFactory", "OpeningFactory", "GasStation"]) {
      const args = index
        .find(({ contract }) => contract.endsWith(`:${name}`))
        ?.constructor_arguments?.slice(2) as string;
      expect(inputs.some((input) => input.endsWith(args))).toBe(true);
    }
  });

  it("replaces a manifest only with --history", async () => {
    const again = await deploy(["--out", file("wet.json"), "--broadcast"]);
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({
      code: 73,
      stderr: expect.stringContaining("manifest_exists"),
    });

    const before = JSON.parse(readFileSync(file("wet.json"), "utf8"));
    const replaced = await deploy([
      "--out",
      file("wet.json"),
      "--history",
      file("wet.json"),
      "--start-tick",
      "199800",
      "--broadcast",
    ]);
    expect({ code: replaced.code, stderr: replaced.stderr }).toEqual({ code: 0, stderr: "" });
    const after = JSON.parse(readFileSync(file("wet.json"), "utf8"));
    expect(after.history).toEqual([before.current]);
    expect(after.current.start_tick).toBe(199_800);
    expect(after.uniswap).toEqual(before.uniswap);
    const verified = await runCli("verify", ["--rpc-url", anvil.url, "--manifest", file("wet.json")]);
    expect(verified.stdout).toContain("history.0.launch_factory.code");
    expect(verified.code).toBe(0);
  });

  it("adopts the history of the manifest that --history names", async () => {
    const before = JSON.parse(readFileSync(file("wet.json"), "utf8"));
    const args = ["--history", file("wet.json"), "--out", file("third.json")];
    const result = await deploy([...args, "--broadcast"]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
    const written = JSON.parse(readFileSync(file("third.json"), "utf8"));
    expect(written.history).toEqual([before.current, ...before.history]);
    expect(written.multicall3).toEqual(before.multicall3);
    expect(written.current.splitter_factory.address).not.toBe(before.current.splitter_factory.address);
    expect(written.current.splitter_implementation.address).not.toBe(before.current.splitter_implementation.address);
    const verified = await runCli("verify", ["--rpc-url", anvil.url, "--manifest", file("third.json")]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("history.1.splitter_factory.code") });
  });

  it("refuses a --history of another version or with an unknown field in its deployment", async () => {
    const before = JSON.parse(readFileSync(file("wet.json"), "utf8"));
    const invalid = [
      { ...before, version: 1 },
      { ...before, current: { ...before.current, fee_splitter: before.current.launch_token } },
    ];
    for (const manifest of invalid) {
      writeFileSync(file("invalid.json"), JSON.stringify(manifest));
      expect((await deploy(["--history", file("invalid.json"), "--out", file("fourth.json")])).code).toBe(65);
    }
  });

  it("deploys the older router with --router", async () => {
    const old = await deploy(["--router", "swap_router", "--out", file("old.json"), "--broadcast"]);
    expect({ code: old.code, stderr: old.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(file("old.json"), "utf8")).uniswap.router_kind).toBe("swap_router");
  });

  it("reads the key from an encrypted keystore", async () => {
    const account = { address: deployer.address, privateKey: deployerKey };
    writeFileSync(file("keystore"), encryptKeystoreJsonSync(account, "open sesame", { scrypt: { N: 1024 } }));
    const dry = await deploy(["--keystore", file("keystore"), "--out", file("k.json")], {});
    expect(dry.stdout).toContain(`deployer ${deployer.address}`);
    const args = ["--keystore", file("keystore"), "--out", file("k.json"), "--broadcast"];
    const wrong = await deploy(args, { DEPLOYER_KEYSTORE_PASSWORD: "close sesame" });
    expect({ code: wrong.code, stderr: wrong.stderr }).toMatchObject({
      code: 77,
      stderr: expect.not.stringContaining("close sesame"),
    });
    const none = await deploy(args, {});
    expect(none.code).toBe(77);
    const right = await deploy(args, { DEPLOYER_KEYSTORE_PASSWORD: "open sesame" });
    expect({ code: right.code, stderr: right.stderr }).toEqual({ code: 0, stderr: "" });
  });

  const at = (name: string) => () => file(name);
  it.each([
    ["a key on the command line", ["--private-key", deployerKey], 64, "key_on_command_line"],
    ["a key as another option", ["--commit", deployerKey.slice(2)], 64, "key_on_command_line"],
    ["an unknown option", ["--brodcast"], 64, "invalid_option"],
    ["a bad address", ["--owner", "0x1234"], 64, "invalid_option"],
    ["a wrong checksum", ["--owner", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"], 64, "invalid_option"],
    ["the zero address", ["--owner", `0x${"0".repeat(40)}`], 64, "invalid_option"],
    ["a start tick off the spacing", ["--start-tick", "203201"], 64, "invalid_option"],
    ["a start tick that is not a number", ["--start-tick", "high"], 64, "invalid_option"],
    ["an unknown router", ["--router", "universal"], 64, "invalid_option"],
    ["a float that is not an amount", ["--gas-station-float", "lots"], 64, "invalid_option"],
    ["an ETH/USD pool without a Uniswap", ["--eth-usd-pool", relayer], 64, "invalid_option"],
    ["a token without code", ["--gas-station-tokens", relayer], 65, "contract_unsuitable"],
    ["a token named twice", ["--gas-station-tokens", `${relayer},${relayer}`], 64, "invalid_option"],
    ["a missing history", ["--history", at("nowhere.json")], 66, "file_not_found"],
    ["a missing Uniswap file", ["--uniswap", at("nowhere.json")], 66, "file_not_found"],
    ["a missing keystore", ["--keystore", at("nowhere.json")], 66, "file_not_found"],
    ["another chain", ["--chain-id", "4663"], 76, "wrong_chain"],
  ] as [string, (string | (() => string))[], number, string][])("refuses %s", async (_, args, code, name) => {
    const given = args.map((argument) => (typeof argument === "string" ? argument : argument()));
    const sent = await transactionCount();
    const result = await deploy(["--out", file("bad.json"), "--broadcast", ...given]);
    expect({ code: result.code, stderr: result.stderr }).toMatchObject({
      code,
      stderr: expect.stringMatching(`^${name}: .+\n.+`),
    });
    expect(result.stderr).not.toContain(deployerKey.slice(2));
    expect(await transactionCount()).toBe(sent);
    expect(existsSync(file("bad.json"))).toBe(false);
  });

  it.each([
    ["no key", {}, 78, "key_missing"],
    ["a malformed key", { DEPLOYER_PRIVATE_KEY: "0xsecretish" }, 78, "key_invalid"],
    ["the key zero", { DEPLOYER_PRIVATE_KEY: `0x${"00".repeat(32)}` }, 78, "key_invalid"],
    ["an account without native", { DEPLOYER_PRIVATE_KEY: `0x${"11".repeat(32)}` }, 69, "insufficient_funds"],
  ])("refuses %s", async (_, env, code, name) => {
    const result = await deploy(["--out", file("bad.json"), "--broadcast"], env);
    expect({ code: result.code, stderr: result.stderr }).toMatchObject({
      code,
      stderr: expect.stringMatching(`^${name}: `),
    });
    expect(result.stderr).not.toContain("secretish");
    rmSync(file("bad.deploying.json"), { force: true });
  });

  it("refuses to start without an endpoint or a treasury", async () => {
    expect((await runDeployCommand(["--treasury", treasury], {})).code).toBe(78);
    expect((await runDeployCommand(["--rpc-url", anvil.url, "--from", owner], {})).code).toBe(78);
    expect((await runDeployCommand(["--rpc-url", "ftp://x", "--treasury", treasury], {})).code).toBe(64);
    const dead = await runDeployCommand(["--rpc-url", "http://127.0.0.1:1/secret", "--treasury", treasury], {});
    expect({ code: dead.code, stderr: dead.stderr }).toMatchObject({
      code: 69,
      stderr: expect.not.stringContaining("secret"),
    });
  });

  it("prints its help", async () => {
    expect((await runCli("deploy", ["--help"])).stdout).toContain("--treasury");
    expect((await runCli("verify", ["--help"])).stdout).toContain("--manifest");
  });
});

describe("on a chain with its own Uniswap v3", () => {
  let fixture: Fixture;
  const file = (name: string) => join(fixture.folder, name);

  beforeAll(async () => {
    fixture = await startLocalDeployment();
  });
  afterAll(() => fixture.stop());

  const uniswapFile = (change: object = {}) => {
    const { uniswap, wrapped_native } = fixture.local.manifest;
    const set = {
      factory: uniswap.factory.address,
      router: uniswap.router.address,
      router_kind: "swap_router_02",
      quoter: uniswap.quoter.address,
      wrapped_native: wrapped_native.address,
      ...change,
    };
    writeFileSync(file("uniswap.json"), JSON.stringify(set));
    return file("uniswap.json");
  };
  const deploy = (args: string[]) =>
    runDeployCommand(
      ["--rpc-url", fixture.anvil.url, "--treasury", treasury, "--out", file("own.json"), "--broadcast", ...args],
      withKey,
    );

  it("uses the existing set, its ETH/USD pool and tokens", async () => {
    const { manifest, stablecoin } = fixture.local;
    const args = ["--uniswap", uniswapFile(), "--eth-usd-pool", manifest.eth_usd?.pool as string];
    args.push("--relayer", relayer, "--owner", owner, "--gas-station-tokens", stablecoin);
    const result = await deploy(args);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
    const written = JSON.parse(readFileSync(file("own.json"), "utf8"));
    expect(written.uniswap).toEqual(manifest.uniswap);
    expect(written.eth_usd).toEqual(manifest.eth_usd);
    expect(written.gas_station_tokens).toEqual(manifest.gas_station_tokens);
    expect(written.multicall3).toEqual(manifest.multicall3);
    expect(result.stdout).not.toContain("multicall3");
    expect(written.current.launch_factory.address).not.toBe(manifest.current.launch_factory.address);
    rmSync(file("own.json"));
  });

  it.each([
    ["a router of the other kind", { router_kind: "swap_router" }, 65, "contract_unsuitable"],
    ["an address without code", { quoter: treasury }, 65, "contract_unsuitable"],
    ["an additional field", { descriptor: treasury }, 65, "uniswap_set_invalid"],
    ["a missing field", { quoter: undefined }, 65, "uniswap_set_invalid"],
  ])("refuses a set with %s", async (_, change, code, name) => {
    const result = await deploy(["--uniswap", uniswapFile(change)]);
    expect({ code: result.code, stderr: result.stderr }).toMatchObject({ code, stderr: expect.stringContaining(name) });
  });

  it("writes no manifest for a set of unrelated contracts", async () => {
    const { uniswap } = fixture.local.manifest;
    const result = await deploy(["--uniswap", uniswapFile({ quoter: uniswap.factory.address })]);
    expect({ code: result.code, stderr: result.stderr }).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("uniswap.quoter.WETH9"),
    });
    expect(existsSync(file("own.json"))).toBe(false);
  });

  it("prints each check, and fails after a change", async () => {
    const { path, sha256, manifest } = fixture.local;
    const args = ["--rpc-url", fixture.anvil.url, "--manifest", path];
    const proven = await runCli("verify", args, { MANIFEST_SHA256: sha256 });
    expect(proven).toMatchObject({ code: 0, stdout: expect.stringContaining("Proven.") });
    expect((await runCli("verify", [...args, "--sha256", "00".repeat(32)])).code).toBe(65);
    writeFileSync(file("broken.json"), "{}");
    expect((await runCli("verify", ["--rpc-url", fixture.anvil.url, "--manifest", file("broken.json")])).code).toBe(65);

    const address = manifest.uniswap.quoter.address;
    await fixture.anvil.client.request({ method: "anvil_setCode", params: [address, "0x00"] });
    const changed = await runCli("verify", args);
    expect(changed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAILED uniswap\.quoter\.code\n +expected 0x/),
    });
    expect(changed.stdout).toContain("NOT PROVEN.");
  });
});
