/**
 * The bare floor: fetch, decode, reduce to trades and candles, COPY. No reorg safety, no restart, no windows. Reads the
 * sender of each trade from full blocks. With `holders` it also fetches the tokens' transfers (two thirds of the
 * chain's logs), which determine the holders, and adds up balances. node bench/index/floor.ts [holders] <rpc url>
 * <database url> <manifest>
 */
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { decodeLaunched, launchedTopic } from "@slipway/protocol/launchedLog";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { decodeTransfer, transferTopic } from "@slipway/protocol/rawLog";
import { decodeSwap, swapTopic } from "@slipway/protocol/swapLog";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

const withHolders = process.argv[2] === "holders";
const [rpcUrl, databaseUrl, manifestPath] = process.argv.slice(withHolders ? 3 : 2) as [string, string, string];
const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
const weth = manifest.wrapped_native.address.toLowerCase();

async function rpc(calls: { method: string; params: unknown[] }[]): Promise<any[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  const response = await fetch(rpcUrl, { method: "POST", body, headers: { "content-type": "application/json" } });
  return ((await response.json()) as { result: unknown }[]).map((entry) => entry.result);
}
const hex = (value: number) => `0x${value.toString(16)}`;

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
await client.query(`create table floor_trades (pool text, block int8, log_index int4, time int8, maker text, tx text,
  price float8, amount0 numeric, amount1 numeric);
  create table floor_candles (pool text, seconds int4, t int8, o float8, h float8, l float8, c float8, n int4, v float8)`);

const cpuBefore = process.cpuUsage();
const started = performance.now();
const head = Number((await rpc([{ method: "eth_blockNumber", params: [] }]))[0]);
const [launched] = await rpc([
  {
    method: "eth_getLogs",
    params: [
      {
        fromBlock: "0x0",
        toBlock: hex(head),
        address: manifest.current.launch_factory.address,
        topics: [[launchedTopic]],
      },
    ],
  },
]);
const launches = launched.map((log: any) => decodeLaunched(log)!);
const pools = new Map<string, boolean>(launches.map(({ pool, token }: any) => [pool, token < weth]));
const addresses = [...pools.keys(), ...(withHolders ? launches.map(({ token }: any) => token) : [])];
const topics = withHolders ? [swapTopic, transferTopic] : [swapTopic];
/** Balances by `<token>\t<holder>`. */
const balances = new Map<string, bigint>();
const size = 250;
let swaps = 0;
const fetchRange = async (from: number) => {
  const to = Math.min(head, from + size - 1);
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return await Promise.all([
    rpc([
      {
        method: "eth_getLogs",
        params: [{ fromBlock: hex(from), toBlock: hex(to), address: addresses, topics: [topics] }],
      },
    ]),
    rpc(numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [hex(number), true] }))),
  ]);
};
let next = fetchRange(0);
for (let from = 0; from <= head; from += size) {
  const [[logs], blocks] = await next;
  if (from + size <= head) next = fetchRange(from + size);
  const senders = new Map<string, string>();
  const times = new Map<number, number>();
  for (const block of blocks) {
    times.set(Number(block.number), Number(block.timestamp));
    for (const tx of block.transactions) senders.set(tx.hash, tx.from);
  }
  const trades: string[] = [];
  const candles = new Map<string, { o: number; h: number; l: number; c: number; n: number; v: number }>();
  for (const log of logs) {
    if (log.topics[0] === transferTopic) {
      const { from: sender, to: recipient, value } = decodeTransfer(log)!;
      for (const [holder, amount] of [
        [sender, -value],
        [recipient, value],
      ] as const) {
        const key = `${log.address}\t${holder}`;
        balances.set(key, (balances.get(key) ?? 0n) + amount);
      }
      continue;
    }
    const swap = decodeSwap(log)!;
    const isToken0 = pools.get(log.address)!;
    const price = priceFromSqrtX96(swap.sqrtPriceX96, isToken0);
    const block = Number(log.blockNumber);
    const time = times.get(block)!;
    const quote = Math.abs(Number(isToken0 ? swap.amount1 : swap.amount0)) / 1e18;
    trades.push(
      `${log.address}\t${block}\t${Number(log.logIndex)}\t${time}\t${senders.get(log.transactionHash)}\t${log.transactionHash}\t${price}\t${swap.amount0}\t${swap.amount1}\n`,
    );
    for (const seconds of [60, 300, 3600, 86400]) {
      const key = `${log.address}\t${seconds}\t${time - (time % seconds)}`;
      const candle = candles.get(key);
      if (!candle) candles.set(key, { o: price, h: price, l: price, c: price, n: 1, v: quote });
      else {
        candle.h = Math.max(candle.h, price);
        candle.l = Math.min(candle.l, price);
        candle.c = price;
        candle.n++;
        candle.v += quote;
      }
    }
    swaps++;
  }
  const rows = [...candles].map(([key, c]) => `${key}\t${c.o}\t${c.h}\t${c.l}\t${c.c}\t${c.n}\t${c.v}\n`);
  await pipeline(Readable.from([trades.join("")]), client.query(copyFrom("copy floor_trades from stdin")));
  await pipeline(Readable.from([rows.join("")]), client.query(copyFrom("copy floor_candles from stdin")));
}
if (withHolders) {
  await client.query("create table floor_balances (token text, holder text, amount numeric)");
  const rows = [...balances].map(([key, amount]) => `${key}\t${amount}\n`);
  await pipeline(Readable.from([rows.join("")]), client.query(copyFrom("copy floor_balances from stdin")));
}
const seconds = (performance.now() - started) / 1000;
const cpu = process.cpuUsage(cpuBefore);
await client.end();
console.log(
  JSON.stringify({
    swaps,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
