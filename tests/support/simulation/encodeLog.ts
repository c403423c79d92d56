import { type Abi, type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbi } from "viem";

export type GeneratedLog = { address: string; topics: string[]; data: string };

/** The events of a Uniswap v3 pool. */
export const poolAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
  "event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)",
  "event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)",
  "event SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)",
]);
export const erc20Abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]);

/** Encodes an event of an ABI. */
export function encodeLog(abi: Abi, address: string, eventName: string, args: Record<string, unknown>): GeneratedLog {
  const event = abi.find((entry): entry is AbiEvent => entry.type === "event" && entry.name === eventName)!;
  const plain = event.inputs.filter((input) => !input.indexed);
  const topics = encodeEventTopics({ abi, eventName, args } as never) as string[];
  return { address, topics, data: encodeAbiParameters(plain, plain.map((input) => args[input.name!]) as never) };
}
