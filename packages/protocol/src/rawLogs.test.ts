import fc from "fast-check";
import {
  type Abi,
  type AbiEvent,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  parseAbi,
  toEventSelector,
} from "viem";
import { expect, test } from "vitest";
import { launchFactoryAbi } from "./contracts/launchFactory.ts";
import { decodeLaunched, launchedTopic } from "./launchedLog.ts";
import { decodeTransfer, type RawLog, transferTopic } from "./rawLog.ts";
import {
  collectProtocolTopic,
  decodeCollectProtocol,
  decodePoolBurn,
  decodePoolCollect,
  decodePoolFlash,
  decodePoolMint,
  decodeSetFeeProtocol,
  decodeSwap,
  initializeTopic,
  poolBurnTopic,
  poolCollectTopic,
  poolFlashTopic,
  poolMintTopic,
  setFeeProtocolTopic,
  swapTopic,
} from "./swapLog.ts";

const poolAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)",
  "event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
  "event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)",
  "event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)",
]);
const tokenAbi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b) => `0x${Buffer.from(b).toString("hex")}`);
const unsigned = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const signed = (bits: number) => fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n });
const tick = fc.integer({ min: -887272, max: 887272 });

function encode(abi: Abi, eventName: string, args: Record<string, unknown>): RawLog {
  const event = abi.find((entry): entry is AbiEvent => entry.type === "event" && entry.name === eventName)!;
  const plain = event.inputs.filter((input) => !input.indexed);
  return {
    address: `0x${"1".repeat(40)}`,
    topics: encodeEventTopics({ abi, eventName, args } as never) as string[],
    data: encodeAbiParameters(plain, plain.map((input) => args[input.name!]) as never),
    blockNumber: "0x1",
    blockHash: `0x${"0".repeat(64)}`,
    transactionHash: `0x${"0".repeat(64)}`,
    transactionIndex: "0x0",
    logIndex: "0x0",
  };
}

const oracle = (abi: Abi, log: RawLog): any =>
  decodeEventLog({ abi, data: log.data as `0x${string}`, topics: log.topics as [`0x${string}`] }).args;
const lower = (value: string) => value.toLowerCase();

test("topics are the hashes of the signatures", () => {
  expect([
    swapTopic,
    initializeTopic,
    poolMintTopic,
    poolBurnTopic,
    setFeeProtocolTopic,
    poolCollectTopic,
    collectProtocolTopic,
    poolFlashTopic,
  ]).toEqual(poolAbi.map((event) => toEventSelector(event)));
  expect(transferTopic).toBe(toEventSelector(tokenAbi[0]));
  expect(launchedTopic).toBe(
    toEventSelector(launchFactoryAbi.find((entry) => entry.type === "event" && entry.name === "Launched") as AbiEvent),
  );
});

test("C2-15 a swap decodes as viem decodes it, extremes included", () => {
  const extreme = fc.constantFrom(2n ** 255n - 1n, -(2n ** 255n), 0n, -1n);
  const amount = fc.oneof(signed(256), extreme);
  fc.assert(
    fc.property(
      address,
      address,
      amount,
      amount,
      unsigned(160),
      unsigned(128),
      tick,
      (sender, recipient, amount0, amount1, sqrtPriceX96, liquidity, at) => {
        const log = encode(poolAbi, "Swap", { sender, recipient, amount0, amount1, sqrtPriceX96, liquidity, tick: at });
        const wanted = oracle(poolAbi, log);
        expect(decodeSwap(log)).toEqual({
          recipient: lower(wanted.recipient),
          amount0: wanted.amount0,
          amount1: wanted.amount1,
          sqrtPriceX96: wanted.sqrtPriceX96,
          liquidity: wanted.liquidity,
          tick: wanted.tick,
        });
      },
    ),
    { numRuns: 300 },
  );
});

test("liquidity changes, protocol fees and transfers decode as viem decodes them", () => {
  fc.assert(
    fc.property(
      address,
      address,
      tick,
      tick,
      unsigned(128),
      unsigned(256),
      (from, to, tickLower, tickUpper, amount, value) => {
        const change = { owner: from, tickLower, tickUpper, amount, amount0: value, amount1: amount };
        const paid = { amount0: value, amount1: amount };
        const wanted = { owner: from, tickLower, tickUpper, liquidity: amount, ...paid };
        expect(decodePoolMint(encode(poolAbi, "Mint", { sender: to, ...change }))).toEqual(wanted);
        expect(decodePoolBurn(encode(poolAbi, "Burn", change))).toEqual(wanted);
        const collected = { owner: from, recipient: to, tickLower, tickUpper, amount0: amount, amount1: 7n };
        const taken = { sender: from, recipient: to, amount0: amount, amount1: 7n };
        expect(decodePoolCollect(encode(poolAbi, "Collect", collected))).toEqual({ amount0: amount, amount1: 7n });
        expect(decodeCollectProtocol(encode(poolAbi, "CollectProtocol", taken))).toEqual({
          amount0: amount,
          amount1: 7n,
        });
        const lent = { sender: from, recipient: to, amount0: 1n, amount1: 2n, paid0: value, paid1: amount };
        expect(decodePoolFlash(encode(poolAbi, "Flash", lent))).toEqual(paid);
        expect(decodeTransfer(encode(tokenAbi, "Transfer", { from, to, value }))).toEqual({ from, to, value });
      },
    ),
    { numRuns: 200 },
  );
  const fees = { feeProtocol0Old: 0, feeProtocol1Old: 0, feeProtocol0New: 4, feeProtocol1New: 6 };
  expect(decodeSetFeeProtocol(encode(poolAbi, "SetFeeProtocol", fees))).toBe(0x64);
});

test("C2-14 a launch decodes as viem decodes it, with any texts", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.constant("\u0000"), fc.constant("🚀\u202e"));
  fc.assert(
    fc.property(
      text,
      text,
      text,
      address,
      tick,
      unsigned(128),
      (name, symbol, contractURI, party, tickStart, liquidity) => {
        const args = {
          token: party,
          creator: party,
          splitter: party,
          pool: party,
          name,
          symbol,
          contractURI,
          tickStart,
          tickLower: -tickStart,
          tickUpper: tickStart,
          liquidity,
          totalFeeBps: 100,
          protocolFeeBps: 10,
          partner: party,
          partnerShareBps: 5000,
          salt: `0x${"ab".repeat(32)}`,
        };
        const log = encode(launchFactoryAbi as Abi, "Launched", args);
        const wanted = oracle(launchFactoryAbi as Abi, log);
        const { contractUri, ...decoded } = decodeLaunched(log)!;
        expect(contractUri).toBe(wanted.contractURI);
        for (const [key, value] of Object.entries(decoded)) {
          expect(value, key).toEqual(
            typeof wanted[key] === "string" && key.length && /^0x/.test(wanted[key]) ? lower(wanted[key]) : wanted[key],
          );
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("a log that is too short, or has an offset outside its data, decodes to null", () => {
  const swap = encode(poolAbi, "Swap", {
    sender: `0x${"2".repeat(40)}`,
    recipient: `0x${"3".repeat(40)}`,
    amount0: 1n,
    amount1: 1n,
    sqrtPriceX96: 1n,
    liquidity: 1n,
    tick: 1,
  });
  expect(decodeSwap({ ...swap, data: swap.data.slice(0, -2) })).toBeNull();
  expect(decodeSwap({ ...swap, topics: swap.topics.slice(0, 2) })).toBeNull();
  const wild = `0x${"f".repeat(64).repeat(13)}`;
  expect(
    decodeLaunched({ ...swap, topics: [launchedTopic, ...Array(3).fill(`0x${"0".repeat(64)}`)], data: wild }),
  ).toBeNull();
});
