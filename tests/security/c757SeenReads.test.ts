import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface } from "ethers";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, other] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;
const amountIn = oneEther / 10n;
const quoter = new Interface([
  "function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut,uint160 sqrtPriceX96After,uint32 ticks,uint256 gas)",
]);

let stack: TestStack;
let proxy: RpcProxy;
let server: Server;
let token: Hex;
let splitter: Hex;
let requests: Record<"swap" | "batch" | "claim" | "collect" | "payout", [string, object]>;

beforeAll(async () => {
  // Without a heartbeat: a block comes only when a test mines it.
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token, splitter } = await launchToken(stack, creator));
  for (const wallet of [trader, other]) await wrap(stack, wallet, 10n * oneEther);
  await trade(stack, other, { token, side: "buy", amount_in: oneEther.toString() });
  const buy = { token, wallet: trader.address, side: "buy", amount_in: amountIn.toString(), slippage_bps: 100 };
  // Sends the approval, so that all later requests are for the swap.
  await sendWithViem(stack, await stack.call("POST", "/trade/transactions", buy), trader);
  requests = {
    swap: ["/trade/transactions", buy],
    batch: ["/trade/calls", buy],
    claim: ["/fees/claim-calls", { tokens: [token], wallet: creator.address }],
    collect: ["/fees/claim-transactions", { token, wallet: trader.address, stage: "collect" }],
    payout: ["/fees/payout-transactions", { token, wallet: creator.address, payout: trader.address }],
  };
  proxy = await startRpcProxy(stack.chain.rpcUrl);
  server = await stack.openServer({ RPC_URL: proxy.url });
});
afterAll(async () => {
  await server?.close();
  await proxy?.close();
  await stack?.close();
});

const ask = async (name: keyof typeof requests) => {
  const [path, body] = requests[name];
  proxy.reset();
  const answer = await server.call("POST", path, body);
  return { ...answer, rounds: proxy.rounds() };
};

/** Repeats the request until its answer takes one round: all data were read before, at the same block. */
const askUntilExpected = async (name: keyof typeof requests) =>
  await expect
    .poll(async () => {
      const { status, rounds } = await ask(name);
      return [status, rounds];
    })
    .toEqual([200, 1]);

/** Makes the server see the newest block, by an unrelated request. */
const showNewestBlock = async () => {
  const [path, body] = requests.swap;
  const quote = await server.call("POST", path.replace("transactions", "quote"), { ...body, amount_in: "12345678" });
  expect(quote.status).toBe(200);
};

/** Returns the pool's output at a block for the amount of the requests. */
const readAmountOut = async (block: bigint): Promise<string> => {
  const params = [stack.manifest.wrapped_native.address, token, amountIn, 10_000n, 0n];
  const data = quoter.encodeFunctionData("quoteExactInputSingle", [params]);
  const call = { to: stack.manifest.uniswap.quoter.address, data };
  const returned = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [call, `0x${block.toString(16)}`]);
  return `${quoter.decodeFunctionResult("quoteExactInputSingle", returned)[0]}`;
};

describe("C7-57", () => {
  test.each(["swap", "batch"] as const)(
    "C7-57 a %s that was asked for before is prepared from the pool as it is now",
    async (name) => {
      await askUntilExpected(name);
      const before = (await ask(name)).body.quote.amount_out;
      await trade(stack, other, { token, side: "buy", amount_in: oneEther.toString() });
      await showNewestBlock();
      const { status, body, rounds } = await ask(name);
      expect([status, rounds]).toEqual([200, 2]);
      expect(body.quote.amount_out).toBe(await readAmountOut(BigInt(body.block_number)));
      expect(body.quote.amount_out).not.toBe(before);
      expect(body.expected.minimum_out).toBe(`${(BigInt(body.quote.amount_out) * 9_900n) / 10_000n}`);
    },
  );

  test("C7-57 a swap whose allowance was spent since asks for the approval again", async () => {
    await askUntilExpected("swap");
    const swap = await ask("swap");
    expect(swap.body.action).toBe("swap");
    await sendWithViem(stack, swap, trader);
    await showNewestBlock();
    expect((await ask("swap")).body).toMatchObject({ status: "ready", action: "approve" });
  });

  test("C7-57 a claim that was made since is not prepared again", async () => {
    await askUntilExpected("claim");
    const claim = await ask("claim");
    await sendWithViem(stack, claim, creator);
    await showNewestBlock();
    const again = await ask("claim");
    expect([claim.body.status, again.body.status, again.body.calls]).toEqual(["ready", "nothing_to_do", []]);
  });

  test("C7-57 what the index said before does not outlast what it says now", async () => {
    await trade(stack, other, { token, side: "buy", amount_in: oneEther.toString() });
    for (const name of ["claim", "collect", "payout"] as const) await askUntilExpected(name);
    const set = async (proven: boolean) =>
      await stack.deps.db.api.query("update chain.splitters set proven = $2 where address = $1", [
        splitter.toLowerCase(),
        proven,
      ]);
    await set(false);
    for (const name of ["claim", "payout"] as const) {
      const { status, body } = await ask(name);
      expect([name, status, body.error?.code]).toEqual([name, 422, "splitter_mismatch"]);
    }
    await set(true);
    for (const name of ["claim", "payout"] as const) expect([name, (await ask(name)).status]).toEqual([name, 200]);

    const rename = async (from: string, to: string) =>
      await stack.deps.db.api.query("update chain.tokens set address = $2 where address = $1", [from, to]);
    const unknown = `0x${"1".repeat(40)}`;
    await rename(token.toLowerCase(), unknown);
    for (const name of ["swap", "batch", "claim", "collect", "payout"] as const) {
      const { status, body } = await ask(name);
      expect([name, status, body.error?.code]).toEqual([name, 422, "pool_not_supported"]);
    }
    await rename(unknown, token.toLowerCase());
  });
});
