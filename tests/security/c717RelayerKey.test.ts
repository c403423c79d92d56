import { createReadStream, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { parseConfig } from "@slipway/server/config";
import { processTopUps } from "@slipway/server/features/gas/processTopUps";
import { pino } from "pino";
import { encodeFunctionData } from "viem";
import { describe, expect, test, vi } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { startServerProcess } from "../support/security/serverProcess.ts";
import {
  askQuote,
  gasSettings,
  rpc,
  sendFrom,
  signedTopUp,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const key = getWallet("relayer").privateKey.slice(2);
const bytes = Buffer.from(key, "hex");
/** The key in every format in which it could appear. */
const writings = [
  key,
  key.toUpperCase(),
  bytes.toString("base64"),
  BigInt(`0x${key}`).toString(),
  [...bytes].join(","),
];
const shows = (text: string) => writings.filter((writing) => text.includes(writing));

const gas = useGasStack();

describe("C7-17", () => {
  test("C7-17 the key is in no log, no answer and no heap snapshot of a server that has used it", async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, "server.heapsnapshot");
    const server = await startServerProcess(gas, { LOG_LEVEL: "trace", HEAP_PATH: path }, "takeHeapSnapshot");
    try {
      const person = await gas.newWallet();
      const { body: quote } = await server.call("POST", "/gas/quote", {
        wallet: person.address,
        token: "USDG",
        gas_limit: 100_000,
      });
      const body = await signedTopUp(person, quote);
      const answers = [quote];
      for (const change of [{ signature: `0x${"11".repeat(65)}` }, { quote_id: "0x" }, {}, {}]) {
        answers.push((await server.call("POST", "/gas/topup", { ...body, ...change })).body);
      }
      answers.push((await server.call("GET", "/config")).body, (await server.call("GET", "/openapi.json")).body);
      expect(answers.some(({ status }) => status === "pending")).toBe(true);
      expect(shows(JSON.stringify(answers))).toEqual([]);

      writeFileSync(`${path}.wanted`, "");
      await expect.poll(() => existsSync(path) && statSync(path).size > 1_000_000).toBe(true);
      // Taken while nothing else runs: the file is complete once the server responds again.
      await server.call("GET", "/config");
      // A text that is certainly in the process's memory proves that the search works.
      const known = gas.stack.manifestSha256;
      expect(await foundIn(path, [...writings, known])).toEqual([known]);
      expect(server.output().length).toBeGreaterThan(500);
      expect(shows(server.output())).toEqual([]);
    } finally {
      await server.stop();
      rmSync(path, { force: true });
      folder.remove();
    }
  });

  test("C7-17 a configuration prints its key nowhere, also when it is a bad one", () => {
    const least = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://localhost:1" };
    const config = parseConfig({ ...least, RELAYER_PRIVATE_KEY: `0x${key}` });
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    log.error({ config, err: Object.assign(new Error(`with ${config.RELAYER_PRIVATE_KEY}`), { config }) }, "printed");
    const printed = [
      lines.join(""),
      JSON.stringify(config, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
      inspect(config, { depth: 10, showHidden: true }),
      String(config.RELAYER_PRIVATE_KEY),
    ];
    for (const text of printed) expect(shows(text)).toEqual([]);
    for (const bad of [`0x${key}00`, key, `0x${"ff".repeat(32)}`, `0x${"00".repeat(32)}`]) {
      let message = "";
      try {
        parseConfig({ ...least, RELAYER_PRIVATE_KEY: bad });
      } catch (error) {
        message = inspect(error, { depth: 10, showHidden: true });
      }
      expect(message).toContain("RELAYER_PRIVATE_KEY");
      expect(shows(message)).toEqual([]);
      expect(message).not.toContain(bad);
    }
  });

  test("C7-17 the relayer's key has no power over the station but topUp", async () => {
    const { station, stack } = gas;
    const relayer = getWallet("relayer");
    const powers = [
      { functionName: "withdrawFloat", args: [relayer.address, 1n] },
      { functionName: "setRelayer", args: [relayer.address] },
      { functionName: "setTreasury", args: [relayer.address] },
      { functionName: "setPaused", args: [true] },
      { functionName: "proposeOwner", args: [relayer.address] },
      { functionName: "acceptOwnership", args: [] },
    ] as const;
    for (const power of powers) {
      const data = encodeFunctionData({ abi: gasStationAbi, ...power } as never);
      const call = { from: relayer.address, to: station, data };
      await expect(rpc(stack, "eth_call", [call, "latest"]), power.functionName).rejects.toThrow();
    }
  });

  test("C7-17 balance and float raise their alarms, and GET /config says why the station is closed", async () => {
    const { stack } = gas;
    const lines: string[] = [];
    const ask = async (environment: Record<string, string>) => {
      const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
      const server = await stack.openServer({ ...gasSettings, ...environment }, log);
      try {
        // A busy machine may not answer within the time that a description of the service waits for the chain.
        const readStatus = async () => {
          const answer = await server.call("GET", "/config");
          expect(answer.body.capabilities.gas_station.reason).not.toBe("Gas station status is unavailable.");
          return answer;
        };
        const { body } = await vi.waitFor(readStatus, { timeout: 120_000 });
        const metrics = await server.deps.metrics.registry.metrics();
        return { ...body.capabilities.gas_station, available: body.gas_station.available, metrics };
      } finally {
        await server.close();
      }
    };
    const open = await ask({ RELAYER_CEILING_WEI: "1", GAS_STATION_FLOAT_ALARM_WEI: (10n ** 24n).toString() });
    expect(open).toMatchObject({ configured: true, reason: null, available: true });
    expect(open.metrics).toMatch(/slipway_gas_station_float_ether [\d.]+/);
    expect(lines.join("")).toMatch(/float low.*above its ceiling/);
    const low = await ask({ RELAYER_FLOOR_WEI: (10n ** 24n).toString() });
    expect(low).toMatchObject({ configured: true, reason: "The relayer has too little for gas.", available: false });
    const foreign = await ask({ RELAYER_PRIVATE_KEY: getWallet("deployer").privateKey });
    expect(foreign).toMatchObject({ available: false, reason: "The relayer's key is not the station's relayer." });
    const none = await ask({ RELAYER_PRIVATE_KEY: "" });
    expect(none).toMatchObject({ configured: false, reason: "Not configured by the operator.", available: false });
  });

  test("C7-17 a paused station and one without float answer 503, and no job runs without a key", async () => {
    const { stack, station } = gas;
    const pause = (isPaused: boolean) =>
      sendFrom(stack, getWallet("treasury"), {
        to: station,
        data: encodeFunctionData({ abi: gasStationAbi, functionName: "setPaused", args: [isPaused] }),
      });
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(gas.server, person);
    const body = await signedTopUp(person, quote);
    const expectClosed = async () => {
      const server = await stack.openServer(gasSettings);
      for (const answer of [await askQuote(server, person), await topUp(server, body)]) {
        expect([answer.status, answer.body.error.code]).toEqual([503, "gas_station_unavailable"]);
      }
      await server.close();
    };
    await pause(true);
    await expectClosed();
    await pause(false);
    const float = await rpc<string>(stack, "eth_getBalance", [station, "latest"]);
    await rpc(stack, "anvil_setBalance", [station, "0x0"]);
    await expectClosed();
    await rpc(stack, "anvil_setBalance", [station, "0x1"]);
    await expectClosed();
    await rpc(stack, "anvil_setBalance", [station, float]);
    const keyless = await stack.openServer({ ...gasSettings, RELAYER_PRIVATE_KEY: "" });
    await processTopUps(keyless.deps).stop();
    expect((await topUp(keyless, body)).status).toBe(503);
    await keyless.close();
    const server = await stack.openServer(gasSettings);
    const sent = await topUp(server, body);
    expect((await untilSettled(gas.server, sent.body.hash)).body.status).toBe("confirmed");
    await server.close();
  });
});

/** Returns the subset of the texts that a large file contains. */
async function foundIn(path: string, texts: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  let rest = "";
  for await (const chunk of createReadStream(path, "latin1")) {
    const searched = rest + (chunk as string);
    for (const text of texts) if (searched.includes(text)) found.add(text);
    rest = searched.slice(-400);
  }
  return [...found];
}
