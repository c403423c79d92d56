import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../../tests/support/runDeployCli.ts";
import type { ProgramResult } from "../../../../tests/support/runProgram.ts";
import { type Anvil, startAnvil } from "../../../../tests/support/startAnvil.ts";
import { deployer, deployerKey, relayer, treasury } from "../../../../tests/support/startLocalDeployment.ts";
import { type RpcInspector, startRpcProxy } from "../../../../tests/support/startRpcProxy.ts";
import { isFullVolume } from "../../../../tests/support/volume.ts";
import { multicall3Address, multicall3FundsInWei, multicall3Sender, publishMulticall3 } from "../multicall3.ts";

const stepCount = 15;
const killed = new Error("killed");

describe("a deployment killed with SIGKILL at every step", () => {
  let anvil: Anvil;
  let folder: string;
  let child: ChildProcess;

  beforeEach(async () => {
    anvil = await startAnvil();
    folder = mkdtempSync(join(tmpdir(), "slipway-interruption-"));
  });
  afterEach(async () => {
    await anvil.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const kill = (): never => {
    child.kill("SIGKILL");
    throw killed;
  };
  /** The moments: each gets the transaction's bytes or hash, and kills the deployment at their first occurrence. */
  const seen = new Set<unknown>();
  /** Whether the deployment is killed at a step: usually each moment has a third of the steps, and the last one. */
  let isKilledAt: (step: number) => boolean = () => true;
  const killAtFirstSight = (what: unknown) => {
    if (seen.has(what)) return;
    seen.add(what);
    if (isKilledAt(seen.size - 1)) kill();
  };
  const moments: Record<string, RpcInspector> = {
    "after the transaction is signed, before it is sent": {
      before: ({ method, params }) => void (method === "eth_sendRawTransaction" && killAtFirstSight(params?.[0])),
    },
    "after the node has the transaction, before it answers": {
      after: ({ method, params }) => void (method === "eth_sendRawTransaction" && killAtFirstSight(params?.[0])),
    },
    "when the receipt is there": {
      after: ({ method, params }, { result }) =>
        void (method === "eth_getTransactionReceipt" && result !== null && killAtFirstSight(params?.[0])),
    },
  };

  it.each(Object.entries(moments).map(([name, inspector], index) => ({ name, inspector, index })))(
    "$name is resumed and repeats no step",
    async ({ inspector, index }) => {
      seen.clear();
      isKilledAt = (step) => isFullVolume || step % 3 === index || step === stepCount - 1;
      const expectedKills = Array.from({ length: stepCount }, (_, step) => step).filter(isKilledAt).length;
      const proxy = await startRpcProxy(anvil.url, inspector);
      const out = join(folder, "46630.json");
      const state = join(folder, "46630.deploying.json");
      const args = ["--rpc-url", proxy.url, "--treasury", treasury, "--relayer", relayer];
      args.push("--gas-station-float", "0.25", "--out", out, "--commit", "abc", "--broadcast");
      const deploy = (): Promise<ProgramResult> =>
        runCli("deploy", args, { DEPLOYER_PRIVATE_KEY: deployerKey }, (started) => {
          child = started;
        });

      let kills = 0;
      let lastState = "";
      let result = await deploy();
      while (result.signal === "SIGKILL" && kills < 2 * stepCount) {
        kills++;
        lastState = readFileSync(state, "utf8");
        expect(existsSync(out)).toBe(false);
        result = await deploy();
      }
      expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
      expect(kills).toBe(expectedKills);
      expect(existsSync(state)).toBe(false);
      expect(lastState).not.toContain(deployerKey.slice(2));

      const sent = () =>
        anvil.client.request({ method: "eth_getTransactionCount", params: [deployer.address, "pending"] });
      expect(Number(await sent())).toBe(stepCount);
      const verified = await runCli("verify", ["--rpc-url", anvil.url, "--manifest", out]);
      expect(verified.code).toBe(0);

      // Killed after the manifest was written, before the state file was removed.
      const manifest = readFileSync(out);
      writeFileSync(state, lastState);
      expect((await deploy()).code).toBe(0);
      expect(readFileSync(out).equals(manifest)).toBe(true);
      expect(existsSync(state)).toBe(false);
      expect(Number(await sent())).toBe(stepCount);
      await proxy.stop();
    },
  );

  it("is resumed when another account has created Multicall3 meanwhile, and uses that one", async () => {
    let isKilled = false;
    const killOnce = (method: string) => {
      if (method !== "eth_sendRawTransaction" || isKilled) return;
      isKilled = true;
      kill();
    };
    const proxy = await startRpcProxy(anvil.url, { before: ({ method }) => killOnce(method) });
    const out = join(folder, "46630.json");
    const args = ["--rpc-url", proxy.url, "--treasury", treasury, "--out", out, "--commit", "abc", "--broadcast"];
    const deploy = (): Promise<ProgramResult> =>
      runCli("deploy", args, { DEPLOYER_PRIVATE_KEY: deployerKey }, (started) => {
        child = started;
      });
    expect((await deploy()).signal).toBe("SIGKILL");
    const funds = `0x${multicall3FundsInWei.toString(16)}`;
    await anvil.client.request({ method: "anvil_setBalance", params: [multicall3Sender, funds] });
    await publishMulticall3(anvil.client, 30_000);
    const resumed = await deploy();
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(readFileSync(out, "utf8")).multicall3.address).toBe(multicall3Address);
    await proxy.stop();
  });

  it("is not resumed with other settings", async () => {
    seen.clear();
    const proxy = await startRpcProxy(anvil.url, moments["when the receipt is there"] as RpcInspector);
    const args = ["--rpc-url", proxy.url, "--treasury", treasury, "--out", join(folder, "m.json"), "--broadcast"];
    const env = { DEPLOYER_PRIVATE_KEY: deployerKey };
    const first = await runCli("deploy", args, env, (started) => (child = started));
    expect(first.signal).toBe("SIGKILL");
    const other = await runCli("deploy", [...args, "--start-tick", "199800"], env);
    expect({ code: other.code, stderr: other.stderr }).toMatchObject({
      code: 65,
      stderr: expect.stringContaining("state_mismatch"),
    });
    await proxy.stop();
  });

  it("is planned by a dry run with the signed steps", async () => {
    seen.clear();
    const proxy = await startRpcProxy(anvil.url, moments["when the receipt is there"] as RpcInspector);
    const args = ["--rpc-url", proxy.url, "--treasury", treasury, "--out", join(folder, "m.json")];
    const env = { DEPLOYER_PRIVATE_KEY: deployerKey };
    await runCli("deploy", [...args, "--broadcast"], env, (started) => (child = started));
    const dry = await runCli("deploy", args, env);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(
      /resuming after an interruption[\s\S]*wrapped_native .*already signed\n[\s\S]*estimated/,
    );
    await proxy.stop();
  });
});
