import { parseAbi } from "viem";

export const factoryAbi = parseAbi([
  "event Launched(address indexed token, address indexed creator, address indexed splitter, address pool, string name, string symbol, string contractURI, int24 tickStart, int24 tickLower, int24 tickUpper, uint128 liquidity, uint16 totalFeeBps, uint16 protocolFeeBps, address partner, uint16 partnerShareBps, bytes32 salt)",
]);

export const poolAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
