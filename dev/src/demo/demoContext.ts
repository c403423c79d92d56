import { readFileSync } from "node:fs";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { connectRisk, type RiskOptions } from "@slipway/sdk/connectRisk";
import type { Client } from "@slipway/sdk/createClient";
import { sendable } from "@slipway/sdk/sendable";
import { Contract, formatEther, type Interface, JsonRpcProvider, type TransactionReceipt, Wallet } from "ethers";
import pc from "picocolors";
import { WebSocket } from "ws";
import { createServiceClient } from "../service/createServiceClient.ts";
import type { DevFile } from "../stack/stackFolder.ts";
import { tokenAbi } from "./contractAbis.ts";

/** Fields of every prepared transaction. */
type Prepared = Pick<UnsignedResult, "transaction" | "simulation" | "manifest" | "action" | "status">;

/** The dependencies of the demo: the service's client, the chain through ethers, four wallets, and a reporter. */
export type DemoContext = {
  client: Client;
  baseUrl: string;
  provider: JsonRpcProvider;
  manifest: Manifest;
  chainId: number;
  weth: string;
  /** The folder in which the stack's mail server stores mails. */
  mailFolder: string;
  creator: Wallet;
  collaborator: Wallet;
  trader: Wallet;
  /** Only deposits into an opening. */
  depositor: Wallet;
  reporter: Reporter;
  /** Opens the risk stream of a pair with the stack's key. */
  openRisk: (pair: string, on: Pick<RiskOptions, "onMessage" | "onEnd">) => { close(): void };
  /** Calls a view function of a contract; amounts are bigint. */
  read: <T>(address: string, abi: Interface, name: string, ...args: unknown[]) => Promise<T>;
  balance: (asset: string, owner: string) => Promise<bigint>;
  /** Signs a prepared transaction with ethers, sends it and reports hash, block and gas. */
  sign: (signer: Wallet, prepared: Prepared) => Promise<TransactionReceipt>;
  dispose: () => void;
};

/** Creates the context from the running stack's `dev.json`. */
export function createDemoContext(dev: DevFile, reporter: Reporter): DemoContext {
  // Disables ethers' short cache, which could return an outdated nonce or balance.
  const provider = new JsonRpcProvider(dev.rpc_url, dev.chain_id, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  });
  const createWallet = (index: number) => new Wallet(dev.wallets[index]?.private_key ?? "", provider);
  const read: DemoContext["read"] = (address, abi, name, ...args) =>
    new Contract(address, abi, provider).getFunction(name).staticCall(...args);
  return {
    // Waits while the server restarts: every request of the demo can be repeated.
    client: createServiceClient(dev.base_url, dev.api_key, 60_000),
    baseUrl: dev.base_url,
    provider,
    manifest: manifestSchema.parse(JSON.parse(readFileSync(dev.manifest.path, "utf8"))),
    chainId: dev.chain_id,
    weth: dev.weth,
    mailFolder: dev.mails,
    creator: createWallet(0),
    collaborator: createWallet(1),
    trader: createWallet(2),
    depositor: createWallet(3),
    reporter,
    openRisk: (pair, on) =>
      connectRisk({
        url: `${dev.site_url.replace(/^http/, "ws")}/ws/risk`,
        pair,
        ...on,
        webSocket: (url) => new WebSocket(url, { headers: { authorization: `Bearer ${dev.api_key}` } }),
      }),
    read,
    balance: (asset, owner) => read<bigint>(asset, tokenAbi, "balanceOf", owner),
    sign: (signer, prepared) => sign(reporter, dev, signer, prepared),
    dispose: () => provider.destroy(),
  };
}

async function sign(
  reporter: Reporter,
  dev: DevFile,
  signer: Wallet,
  { transaction, simulation, manifest, action, status }: Prepared,
): Promise<TransactionReceipt> {
  const request = sendable({ transaction });
  if (request === null) throw new DemoFailure(`${action}: the service prepared no transaction (${status})`);
  if (!simulation.ok) throw new DemoFailure(`${action}: returned without a successful simulation`);
  if (manifest.sha256.replace(/^0x/, "") !== dev.manifest.sha256.replace(/^0x/, "")) {
    throw new DemoFailure(`${action}: built for another manifest`);
  }
  const response = await signer.sendTransaction(request);
  const receipt = await response.wait(1, 120_000);
  if (receipt === null || receipt.status !== 1) throw new DemoFailure(`${action}: ${response.hash} reverted`);
  reporter.value(
    action,
    `${receipt.hash}\n${" ".repeat(23)}block ${receipt.blockNumber}, gas ${group(receipt.gasUsed)} ` +
      `(simulated ${group(BigInt(simulation.gas_used))} at block ${simulation.block_number}), signed with ethers`,
  );
  return receipt;
}

/** Formats an amount of an asset with 18 decimals: 1234.5678. */
export function formatAmount(baseUnits: bigint, symbol: string): string {
  const [whole = "0", fraction = ""] = formatEther(baseUnits).split(".");
  const digits = whole === "0" || whole === "-0" ? 8 : 4;
  const shown = fraction.slice(0, digits).replace(/0+$/, "");
  const text = `${group(whole)}${shown ? `.${shown}` : ""}`;
  return baseUnits !== 0n && /^-?0$/.test(text) ? `${baseUnits} base units of ${symbol}` : `${text} ${symbol}`;
}

/** Formats an integer with thousands separators. */
function group(value: bigint | string): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A failed check of the demo. */
export class DemoFailure extends Error {
  override readonly name = "DemoFailure";
}

/** Reports the steps and values of the demo, and runs its checks; a failed check ends the demo. */
export type Reporter = {
  step: (title: string, explanation: string) => void;
  /** A named value: an address, a hash, an amount. */
  value: (name: string, value: string) => void;
  /** A line of a picture or a table. */
  line: (text: string) => void;
  /** @throws DemoFailure when the two values differ */
  expectEqual: (what: string, actual: unknown, expected: unknown) => void;
  /** Compares with tolerance for the last digits of a float. @throws DemoFailure */
  expectClose: (what: string, actual: number | null, expected: number | null, tolerance?: number) => void;
  /** @throws DemoFailure when the condition is false */
  expectTrue: (what: string, condition: boolean, detail?: string) => void;
  /** Returns the number of passed checks. */
  checkCount: () => number;
};

/** Creates a reporter that writes lines of text. */
export function createReporter(write: (text: string) => void): Reporter {
  let steps = 0;
  let checks = 0;
  const check = (what: string, passed: boolean, failure: string) => {
    if (!passed) throw new DemoFailure(`${what}${failure}`);
    checks += 1;
    write(`   ${pc.green("✓")} ${what}\n`);
  };
  return {
    step: (title, explanation) => {
      steps += 1;
      write(`\n${pc.bold(`${steps}. ${title}`)}\n   ${pc.dim(explanation)}\n`);
    },
    value: (name, value) => write(`   ${name.padEnd(20)}${value}\n`),
    line: (text) => write(`${text}\n`),
    expectEqual: (what, actual, expected) => {
      const left = normalize(actual);
      const right = normalize(expected);
      check(what, left === right, `: found ${left}, expected ${right}`);
    },
    expectClose: (what, actual, expected, tolerance = 1e-9) => {
      const isClose = actual === expected || getRelativeDifference(actual, expected) <= tolerance;
      check(what, isClose, `: found ${actual}, expected ${expected}`);
    },
    expectTrue: (what, condition, detail = "") => check(what, condition, ` does not hold${detail && `: ${detail}`}`),
    checkCount: () => checks,
  };
}

/** Returns a text for comparison: addresses and hashes in lower case, big integers as digits. */
function normalize(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner === "bigint") return inner.toString();
    return typeof inner === "string" && /^0x[0-9a-fA-F]+$/.test(inner) ? inner.toLowerCase() : inner;
  });
}

function getRelativeDifference(actual: number | null, expected: number | null): number {
  if (actual === null || expected === null) return 1;
  return Math.abs(actual - expected) / Math.max(Math.abs(actual), Math.abs(expected));
}
