import { encodeFunctionData, type Hex, parseAbi } from "viem";

/** The functions of Uniswap v3 and of ERC-20 tokens that the service calls. */
export const quoterAbi = parseAbi([
  "function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
  "function quoteExactOutputSingle((address tokenIn, address tokenOut, uint256 amount, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountIn, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
]);

export const poolAbi = parseAbi([
  "function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
  "function liquidity() view returns (uint128)",
  "function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);

/** What a pool's address follows from. */
export const poolKeyAbi = parseAbi([
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function fee() view returns (uint24)",
]);

/** SwapRouter: the deadline is part of the struct. */
export const swapRouterAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);

/** SwapRouter02: the deadline is an argument of `multicall`. */
export const swapRouter02Abi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
  "function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)",
]);

export const erc20Abi = parseAbi([
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
]);

/** ERC-2612. */
export const permitAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function nonces(address owner) view returns (uint256)",
]);

/** The router contracts of a manifest. */
export type RouterKind = "swap_router" | "swap_router_02";

/** A swap of an exact amount through one pool, valid until `deadline` (Unix seconds of block time). */
export type SwapOrder = {
  tokenIn: Hex;
  tokenOut: Hex;
  /** The pool's fee in hundredths of a basis point. */
  fee: number;
  recipient: Hex;
  deadline: bigint;
  amountIn: bigint;
  minimumOut: bigint;
};

/** Encodes the calldata of a swap for either router; without a price limit: `minimumOut` is the only bound. */
export function swapCall(kind: RouterKind, order: SwapOrder): Hex {
  const shared = {
    tokenIn: order.tokenIn,
    tokenOut: order.tokenOut,
    fee: order.fee,
    recipient: order.recipient,
    amountIn: order.amountIn,
    amountOutMinimum: order.minimumOut,
    sqrtPriceLimitX96: 0n,
  };
  if (kind === "swap_router") {
    return encodeFunctionData({
      abi: swapRouterAbi,
      functionName: "exactInputSingle",
      args: [{ ...shared, deadline: order.deadline }],
    });
  }
  const inner = encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args: [shared] });
  return encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [order.deadline, [inner]] });
}
