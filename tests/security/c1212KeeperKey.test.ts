import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { parseConfig } from "@slipway/server/config";
import { diagnose } from "@slipway/server/diagnose";
import { payFees } from "@slipway/server/features/fees/keeper/payFees";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { createTestFolder } from "../support/createTestFolder.ts";
import { keeperSettings, keeperWallet, useKeeper } from "../support/keeper/useKeeper.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";

const keeper = useKeeper();
const key = keeperWallet.privateKey.slice(2);
/** The key in every format in which it could appear. */
const writings = [
  key,
  key.toUpperCase(),
  Buffer.from(key, "hex").toString("base64"),
  BigInt(`0x${key}`).toString(),
  [...Buffer.from(key, "hex")].join(","),
];
const shows = (text: string) => writings.filter((writing) => text.includes(writing));
const least = { DATABASE_URL: "postgres://localhost/x", RPC_URL: "http://localhost:1" };
const readProblems = (settings: Record<string, string>): readonly string[] => {
  try {
    parseConfig({ ...least, ...settings });
    return [];
  } catch (error) {
    expect(shows(inspect(error))).toEqual([]);
    return (error as { problems: string[] }).problems;
  }
};

describe("C12-12", () => {
  test("C12-12 the key is in no log, metric or finding of a keeper that has used it", async () => {
    const { token, splitter } = await keeper.launch();
    await keeper.buy(token);
    await keeper.makeFinal();
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const server = await keeper.stack.openServer(keeperSettings, log);
    const job = payFees(server.deps);
    try {
      await keeper.untilSent(splitter);
      await keeper.untilEnded(splitter);
    } finally {
      await job.stop();
    }
    expect(lines.join("")).toContain("claim paid");
    const findings = await diagnose(
      {
        ...least,
        ...keeperSettings,
        RPC_URL: keeper.stack.chain.rpcUrl,
        DATABASE_URL: server.deps.config.DATABASE_URL,
        MANIFEST_PATH: keeper.stack.manifestPath,
        MANIFEST_SHA256: keeper.stack.manifestSha256,
      },
      systemClock,
    );
    const found = findings.filter(({ check }) => check === "keeper");
    expect(found).toMatchObject([{ level: "ok" }]);
    expect(found[0]!.text).toContain(keeperWallet.address);
    const texts = [
      lines.join(""),
      await server.deps.metrics.registry.metrics(),
      JSON.stringify(findings),
      inspect(server.deps.config, { depth: 10, showHidden: true }),
    ];
    await server.close();
    for (const text of texts) expect(shows(text)).toEqual([]);
  });

  test("C12-12 a file has the key; a bad file, two keys, and the relayer's key are refused", () => {
    const folder = createTestFolder();
    const path = join(folder, "key");
    writeFileSync(path, `0x${key}\n`);
    const config = parseConfig({ ...least, KEEPER_PRIVATE_KEY_FILE: path });
    expect(config.KEEPER_PRIVATE_KEY_FILE!.reveal()).toBe(`0x${key}`);
    expect(readProblems({ KEEPER_PRIVATE_KEY_FILE: path, KEEPER_PRIVATE_KEY: `0x${key}` })).toHaveLength(1);
    expect(readProblems({ KEEPER_PRIVATE_KEY_FILE: path, RELAYER_PRIVATE_KEY: `0x${key}` })).toEqual([
      "KEEPER_PRIVATE_KEY: is the relayer's key; the keeper needs a key of its own",
    ]);
    writeFileSync(path, `${key}00`);
    for (const file of [path, join(folder, "none"), folder]) {
      expect(readProblems({ KEEPER_PRIVATE_KEY_FILE: file })).toMatchObject([
        expect.stringContaining("KEEPER_PRIVATE_KEY_FILE: names a file"),
      ]);
    }
    for (const bad of [`0x${key}00`, key]) {
      expect(readProblems({ KEEPER_PRIVATE_KEY: bad })[0]).toContain("KEEPER_PRIVATE_KEY: must be 0x");
    }
  });

  test("C12-12 nothing is signed while the endpoint serves another chain", async () => {
    const { token, splitter } = await keeper.launch();
    await keeper.buy(token);
    await keeper.makeFinal();
    const proxy = await startRpcProxy(keeper.stack.chain.rpcUrl);
    const server = await keeper.stack.openServer({ ...keeperSettings, RPC_URL: proxy.url });
    proxy.answerWith(({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined));
    const job = payFees(server.deps);
    try {
      const read = async () =>
        (await server.deps.metrics.jobRuns.get()).values.find(
          ({ labels }) => labels.job_name === "keeper" && labels.outcome === "failed",
        )?.value ?? 0;
      await expect.poll(read).toBeGreaterThan(1);
    } finally {
      await job.stop();
      await server.close();
      await proxy.close();
    }
    expect(await keeper.claims(splitter)).toEqual([]);
  });
});
