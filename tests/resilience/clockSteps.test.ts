import { decodeFunctionData, encodeFunctionData, type Hex, maxUint256, parseAbi, parseEther } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildTestApp } from "../support/buildTestApp.ts";
import { launchToken, sendRaw, sendWithViem, wallets, wrap } from "../support/security/actors.ts";
import { askQuote, erc20, type GasStack, rpc, startGasStack } from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";

const creator = wallets[0]!;
const trader = wallets[1]!;
let gas: GasStack;
let token: Hex;

beforeAll(async () => {
  gas = await startGasStack();
  ({ token } = await launchToken(gas.stack, creator));
  await wrap(gas.stack, trader, parseEther("5"));
  const router = gas.stack.manifest.uniswap.router.address as Hex;
  const data = encodeFunctionData({ abi: erc20, functionName: "approve", args: [router, maxUint256] });
  await sendRaw(gas.stack, trader, { to: gas.stack.manifest.wrapped_native.address as Hex, data });
});
afterAll(() => gas?.close());

/** The same API on a machine with a wrong clock. */
async function withClock(skewMs: number): Promise<Server> {
  const { deps } = gas.server;
  const clock = { ...deps.clock, now: () => deps.clock.now() + skewMs };
  const { app } = await buildTestApp({ ...deps, clock });
  onTestFinished(() => app.close());
  const { key } = gas.stack.account;
  return {
    ...gas.server,
    call: async (method, path, body) => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await app.inject({ method, url: `/api/v1/launchpad${path}`, headers, payload: body as object });
      return { status: answer.statusCode, body: answer.json() };
    },
  };
}

/** Returns the deadline of a swap through SwapRouter02, in seconds of block time. */
function readDeadline(data: Hex): number {
  const abi = parseAbi(["function multicall(uint256 deadline, bytes[] data)"]);
  return Number(decodeFunctionData({ abi, data }).args[0]);
}

const createOrder = () => ({
  token,
  wallet: trader.address,
  side: "buy",
  slippage_bps: 100,
  amount_in: String(parseEther("0.01")),
});

/** Returns the chain time of the newest block, in seconds. */
async function chainTime(): Promise<number> {
  const head = await rpc<{ timestamp: Hex }>(gas.stack, "eth_getBlockByNumber", ["latest", false]);
  return Number(head.timestamp);
}

test.each([-300, 0, 300])("C3-07 a clock that is %i s off: the chain accepts the trade", async (skewSeconds) => {
  const server = await withClock(skewSeconds * 1000);
  await rpc(gas.stack, "evm_mine");
  const quote = await server.call("POST", "/trade/quote", createOrder());
  expect(quote.status, JSON.stringify(quote.body)).toBe(200);
  const expected = () => Math.floor(Date.now() / 1_000) + skewSeconds + 60;
  expect(Math.abs(quote.body.expires_at - expected())).toBeLessThanOrEqual(2);
  const swap = await server.call("POST", "/trade/transactions", createOrder());
  expect(swap.body.action, JSON.stringify(swap.body)).toBe("swap");
  expect(Math.abs(swap.body.expires_at - expected())).toBeLessThanOrEqual(2);
  // A clock that is behind does not shorten the deadline in block time.
  const deadline = readDeadline(swap.body.transaction.data);
  expect(deadline - Math.max(expected(), (await chainTime()) + 60)).toBeLessThanOrEqual(2);
  expect(deadline).toBeGreaterThanOrEqual((await chainTime()) + 58);
  expect((await sendWithViem(gas.stack, swap, trader)).status).toBe("success");
});

test.each([-300, 0, 240])(
  "C3-07 a clock that is %i s off: a top-up's and its permit's deadline are the chain's",
  async (skewSeconds) => {
    const server = await withClock(skewSeconds * 1000);
    const person = await gas.newWallet();
    await rpc(gas.stack, "evm_mine");
    const { status, body } = await askQuote(server, person);
    expect(status, JSON.stringify(body)).toBe(200);
    const expected = (await chainTime()) + 180;
    expect(body.deadline).toBe(expected);
    expect(Number(body.typed_data.message.deadline)).toBe(expected);
    expect(Number(body.permit_typed_data.message.deadline)).toBe(expected);
  },
);

test("C3-07 a chain without new blocks for ten minutes: a trade has a deadline in the future", async () => {
  // The service's clock runs ahead of the newest block, as on a chain that makes blocks for transactions only.
  const server = await withClock(600_000);
  const swap = await server.call("POST", "/trade/transactions", createOrder());
  expect(swap.body.action, JSON.stringify(swap.body)).toBe("swap");
  await rpc(gas.stack, "evm_increaseTime", [600]);
  expect((await sendWithViem(gas.stack, swap, trader)).status).toBe("success");
});
