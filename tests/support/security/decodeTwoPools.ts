import { getAddress, Interface } from "ethers";

// Written from the interfaces of Uniswap's routers and decoded by ethers, without the service's own builder.
const router = new Interface([
  "function exactInput((bytes path,address recipient,uint256 deadline,uint256 amountIn,uint256 amountOutMinimum) params)",
  "function multicall(bytes[] data)",
]);
const router02 = new Interface([
  "function exactInput((bytes path,address recipient,uint256 amountIn,uint256 amountOutMinimum) params)",
  "function multicall(uint256 deadline, bytes[] data)",
]);

/** A swap through two pools: its path of tokens and fees, who receives, and the amounts in base units. */
export type TwoPoolSwap = { path: (string | number)[]; recipient: string; amountIn: bigint; minimumOut: bigint };

/** Decodes the one swap of a router's call. @throws if it has none, or another swap. */
export function decodeTwoPools(kind: "swap_router" | "swap_router_02", data: string): TwoPoolSwap {
  const target = kind === "swap_router" ? router : router02;
  const isMulticall = data.startsWith(target.getFunction("multicall")!.selector);
  const parts: string[] = isMulticall ? [...target.decodeFunctionData("multicall", data).data] : [data];
  const selector = target.getFunction("exactInput")!.selector;
  const swaps = parts.filter((part) => part.startsWith(selector));
  if (swaps.length !== 1) throw new Error(`${swaps.length} swaps in ${data}`);
  const { path, recipient, amountIn, amountOutMinimum } = target.decodeFunctionData("exactInput", swaps[0]!).params;
  const digits = (path as string).slice(2);
  if (digits.length !== 2 * (20 + 3 + 20 + 3 + 20)) throw new Error(`not a path through two pools: ${path}`);
  const address = (from: number) => getAddress(`0x${digits.slice(from, from + 40)}`);
  const fee = (from: number) => Number.parseInt(digits.slice(from, from + 6), 16);
  return {
    path: [address(0), fee(40), address(46), fee(86), address(92)],
    recipient,
    amountIn,
    minimumOut: amountOutMinimum,
  };
}
