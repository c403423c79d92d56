import { Agent, get } from "node:http";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { startChain } from "@slipway/dev/chain/startChain";
import { getWallet } from "@slipway/dev/chain/wallets";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { connectLive } from "@slipway/sdk/connectLive";
import { streamEvents } from "@slipway/sdk/streamEvents";
import { parseConfig } from "@slipway/server/config";
import { openDatabase } from "@slipway/server/db/database";
import { prepareDatabase } from "@slipway/server/db/migrate";
import { createLog } from "@slipway/server/log";
import { createWalletClient, encodeFunctionData, erc20Abi, type Hex, http, keccak256, maxUint256 } from "viem";
import { launchToken, sendRaw, wallets, wrap } from "../tests/support/security/actors.ts";
import { createSubscriber } from "../tests/support/security/createSubscriber.ts";
import type { Answer, TestStack } from "../tests/support/security/startTestStack.ts";
import { percentile } from "./percentile.ts";
import { startServerProcess } from "./serverProcess.ts";

/**
 * `npm run bench -- live`: the time from a mined block to its trade over REST, Server-Sent Events and WebSocket. Chain,
 * PostgreSQL, indexer and API are separate processes; a block counts as mined when a subscriber of the node receives
 * its header. `node bench/live.ts [--trades 200] [--pause 100] [--poll 1]`.
 */
const { values } = parseArgs({
  options: {
    trades: { type: "string", default: "200" },
    /** Milliseconds between two trades. */
    pause: { type: "string", default: "100" },
    /** The interval of polling for heads, in milliseconds; 0: heads by subscription. */
    poll: { type: "string", default: "0" },
  },
});
const warmUps = 20;
const aims = { p50: 20, p99: 100 };

const folder = temporaryFolder();
const [chain, postgres] = await Promise.all([
  startChain({ dir: folder.path, durable: false, heartbeatMs: 1_000 }),
  startPostgres({ dir: folder.path }),
]);
const deployed = await deployLocal({
  rpcUrl: chain.rpcUrl,
  deployer: getWallet("deployer").account,
  treasury: getWallet("treasury").address,
  owner: getWallet("treasury").address,
  relayer: getWallet("relayer").address,
  manifestPath: join(folder.path, "manifest.json"),
});
const poll = Number(values.poll);
const settings = {
  DATABASE_URL: postgres.url,
  RPC_URL: chain.rpcUrl,
  MANIFEST_PATH: deployed.path,
  MANIFEST_SHA256: deployed.sha256,
  ...(poll === 0 ? { RPC_WS_URL: chain.wsUrl } : { POLL_INTERVAL_MS: String(poll) }),
};
const config = parseConfig(settings);
await prepareDatabase(config, createLog({ ...config, LOG_LEVEL: "silent" }));
const db = openDatabase(config, createLog({ ...config, LOG_LEVEL: "silent" }));
const { key } = await createSubscriber(db);
const indexer = await startServerProcess({ ...settings, ROLES: "indexer" });
const api = await startServerProcess({ ...settings, ROLES: "api" });

const call = async (method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> => {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(path === "/intents" ? { "idempotency-key": crypto.randomUUID() } : {}),
  };
  const answer = await fetch(`${api.baseUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
};
while ((await fetch(`${api.siteUrl}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));

/** The parts of a stack that the actors of the attacks need. */
const stack = { call, chain, manifest: deployed.manifest, deps: { db } } as unknown as TestStack;
const [creator, trader] = wallets;
const { token } = await launchToken(stack, creator!);
await wrap(stack, trader!, 10n ** 19n);
const router = deployed.manifest.uniswap.router.address as Hex;
const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, maxUint256] });
await sendRaw(stack, trader!, { to: deployed.manifest.wrapped_native.address as Hex, data: approve });

type Sighting = "mined" | "rest" | "sse" | "websocket";
const seen = new Map<string, Partial<Record<Sighting, number>>>();
const see = (hash: string, how: Sighting) => {
  const sightings = seen.get(hash) ?? {};
  sightings[how] ??= performance.now();
  seen.set(hash, sightings);
};

const ended = new AbortController();
const { signal } = ended;
const heads = new WebSocket(chain.wsUrl);
/** The transaction of the next block: one trade at a time. */
let awaited: string | null = null;
heads.onmessage = ({ data }) => {
  if (awaited === null || !String(data).includes('"eth_subscription"')) return;
  see(awaited, "mined");
  awaited = null;
};
await new Promise<void>((resolve) => {
  heads.onopen = () => {
    heads.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    resolve();
  };
});
const listen = async (stream: ReturnType<typeof streamEvents>, how: Sighting) => {
  for await (const message of stream) if (message.type === "trade") see(message.data.trade.tx_hash, how);
};
const listening = [
  listen(streamEvents({ baseUrl: api.baseUrl, token, signal }), "sse"),
  listen(
    connectLive({
      url: `${api.siteUrl.replace("http", "ws")}/ws`,
      apiKey: key,
      channels: ["trades"],
      tokens: [token],
      signal,
    }),
    "websocket",
  ),
];

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const newestOverRest = () =>
  new Promise<string>((resolve, reject) => {
    get(`${api.baseUrl}/tokens/${token}/trades?limit=1`, { agent }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.on("end", () => resolve(/"tx_hash":"(0x[0-9a-f]{64})"/.exec(text)?.[1] ?? ""));
    }).on("error", reject);
  });

const client = createWalletClient({ account: trader!.account, transport: http(chain.rpcUrl) });
let nonce = Number(await rpc("eth_getTransactionCount", [trader!.address, "latest"]));

async function rpc(method: string, params: unknown[]): Promise<unknown> {
  return await client.request({ method, params } as never);
}

/** Sends one trade and measures the time from its block to its visibility on each interface. */
async function tradeOnce(): Promise<string> {
  const order = { token, wallet: trader!.address, side: "buy", amount_in: (10n ** 14n).toString(), slippage_bps: 500 };
  const { body } = await call("POST", "/trade/transactions", order);
  if (body.action !== "swap") throw new Error(`no swap was offered: ${JSON.stringify(body)}`);
  const { to, data, value, gas, chainId } = body.transaction;
  const signed = await trader!.account.signTransaction({
    to,
    data,
    value: BigInt(value),
    gas: BigInt(gas),
    chainId: Number(chainId),
    nonce: nonce++,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
  const hash = keccak256(signed);
  awaited = hash;
  await rpc("eth_sendRawTransaction", [signed]);
  const deadline = performance.now() + 10_000;
  while ((await newestOverRest()) !== hash) {
    if (performance.now() > deadline) throw new Error("the trade does not appear");
  }
  see(hash, "rest");
  for (;;) {
    const sightings = seen.get(hash)!;
    if (sightings.sse !== undefined && sightings.websocket !== undefined && sightings.mined !== undefined) return hash;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const hashes: string[] = [];
for (let n = 0; n < warmUps + Number(values.trades); n++) {
  const hash = await tradeOnce();
  if (n >= warmUps) hashes.push(hash);
  await new Promise((resolve) => setTimeout(resolve, Number(values.pause)));
}

process.stdout.write(
  `Block to visibility, ${hashes.length} trades, heads by ${poll === 0 ? "subscription" : `polling every ${poll} ms`}; ` +
    `${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n`,
);
for (const how of ["rest", "sse", "websocket"] as const) {
  const delays = hashes.map((hash) => seen.get(hash)![how]! - seen.get(hash)!.mined!);
  const p50 = percentile(delays, 0.5);
  const p99 = percentile(delays, 0.99);
  process.stdout.write(
    `${how.padEnd(9)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, least ${Math.min(...delays).toFixed(1)} ms; ` +
      `ratio to the aim: p50 ${(p50 / aims.p50).toFixed(2)} of ${aims.p50} ms, p99 ${(p99 / aims.p99).toFixed(2)} of ${aims.p99} ms\n`,
  );
}

ended.abort();
await Promise.all(listening);
heads.close();
agent.destroy();
await Promise.all([api.stop(), indexer.stop()]);
await db.close();
await Promise.all([chain.stop(), postgres.stop()]);
folder.remove();
