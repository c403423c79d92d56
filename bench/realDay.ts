/**
 * npm run bench -- real-day FILE. Replays a day of real swaps of one Uniswap v3 pool as the trades of a launch, indexes
 * them, and compares accounts, windows, traders and wallets with figures that are computed from the file alone. FILE is
 * a CSV, plain or gzip, with the columns block_number, timestamp, transaction_hash, log_index, sender, recipient,
 * amount0, amount1, sqrt_price_x96, liquidity, tick; token1 is wrapped native. Exit code 1 if a figure differs.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { createSeenHeads } from "@slipway/server/chain/lastSeen";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import { parseConfig } from "@slipway/server/config";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import type { Abi } from "viem";
import { createReadApp } from "../tests/support/server/readApp.ts";
import { dumpIndex } from "../tests/support/simulation/dumpIndex.ts";
import { encodeLog, erc20Abi, type GeneratedLog, poolAbi } from "../tests/support/simulation/encodeLog.ts";
import { emptyState } from "../tests/support/simulation/generateTx.ts";
import { openSimulationIndex } from "../tests/support/simulation/openSimulationIndex.ts";
import { createRandom } from "../tests/support/simulation/random.ts";
import { referenceIndex } from "../tests/support/simulation/reference.ts";
import { type SimulatedBlock, sealBlock } from "../tests/support/simulation/simulatedChain.ts";
import { simulatedManifest } from "../tests/support/simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../tests/support/simulation/simulatedNode.ts";
import { differences } from "../tests/support/simulation/tables.ts";

type Swap = {
  block: number;
  time: number;
  txHash: string;
  sender: string;
  recipient: string;
  amount0: bigint;
  amount1: bigint;
  sqrtPriceX96: bigint;
  liquidity: bigint;
  tick: number;
};
type Tx = Parameters<typeof sealBlock>[3][number];

const zero = `0x${"0".repeat(40)}`;
const pool = `0x${"b001".padEnd(40, "0")}`;
/** Below the address of wrapped native, so that it is token0 as in the file. */
const token = `0x${"1a".padEnd(40, "0")}`;
const splitter = `0x${"5911".padEnd(40, "0")}`;
const locker = simulatedManifest.current.fee_locker.address;
const supply = 10n ** 27n;

function readSwaps(path: string): Swap[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  const [head, ...lines] = text.trim().split("\n");
  const columns = head!.trim().split(",");
  return lines.map((line) => {
    const cells = line.trim().split(",");
    const get = (name: string) => cells[columns.indexOf(name)]!;
    return {
      block: Number(get("block_number")),
      time: Number(get("timestamp")),
      txHash: get("transaction_hash"),
      sender: get("sender"),
      recipient: get("recipient"),
      amount0: BigInt(get("amount0")),
      amount1: BigInt(get("amount1")),
      sqrtPriceX96: BigInt(get("sqrt_price_x96")),
      liquidity: BigInt(get("liquidity")),
      tick: Number(get("tick")),
    };
  });
}

/** The file does not have the sender of a transaction: each transaction has one of its own. */
const getSender = (txHash: string) => `0x${txHash.slice(2, 42)}`;

/** A recipient that is also the caller of the pool is a router: it passes the tokens on to the sender. */
const getAccount = ({ amount0, sender, recipient, txHash }: Swap) =>
  amount0 < 0n && sender !== recipient ? recipient : getSender(txHash);

/** The logs of a swap: the transfers of the token, and the pool's event. */
function createLogs(swap: Swap): GeneratedLog[] {
  const { sender, recipient, amount0, amount1, sqrtPriceX96, liquidity, tick, txHash } = swap;
  const event = { sender, recipient, amount0, amount1, sqrtPriceX96, liquidity, tick };
  const transfer = (from: string, to: string, value: bigint) =>
    encodeLog(erc20Abi, token, "Transfer", { from, to, value });
  const log = encodeLog(poolAbi, pool, "Swap", event);
  if (amount0 > 0n) return [transfer(getSender(txHash), pool, amount0), log];
  const paid = [transfer(pool, recipient, -amount0), log];
  return sender === recipient ? [...paid, transfer(recipient, getSender(txHash), -amount0)] : paid;
}

const toTx = (hash: string, from: string, logs: GeneratedLog[]): Tx => ({
  hash,
  from,
  to: zero,
  input: "0x",
  created: null,
  deployed: null,
  logs,
});

function launchToken(): Tx {
  const [tickLower, tickUpper] = [-203200, 887200];
  const range = { tickLower, tickUpper, amount0: supply, amount1: 0n };
  const liquidity = 38706924980797090535873n;
  const creator = `0x${"c7".padEnd(40, "0")}`;
  const launched = {
    token,
    creator,
    splitter,
    pool,
    name: "Real day",
    symbol: "DAY",
    contractURI: "",
    tickStart: tickLower,
    tickLower,
    tickUpper,
    liquidity,
    totalFeeBps: 100,
    protocolFeeBps: 10,
    partner: zero,
    partnerShareBps: 0,
    salt: `0x${"1".repeat(64)}`,
  };
  const factory = simulatedManifest.current.launch_factory.address;
  return toTx(`0x${"1a".padEnd(64, "0")}`, creator, [
    encodeLog(poolAbi, pool, "Initialize", { sqrtPriceX96: sqrtPriceX96AtTick(tickLower), tick: tickLower }),
    encodeLog(erc20Abi, token, "Transfer", { from: zero, to: locker, value: supply }),
    encodeLog(erc20Abi, token, "Transfer", { from: locker, to: pool, value: supply / 2n }),
    encodeLog(poolAbi, pool, "Mint", { sender: locker, owner: locker, amount: liquidity, ...range }),
    encodeLog(launchFactoryAbi as Abi, factory, "Launched", launched),
  ]);
}

/** Gives each seller the tokens that it sells: in the file it has them from earlier days. */
function giveToSellers(swaps: readonly Swap[]): Tx {
  const sold = Map.groupBy(
    swaps.filter(({ amount0 }) => amount0 > 0n),
    ({ txHash }) => getSender(txHash),
  );
  const logs = [...sold].map(([to, own]) => {
    const value = own.reduce((sum, { amount0 }) => sum + amount0, 0n);
    return encodeLog(erc20Abi, token, "Transfer", { from: locker, to, value });
  });
  return toTx(`0x${"91".padEnd(64, "0")}`, zero, logs);
}

/** ETH/USD of the whole day, as one swap of the manifest's ETH/USD pool. */
const ethUsd = 2_250;
function observeEthUsd(txHash: string): Tx {
  const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(ethUsd * 1e-12) * 2 ** 60)) << 36n;
  const event = { sender: zero, recipient: zero, amount0: 1n, amount1: -1n, sqrtPriceX96, liquidity: 1n, tick: 0 };
  return toTx(txHash, zero, [encodeLog(poolAbi, simulatedManifest.eth_usd!.pool, "Swap", event)]);
}

/** A block for each block of the file, at the file's distances in time, after the launch. */
function createBlocks(swaps: readonly Swap[]): SimulatedBlock[] {
  const blocks: SimulatedBlock[] = [];
  const seal = (seconds: number, txs: readonly Tx[]) => {
    const hash = `0x${(blocks.length + 1).toString(16).padStart(64, "a")}`;
    blocks.push(sealBlock(blocks.at(-1), seconds, hash, txs, emptyState()));
  };
  for (let i = 0; i < 7; i++) seal(12, []);
  seal(12, [launchToken(), giveToSellers(swaps), observeEthUsd(`0x${"e7".padEnd(64, "0")}`)]);
  let time = swaps[0]!.time - 12;
  for (const inBlock of Map.groupBy(swaps, ({ block }) => block).values()) {
    const txs = Map.groupBy(inBlock, ({ txHash }) => txHash);
    seal(
      inBlock[0]!.time - time,
      [...txs].map(([hash, own]) => toTx(hash, getSender(hash), own.flatMap(createLogs))),
    );
    time = inBlock[0]!.time;
  }
  return blocks;
}

const path = process.argv[2];
if (path === undefined) {
  console.error("npm run bench -- real-day FILE: names no file");
  process.exit(64);
}
const swaps = readSwaps(path);
const blocks = createBlocks(swaps);
const head = blocks.at(-1)!;
const index = await openSimulationIndex();
const log = pino({ level: "warn" });
const metrics = createMetrics();
const chain = { blocks, mine: () => undefined, reorg: () => undefined, head: () => head };
const rpc = createRpcPool({
  endpoints: 1,
  transport: createSimulatedNodes(
    chain,
    1,
    createRandom(1),
    () => noFaults,
    () => [],
  ),
  clock: systemClock,
  log,
  metrics,
  timeoutMs: 60_000,
  requestsPerSecond: 1_000_000,
});
const settings = { DATABASE_URL: index.url, RPC_URL: "http://simulated", REORG_WINDOW_SECONDS: "100" };
const db = { ...index.indexer, api: index.pool, read: index.pool };
const heads = createSeenHeads(systemClock);
const deps = { config: parseConfig(settings), log, clock: systemClock, db, chain: { rpc, heads }, metrics };
const indexer = startIndexer(deps as unknown as Deps, simulatedManifest);
while (indexer.status().indexedBlock !== head.number) await new Promise((resolve) => setTimeout(resolve, 50));
await indexer.stop();

const found = differences(referenceIndex(simulatedManifest, blocks, sqrtPriceX96AtTick), await dumpIndex(index.pool));
const expectEqual = (name: string, got: unknown, wanted: unknown) => {
  const isNear =
    typeof got === "number" && typeof wanted === "number"
      ? Math.abs(got - wanted) <= 1e-6 * Math.abs(wanted)
      : got === wanted;
  if (!isNear) found.push(`${name}: ${got}, but the file gives ${wanted}`);
};

const clock = { ...systemClock, now: () => head.time * 1_000 };
const read = await createReadApp(index.indexer as never, {}, clock);
read.setManifest({ ...read.deps.chain.manifestState(), manifest: simulatedManifest });
const { json: detail } = await read.get(`/tokens/${token}`);
/** The minute of a swap on the simulated chain: a window is a number of minutes, and ends with the head's minute. */
const getMinute = ({ time }: { time: number }) => Math.floor((time + head.time - swaps.at(-1)!.time) / 60);
const toEth = (wei: bigint) => Number(wei < 0n ? -wei : wei) / 1e18;
for (const [name, minutes] of Object.entries({ m5: 5, h1: 60, h6: 360, h24: 1_440 })) {
  const recent = swaps.filter((swap) => getMinute(swap) > getMinute(swaps.at(-1)!) - minutes);
  const volume = recent.reduce((sum, { amount1 }) => sum + toEth(amount1), 0) * ethUsd;
  const buys = recent.filter(({ amount0 }) => amount0 < 0n).length;
  console.log(
    name,
    JSON.stringify(detail.windows[name]),
    JSON.stringify({ volume, buys, sells: recent.length - buys }),
  );
  expectEqual(`${name} buys`, detail.windows[name].buys, buys);
  expectEqual(`${name} sells`, detail.windows[name].sells, recent.length - buys);
  expectEqual(`${name} volume`, detail.windows[name].volume_usd, volume);
}
const accounts = Map.groupBy(swaps, getAccount);
expectEqual("traders in 24 h", detail.traders_24h, accounts.size);
const busiest = [...accounts].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 20);
for (const [account, own] of busiest) {
  const { rows } = await index.pool.query("select count(*)::int as n from chain.trade_rows where account = $1", [
    account,
  ]);
  expectEqual(`trades of ${account}`, rows[0].n, own.length);
}
await read.app.close();
await index.close();
console.log(`${swaps.length} swaps, ${blocks.length} blocks, ${accounts.size} accounts`);
for (const difference of found.slice(0, 20)) console.error(difference);
console.log(found.length === 0 ? "every figure is equal" : `${found.length} figures differ`);
process.exit(found.length === 0 ? 0 : 1);
