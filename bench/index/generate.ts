/**
 * Creates the chain for the index benchmark, once: Slipway's own contracts on anvil, 200 launches and 100,000 swaps
 * over 5,000 blocks, log-uniform popularity, deterministic; recorded as {b: block, r: receipts} per line, gzip.
 *
 * node bench/index/generate.ts [blocks] [launches] [mean swaps a block]
 */

import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createGzip } from "node:zlib";
import { deployLocal } from "@slipway/deploy/deployLocal";
import { startChain } from "@slipway/dev/chain/startChain";
import { getWallet } from "@slipway/dev/chain/wallets";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import { type Address, encodeFunctionData, type Hex, keccak256, parseAbi, parseEther, toHex, zeroAddress } from "viem";
import { recordPaths } from "./recordPaths.ts";

const routerAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
]);
const erc20Abi = parseAbi(["function approve(address, uint256) returns (bool)"]);

const [blocks, launches, mean] = [5000, 200, 20].map((preset, i) => Number(process.argv[2 + i] ?? preset)) as [
  number,
  number,
  number,
];
const traderCount = 120;
const secondsPerBlock = 12;

/** mulberry32 */
let state = 46630;
const random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

const paths = recordPaths(blocks, launches, mean);
if (existsSync(paths.record)) {
  console.log(`${paths.record} exists`);
  process.exit(0);
}
mkdirSync(paths.folder, { recursive: true });
const chain = await startChain({ dir: paths.folder, heartbeatMs: 0, durable: false });
const { manifest } = await deployLocal({
  rpcUrl: chain.rpcUrl,
  deployer: getWallet("deployer").account,
  treasury: getWallet("treasury").address,
  owner: getWallet("treasury").address,
  relayer: getWallet("relayer").address,
  manifestPath: paths.manifest,
});

let id = 0;
async function batch(calls: [string, unknown[]][]): Promise<any[]> {
  const response = await fetch(chain.rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map(([method, params]) => ({ jsonrpc: "2.0", id: ++id, method, params }))),
  });
  const answers = (await response.json()) as { result: any; error?: object }[];
  const bad = answers.find((answer) => answer.error);
  if (bad) throw new Error(JSON.stringify(bad.error));
  return answers.map((answer) => answer.result);
}

const traders = Array.from(
  { length: traderCount },
  (_, i) => `0x${keccak256(toHex(`trader${i}`)).slice(26)}` as Address,
);
const nonces = new Map(traders.map((trader) => [trader, 0]));
const weth = manifest.wrapped_native.address as Address;
const router = manifest.uniswap.router.address as Address;
const factory = manifest.current.launch_factory.address as Address;
await batch([
  ["anvil_autoImpersonateAccount", [true]],
  ["evm_setAutomine", [false]],
  ...traders.map((trader): [string, unknown[]] => ["anvil_setBalance", [trader, toHex(parseEther("1000000"))]]),
]);
const [latest] = await batch([["eth_getBlockByNumber", ["latest", false]]]);
let time = Number(latest.timestamp);

function tx(from: Address, to: Address | undefined, data: Hex, gas: number, value = 0n): [string, unknown[]] {
  const nonce = nonces.get(from)!;
  nonces.set(from, nonce + 1);
  const fees = { maxFeePerGas: toHex(3_000_000_000n), maxPriorityFeePerGas: toHex(1_000_000_000n) };
  return [
    "eth_sendTransaction",
    [{ from, to, data, gas: toHex(gas), value: toHex(value), nonce: toHex(nonce), ...fees }],
  ];
}
const mine = async () => {
  time += secondsPerBlock;
  await batch([["evm_mine", [time]]]);
};

const splitterData = splitterCreationInput(manifest.current.splitter_implementation.address as Address, [
  { payee: traders[0]!, shareBps: 5000 },
  { payee: traders[1]!, shareBps: 3000 },
  { payee: traders[2]!, shareBps: 2000 },
]);
const [splitterTx] = await batch([tx(traders[0]!, undefined, splitterData, 3_000_000)]);
await mine();
const [splitterReceipt] = await batch([["eth_getTransactionReceipt", [splitterTx]]]);
const splitter = splitterReceipt.contractAddress as Address;

const tokens: Address[] = [];
async function launch(i: number): Promise<[string, unknown[]]> {
  const params = {
    name: `Token ${i}`,
    symbol: `TK${i}`,
    contractURI: `data:application/json,{"name":"Token ${i}","description":"Made to be measured","image":"ipfs://bafy${i}"}`,
    splitter,
    salt: toHex(i, { size: 32 }),
    partner: zeroAddress,
    feeBps: 100,
  };
  const call = encodeFunctionData({ abi: launchFactoryAbi, functionName: "predict", args: [traders[0]!, params] });
  const [answer] = await batch([["eth_call", [{ to: factory, data: call }, "latest"]]]);
  tokens.push(`0x${answer.slice(26, 66)}`);
  const args = [params, { recipient: traders[0]!, minimumOut: 0n }] as const;
  return tx(
    traders[0]!,
    factory,
    encodeFunctionData({ abi: launchFactoryAbi, functionName: "launch", args }),
    9_000_000,
  );
}

const swap = (from: Address, tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
  tx(
    from,
    router,
    encodeFunctionData({
      abi: routerAbi,
      functionName: "exactInputSingle",
      args: [{ tokenIn, tokenOut, fee: 10000, recipient: from, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }],
    }),
    300_000,
    tokenIn === weth ? amountIn : 0n,
  );

const upFront = Math.min(launches, Math.ceil(launches / 4));
for (let i = 0; i < upFront; i++) {
  await batch([await launch(i)]);
  await mine();
}
const held = new Set<string>();
const approved = new Set<string>();
/** Tokens that were bought in the previous block: a sale must not precede its purchase. */
let fresh: string[] = [];
let swaps = 0;
const started = Date.now();
for (let block = 0; block < blocks; block++) {
  const calls: [string, unknown[]][] = [];
  const due = upFront + Math.floor((launches - upFront) * Math.min(1, block / (blocks * 0.8)));
  const known = tokens.length;
  while (tokens.length < due) calls.push(await launch(tokens.length));
  let left = Math.max(1, Math.round(mean * (0.25 + 1.5 * random())));
  for (const pair of fresh) held.add(pair);
  fresh = [];
  for (; left > 0; left--) {
    const trader = traders[1 + Math.floor(random() ** 2 * (traderCount - 1))]!;
    const token = tokens[Math.min(known - 1, Math.floor((known + 1) ** random()) - 1)]!;
    const pair = `${trader}:${token}`;
    if (held.has(pair) && random() < 0.45) {
      if (!approved.has(pair)) {
        approved.add(pair);
        const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, 2n ** 255n] });
        calls.push(tx(trader, token, data, 80_000));
      }
      calls.push(swap(trader, token, weth, BigInt(Math.floor(100 + 100 * random())) * 10n ** 18n));
    } else {
      calls.push(swap(trader, weth, token, BigInt(Math.floor(1e14 * 200 ** random()))));
      fresh.push(pair);
    }
    swaps++;
  }
  // ETH/USD moves slightly from time to time.
  if (block % 50 === 0) {
    const pinned = manifest.eth_usd!;
    const args = {
      tokenIn: weth,
      tokenOut: pinned.stablecoin.address as Address,
      fee: pinned.fee,
      recipient: traders[0]!,
      amountIn: parseEther("0.01"),
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    };
    const data = encodeFunctionData({ abi: routerAbi, functionName: "exactInputSingle", args: [args] });
    calls.push(tx(traders[0]!, router, data, 300_000, parseEther("0.01")));
  }
  await batch(calls);
  await mine();
  if (block % 250 === 249)
    console.log(`block ${block + 1}/${blocks}, ${swaps} swaps, ${(Date.now() - started) / 1000} s`);
}

const [head, splitterCode] = await batch([
  ["eth_blockNumber", []],
  ["eth_getCode", [splitter, "latest"]],
]);
const gzip = createGzip({ level: 3 });
const file = gzip.pipe(createWriteStream(`${paths.record}.part`));
let reverted = 0;
for (let number = 0; number <= Number(head); number++) {
  const tag = toHex(number);
  const [b, r] = await batch([
    ["eth_getBlockByNumber", [tag, true]],
    ["eth_getBlockReceipts", [tag]],
  ]);
  reverted += r.filter((receipt: { status: string }) => receipt.status !== "0x1").length;
  if (!gzip.write(`${JSON.stringify({ b, r })}\n`)) await once(gzip, "drain");
}
gzip.end();
await once(file, "close");
writeFileSync(
  paths.facts,
  JSON.stringify(
    { blocks, launches: tokens.length, swaps, reverted, head: Number(head), code: { [splitter]: splitterCode } },
    null,
    2,
  ),
);
renameSync(`${paths.record}.part`, paths.record);
console.log({ swaps, reverted, head: Number(head) });
await chain.stop();
