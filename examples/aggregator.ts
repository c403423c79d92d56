// Quotes and swaps in the pool of a token as an aggregator does: with the service's public data and the chain, without
// a key of the service. Ends with the quoted tokens. Uses viem. Run: node examples/aggregator.ts TOKEN
import { createClient } from "@slipway/sdk/createClient";
import { createPublicClient, createWalletClient, encodeFunctionData, erc20Abi, http, parseAbi, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { dev, readTrust, report } from "./devFile.ts";

const token = process.argv[2] as `0x${string}`;
const account = privateKeyToAccount(dev.wallets[2]!.private_key);
const transport = http(dev.rpc_url);
const chain = createPublicClient({ transport, pollingInterval: 50 });
const { uniswap } = (await readTrust()).manifest;
const quoter = uniswap.quoter.address as `0x${string}`;
const router = uniswap.router.address as `0x${string}`;

// The index: which pool a token has. `warnings` tells of names that can be confused with others.
const { pool, quote_token, fee_bps, warnings } = await createClient({ baseUrl: dev.base_url }).getToken({
  address: token,
});
if (pool === null || fee_bps === null) throw new Error("the token has no pool");
for (const { code } of warnings) console.log(`warning ${code}`);
// Uniswap's unit: hundredths of a basis point.
const route = { tokenIn: quote_token as `0x${string}`, tokenOut: token, fee: fee_bps * 100, sqrtPriceLimitX96: 0n };
const amountIn = parseEther("0.01");

const quoterAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160, uint32, uint256)",
]);
const quoted = await chain.simulateContract({
  address: quoter,
  abi: quoterAbi,
  functionName: "quoteExactInputSingle",
  args: [{ ...route, amountIn }],
});
const [amountOut] = quoted.result;

const routerAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Params params) payable returns (uint256)",
  "function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])",
]);
const args = [{ ...route, recipient: account.address, amountIn, amountOutMinimum: (amountOut * 99n) / 100n }] as const;
const swap = encodeFunctionData({ abi: routerAbi, functionName: "exactInputSingle", args });
const balance = { address: token, abi: erc20Abi, functionName: "balanceOf", args: [account.address] } as const;
const before = await chain.readContract(balance);
// SwapRouter02 has its deadline in `multicall`. It wraps the native value that it gets.
const deadline = (await chain.getBlock()).timestamp + 60n;
const hash = await createWalletClient({ account, transport }).writeContract({
  chain: null,
  address: router,
  abi: routerAbi,
  functionName: "multicall",
  args: [deadline, [swap]],
  value: amountIn,
});
const { status } = await chain.waitForTransactionReceipt({ hash });
if (status !== "success") throw new Error(`${hash} reverted`);
report("tokens of the aggregator", before + amountOut, await chain.readContract(balance));
