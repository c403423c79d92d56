import { gasStationToken } from "@slipway/protocol/manifest";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import { pino } from "pino";
import { createPublicClient, custom, encodeFunctionResult, type Hex, multicall3Abi, zeroHash } from "viem";
import { expect, test } from "vitest";
import { RpcError } from "../../chain/rpcError.ts";
import { createRpcPool } from "../../chain/rpcPool.ts";
import { createMetrics } from "../../metrics.ts";
import { systemClock } from "../../systemClock.ts";
import { readNativePrice } from "./readNativePrice.ts";

const toAddress = (digit: string): Hex => `0x${digit.repeat(40)}`;
const seconds = 600;
const config = {
  GAS_STATION_MARKUP_BPS: 300,
  GAS_STATION_MAX_DEVIATION_BPS: 200,
  GAS_STATION_TWAP_SECONDS: seconds,
};
// Native is token0, so that a lower tick is a lower price of native.
const station = {
  manifest: { wrapped_native: { address: toAddress("1") }, uniswap: { quoter: { address: toAddress("2") } } },
  ethUsd: { pool: toAddress("3"), fee: 500, stablecoin: { address: toAddress("4") }, stablecoin_decimals: 6 },
};
const token = gasStationToken.parse({
  address: toAddress("4"),
  symbol: "USDG",
  decimals: 6,
  permit: false,
  runtime_code_hash: zeroHash,
  permit_domain: null,
});
const oneEther = 10n ** 18n;

const honestTick = -196_256;
const toUsd = (tick: number) => 1.0001 ** tick * 1e12;

/** The tick of a node's pool, in its price and its mean; "down" for a node that does not respond. */
type Node = number | "down";

/** Encodes the results of `createPriceReads`, for a pool with so much liquidity that one native does not move it. */
function encodeAnswers(tick: number): Hex {
  const root = sqrtPriceX96AtTick(tick);
  const perEth = BigInt(Math.ceil((toUsd(tick) * 1e6) / 0.9995));
  const results = [
    encodeFunctionResult({ abi: quoterAbi, functionName: "quoteExactOutputSingle", result: [perEth, root, 0, 0n] }),
    encodeFunctionResult({ abi: poolAbi, functionName: "slot0", result: [root, tick, 0, 1, 1, 0, true] }),
    encodeFunctionResult({ abi: poolAbi, functionName: "liquidity", result: 10n ** 22n }),
    encodeFunctionResult({
      abi: poolAbi,
      functionName: "observe",
      result: [
        [0n, BigInt(tick * seconds)],
        [0n, 0n],
      ],
    }),
  ].map((returnData) => ({ success: true, returnData }));
  return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results });
}

function createChain(nodes: readonly Node[]) {
  const rpc = createRpcPool({
    endpoints: nodes.length,
    transport: async (endpoint, body) => {
      const node = nodes[endpoint]!;
      if (node === "down") throw new RpcError("transient", "no answer");
      return JSON.stringify({ id: (JSON.parse(body) as { id: number }).id, result: encodeAnswers(node) });
    },
    timeoutMs: 60_000,
    requestsPerSecond: 1e6,
    clock: systemClock,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
  });
  return {
    rpc,
    client: createPublicClient({ transport: custom({ request: rpc.request } as never, { retryCount: 0 }) }),
  };
}

/** Returns the payment for one native in dollars before the markup, or the code of the refusal. */
async function price(nodes: readonly Node[], indexed: number | null = toUsd(honestTick)): Promise<number | string> {
  const readModel = { getEthUsd: async () => ({ oracle: { price: indexed } }) };
  const deps = { chain: createChain(nodes), config, readModel };
  try {
    const { fairAmount } = await readNativePrice(deps as never, station as never, token, oneEther);
    return Math.round(Number(fairAmount) / 1e6);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const honest = honestTick;
const cheap = honestTick - 69_081;
const honestUsd = Math.round(toUsd(honestTick) / 0.9995);

test.each<[string, Node[], number | string]>([
  ["one honest endpoint", [honest], honestUsd],
  ["one lying endpoint", [cheap], "gas_station_unavailable"],
  ["two honest endpoints", [honest, honest], honestUsd],
  ["two honest endpoints a block apart", [honest, honest + 40], Math.round(toUsd(honestTick + 40) / 0.9995)],
  ["a lying first endpoint", [cheap, honest], "gas_station_unavailable"],
  ["a lying second endpoint", [honest, cheap], "gas_station_unavailable"],
  ["two lying endpoints", [cheap, cheap], "gas_station_unavailable"],
  ["two endpoints of which one is down", [honest, "down"], "chain_unavailable"],
  [
    "endpoints within the bound of the index, but not of each other",
    [honest - 150, honest + 150],
    "gas_station_unavailable",
  ],
  ["an endpoint at the price of three percent less", [honest - 300, honest - 300], "gas_station_unavailable"],
])("C7-59 the price of %s", async (_, nodes, expected) => {
  expect(await price(nodes)).toBe(expected);
});

test("C7-59 without a reliable indexed price there is no price", async () => {
  expect(await price([honest, honest], null)).toBe("gas_station_unavailable");
});
