import { Interface } from "ethers";

// Written from the interfaces of Uniswap's routers and decoded by ethers, without the service's own builder.
const token = new Interface(["function approve(address spender, uint256 amount)"]);
const payments = new Interface([
  "function selfPermitIfNecessary(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient)",
  "function refundETH()",
]);
const router = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
  "function exactOutputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 deadline,uint256 amountOut,uint256 amountInMaximum,uint160 sqrtPriceLimitX96) params)",
  "function multicall(bytes[] data)",
]);
const router02 = new Interface([
  "function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96) params)",
  "function exactOutputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountOut,uint256 amountInMaximum,uint160 sqrtPriceLimitX96) params)",
  "function multicall(uint256 deadline, bytes[] data)",
]);

/** One effect of a call of a trade. */
export type TradePart =
  | { kind: "approve"; spender: string; amount: bigint }
  | { kind: "permit"; token: string; value: bigint; deadline: bigint; v: bigint; r: string; s: string }
  | { kind: "exact_input"; amountIn: bigint; minimumOut: bigint; swap: DecodedSwap }
  | { kind: "exact_output"; amountOut: bigint; maximumIn: bigint; swap: DecodedSwap }
  | { kind: "unwrap"; minimum: bigint; recipient: string }
  | { kind: "refund" };

export type DecodedSwap = { tokenIn: string; tokenOut: string; fee: bigint; recipient: string; priceLimit: bigint };

/** A call of a trade: its parts in order, and the deadlines that it checks. */
export type DecodedTradeCall = { parts: TradePart[]; deadlines: bigint[] };

/**
 * Decodes a call of a trade and checks that its bytes are the canonical encoding of the result.
 *
 * @throws if it contains anything other than an approval, a permit, a swap, an unwrapping and a refund.
 */
export function decodeTradeCall(kind: "swap_router" | "swap_router_02", data: string): DecodedTradeCall {
  const approval = read(token, "approve", data);
  if (approval)
    return { parts: [{ kind: "approve", spender: approval.spender, amount: approval.amount }], deadlines: [] };
  const target = kind === "swap_router" ? router : router02;
  const outer = read(target, "multicall", data);
  if (kind === "swap_router_02" && !outer) throw new Error("SwapRouter02 is called without a deadline");
  const inner: string[] = outer ? [...outer.data] : [data];
  if (outer && kind === "swap_router" && inner.length < 2) throw new Error("a multicall of one call");
  const deadlines: bigint[] = outer && kind === "swap_router_02" ? [outer.deadline] : [];
  return { parts: inner.map((part) => decodePart(target, part, deadlines)), deadlines };
}

function decodePart(target: Interface, data: string, deadlines: bigint[]): TradePart {
  for (const name of ["exactInputSingle", "exactOutputSingle"] as const) {
    const params = read(target, name, data)?.params;
    if (!params) continue;
    if (target === router) deadlines.push(params.deadline);
    const { tokenIn, tokenOut, fee, recipient, sqrtPriceLimitX96: priceLimit } = params;
    const swap = { tokenIn, tokenOut, fee, recipient, priceLimit };
    return name === "exactInputSingle"
      ? { kind: "exact_input", amountIn: params.amountIn, minimumOut: params.amountOutMinimum, swap }
      : { kind: "exact_output", amountOut: params.amountOut, maximumIn: params.amountInMaximum, swap };
  }
  const permit = read(payments, "selfPermitIfNecessary", data);
  if (permit) {
    const { token: asset, value, deadline, v, r, s } = permit;
    return { kind: "permit", token: asset, value, deadline, v, r, s };
  }
  const unwrap = read(payments, "unwrapWETH9", data);
  if (unwrap) return { kind: "unwrap", minimum: unwrap.amountMinimum, recipient: unwrap.recipient };
  if (read(payments, "refundETH", data)) return { kind: "refund" };
  throw new Error(`a part of unknown kind: ${data.slice(0, 10)}`);
}

/** Returns the arguments of a call, or null for another function. @throws if the bytes contain more than the call. */
function read(contract: Interface, name: string, data: string): any {
  const fragment = contract.getFunction(name)!;
  if (!data.startsWith(fragment.selector)) return null;
  const args = contract.decodeFunctionData(fragment, data);
  const again = contract.encodeFunctionData(fragment, args.toArray(true));
  if (again.toLowerCase() !== data.toLowerCase()) throw new Error(`${name}: the bytes hold more than the call`);
  return args;
}
