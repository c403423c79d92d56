import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, stranger] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;
const erc20 = parseAbi([
  "function transfer(address to, uint256 amount) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
]);
const routerAbi = parseAbi(["function multicall(bytes[] data) payable returns (bytes[] results)"]);

describe.each(["swap_router_02", "swap_router"] as const)("C7-22 with %s", (routerKind) => {
  let stack: TestStack;
  let token: Hex;
  let weth: Hex;
  let router: Hex;
  beforeAll(async () => {
    stack = await startTestStack({ routerKind, heartbeatMs: 0 });
    ({ token } = await launchToken(stack, creator));
    weth = stack.manifest.wrapped_native.address as Hex;
    router = stack.manifest.uniswap.router.address as Hex;
    await wrap(stack, stranger, 10n * oneEther);
    await trade(stack, stranger, { token, side: "buy", amount_in: oneEther.toString() });
    await wrap(stack, trader, 10n * oneEther);
    await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  });
  afterAll(async () => {
    await stack?.close();
  });

  const ask = (more: Record<string, unknown>): Promise<Answer> =>
    stack.call("POST", "/trade/calls", { token, wallet: trader.address, ...more });
  const input = (amount: bigint) => ({ amount_in: amount.toString(), slippage_bps: 50 });
  const balance = (asset: Hex | "native", account: Hex) =>
    asset === "native"
      ? stack.deps.chain.client.getBalance({ address: account })
      : stack.deps.chain.client.readContract({
          address: asset,
          abi: erc20,
          functionName: "balanceOf",
          args: [account],
        });
  const leave = async (asset: Hex | "native", amount: bigint) => {
    const data =
      asset === "native"
        ? encodeFunctionData({ abi: routerAbi, functionName: "multicall", args: [[]] })
        : encodeFunctionData({ abi: erc20, functionName: "transfer", args: [router, amount] });
    const to = asset === "native" ? router : asset;
    await sendRaw(stack, stranger, { to, data, ...(asset === "native" ? { value: amount } : {}) });
    expect(await balance(asset, router)).toBe(amount);
  };
  /** Sends each call of an answer as a transaction. @returns their gas cost */
  const sendAll = async (answer: Answer) => {
    let cost = 0n;
    for (const { to, data, value } of answer.body.calls) {
      const { status, gasUsed, effectiveGasPrice } = await sendRaw(stack, trader, { to, data, value: BigInt(value) });
      expect(status).toBe("success");
      cost += gasUsed * effectiveGasPrice;
    }
    return cost;
  };

  test("C7-22 native that a stranger left is refunded along with a buy, which costs no more than was asked for", async () => {
    await leave("native", oneEther);
    const amount = oneEther / 10n;
    const answer = await ask({ side: "buy", pay: "native", ...input(amount) });
    const before = await balance("native", trader.address);
    const { gasUsed, effectiveGasPrice } = await sendWithViem(stack, answer, trader);
    const after = await balance("native", trader.address);
    expect(after + gasUsed * effectiveGasPrice - before).toBe(oneEther - amount);
    expect(await balance("native", router)).toBe(0n);
  });

  test("C7-22 wrapped native that a stranger left does not stand in for a price that moved", async () => {
    const amount = 10n ** 22n;
    await leave(weth, oneEther);
    const answer = await ask({ side: "sell", receive: "native", ...input(amount) });
    // Another account sells before: the swap alone yields less than the minimum, which the leftover would have covered.
    await trade(stack, stranger, { token, side: "sell", amount_in: `${10n ** 25n}`, slippage_bps: 500 });
    const { to, data } = answer.body.calls[0];
    await sendRaw(stack, trader, { to, data });
    const swap = answer.body.calls[1];
    const receipt = await sendRaw(stack, trader, { to: swap.to, data: swap.data });
    expect(receipt.status).toBe("reverted");
    expect(await balance(weth, router)).toBe(oneEther);

    const again = await ask({ side: "sell", receive: "native", ...input(amount) });
    const before = await balance("native", trader.address);
    const cost = await sendAll(again);
    const received = (await balance("native", trader.address)) + cost - before;
    expect(received).toBe(BigInt(again.body.expected.amount_out) + oneEther);
    expect(await balance(weth, router)).toBe(0n);
  });

  test("C7-22 tokens that a stranger left stay, and a trade leaves none beside them", async () => {
    await leave(token, 10n ** 18n);
    for (const order of [
      { side: "buy", pay: "native", ...input(oneEther / 10n) },
      { side: "buy", pay: "native", amount_out: `${10n ** 21n}`, maximum_in: `${oneEther}` },
      { side: "sell", receive: "native", ...input(10n ** 21n) },
      { side: "sell", amount_out: `${oneEther / 1_000n}`, maximum_in: `${10n ** 25n}` },
      { side: "buy", ...input(oneEther / 100n) },
    ]) {
      await sendAll(await ask(order));
      expect([await balance(token, router), await balance(weth, router), await balance("native", router)]).toEqual([
        10n ** 18n,
        0n,
        0n,
      ]);
    }
  });

  test("C7-22 native that a stranger left pays for a buy in wrapped native before the wallet does", async () => {
    await leave("native", oneEther);
    const answer = await ask({ side: "buy", ...input(oneEther / 10n) });
    expect(answer.status).toBe(200);
    const before = await balance(weth, trader.address);
    await sendAll(answer);
    expect(await balance(weth, trader.address)).toBe(before);
    expect(await balance("native", router)).toBe(oneEther - oneEther / 10n);
  });
});
