import type { Wallet } from "@slipway/dev/chain/wallets";
import type { TradeCallsRequest } from "@slipway/protocol/tradeCalls";
import type { TypedData } from "@slipway/protocol/typedData";
import { type Order, type PreparedForOrder, verifyPrepared } from "@slipway/sdk/verifyPrepared";
import { encodeFunctionData, type Hex, maxUint256, numberToHex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { tamper } from "../support/sdk/tamper.ts";
import { launchToken, sendRaw, sendWithEthers, sendWithViem, wallets, wrap } from "../support/security/actors.ts";
import { decodeTwoPools } from "../support/security/decodeTwoPools.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";
import { erc20, rpc, sendFrom, untilHeadIndexed } from "../support/security/startGasStack.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, receiver, poor] = wallets as [Wallet, Wallet, Wallet, Wallet];
const deployer = getWallet("deployer");
const dollar = 10n ** 6n;

describe.each(["swap_router_02", "swap_router"] as const)("a trade in USDG with %s", (routerKind) => {
  let stack: TestStack;
  let token: Hex;
  let usdg: Hex;
  let weth: Hex;
  let router: Hex;
  beforeAll(async () => {
    stack = await startTestStack({ routerKind, heartbeatMs: 0 });
    ({ token } = await launchToken(stack, creator));
    usdg = stack.stablecoin;
    weth = stack.manifest.wrapped_native.address as Hex;
    router = stack.manifest.uniswap.router.address as Hex;
    const data = encodeFunctionData({
      abi: erc20,
      functionName: "transfer",
      args: [trader.address as Hex, 100_000n * dollar],
    });
    await sendFrom(stack, deployer, { to: usdg, data });
    await untilHeadIndexed(stack, stack);
  });
  afterAll(async () => {
    await stack?.close();
  });

  const ask = (wallet: string, more: Record<string, unknown>) =>
    stack.call("POST", "/trade/calls", { token, wallet, ...more });
  const buy = (amount: bigint, more: Record<string, unknown> = {}) => ({
    side: "buy",
    pay: { asset: usdg },
    amount_in: `${amount}`,
    slippage_bps: 100,
    ...more,
  });
  const held = async (asset: Hex, account: string) =>
    await stack.deps.chain.client.readContract({
      address: asset,
      abi: erc20,
      functionName: "balanceOf",
      args: [account as Hex],
    });
  const holdings = async (account: string) =>
    await Promise.all([usdg, weth, token].map((asset) => held(asset, account)));
  const allowance = async (asset: Hex) =>
    await stack.deps.chain.client.readContract({
      address: asset,
      abi: erc20,
      functionName: "allowance",
      args: [trader.address as Hex, router],
    });
  const sign = (typed: TypedData) => trader.account.signTypedData(typed as never);
  const withPermit = async (order: Record<string, unknown>): Promise<Answer> => {
    const offer = await ask(trader.address, order);
    expectVerified(offer, order);
    const typed = offer.body.permit_typed_data;
    const permit = { deadline: Number(typed.message.deadline), signature: await sign(typed) };
    const answer = await ask(trader.address, { ...order, permit });
    expectVerified(answer, { ...order, permit });
    return answer;
  };
  /** The SDK accepts the answer, and none that differs in one field. */
  const expectVerified = ({ body }: Answer, request: object) => {
    const order: Order = {
      operation: "prepareTradeCalls",
      request: { token, wallet: trader.address, ...request } as TradeCallsRequest,
    };
    const trust = { manifest: stack.manifest, sha256: stack.manifestSha256 };
    const verify = (result: PreparedForOrder) => verifyPrepared(result, order, trust, body.expires_at - 30);
    expect(verify(body).checks.filter(({ ok }) => !ok)).toEqual([]);
    const isAccepted = (result: PreparedForOrder) => {
      try {
        return verify(result).ok;
      } catch {
        return false;
      }
    };
    const changed = tamper(order, body);
    expect(changed.length).toBeGreaterThan(20);
    expect(changed.filter(({ result }) => isAccepted(result)).map(({ path }) => path)).toEqual([]);
  };
  const refusal = ({ status, body }: Answer) => [status, body.error?.code, body.error?.field];

  test("C7-86 a buy with a permit is one transaction through the two pinned pools, and yields what it promised", async () => {
    const amountIn = 500n * dollar;
    const first = await ask(trader.address, buy(amountIn));
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      transaction: null,
      issues: { allowance: { asset: usdg, needed: `${amountIn}`, available: "0", spender: router } },
      permit_typed_data: { domain: { verifyingContract: usdg }, message: { spender: router, value: `${amountIn}` } },
    });
    expect(first.body.calls.map(({ to }: { to: Hex }) => to)).toEqual([usdg, router]);
    const answer = await withPermit(buy(amountIn));
    const { body } = answer;
    expect(body).toMatchObject({
      next: null,
      permit_typed_data: null,
      transaction: { to: router, value: "0x0" },
      quote: { token_in: usdg, token_out: token, settlement: "asset", amount_in: `${amountIn}`, slippage_bps: 100 },
      issues: { allowance: null, balance: null },
    });
    expect(decodeTwoPools(routerKind, body.transaction.data)).toEqual({
      path: [usdg, stack.manifest.eth_usd!.fee, weth, 10_000, token],
      recipient: trader.address,
      amountIn,
      minimumOut: BigInt(body.quote.minimum_out),
    });
    // 500 dollars at 3,000 dollars, less the fee of the pool, are the wrapped native between the pools.
    const wrapped = Number(body.quote.wrapped_amount) / 1e18;
    expect(wrapped).toBeGreaterThan((500 / 3_000) * 0.99);
    expect(wrapped).toBeLessThan(500 / 3_000);
    expect(body.quote.effective_price).toBeCloseTo((wrapped * 1e18) / Number(body.quote.amount_out), 15);
    expect(BigInt(body.quote.minimum_out)).toBe((BigInt(body.quote.amount_out) * 9_900n) / 10_000n);
    const before = await holdings(trader.address);
    expect((await sendWithEthers(stack, answer, trader)).status).toBe("success");
    const after = await holdings(trader.address);
    expect(after.map((amount, i) => amount - before[i]!)).toEqual([-amountIn, 0n, BigInt(body.quote.amount_out)]);
    expect([await allowance(usdg), await holdings(router)]).toEqual([0n, [0n, 0n, 0n]]);
  });

  test("C7-86 a sell for the asset by approval or permit yields what it promised, also to another recipient", async () => {
    const order = (more: Record<string, unknown> = {}) => ({
      side: "sell",
      receive: { asset: usdg },
      amount_in: `${10n ** 21n}`,
      slippage_bps: 100,
      ...more,
    });
    const before = await holdings(receiver.address);
    const answer = await withPermit(order({ recipient: receiver.address }));
    expect(answer.body.quote).toMatchObject({ token_in: token, token_out: usdg, settlement: "asset" });
    expect(decodeTwoPools(routerKind, answer.body.transaction.data).path).toEqual([
      token,
      10_000,
      weth,
      stack.manifest.eth_usd!.fee,
      usdg,
    ]);
    expect((await sendWithViem(stack, answer, trader)).status).toBe("success");
    const after = await holdings(receiver.address);
    expect(after.map((amount, i) => amount - before[i]!)).toEqual([BigInt(answer.body.quote.amount_out), 0n, 0n]);
    const { calls } = (await ask(trader.address, order())).body;
    const earlier = await holdings(trader.address);
    for (const { to, data } of calls) await sendRaw(stack, trader, { to, data });
    expect((await holdings(trader.address))[0]! - earlier[0]!).toBeGreaterThan(0n);
    expect([await allowance(token), await holdings(router)]).toEqual([0n, [0n, 0n, 0n]]);
  });

  test("C7-87 what cannot be traded is refused: another asset, an exact output, too little, the pool as recipient", async () => {
    const asset = "pay.asset";
    for (const wrong of [token, weth, router, creator.address]) {
      expect(refusal(await ask(trader.address, buy(dollar, { pay: { asset: wrong } })))).toEqual([
        422,
        "invalid_fields",
        asset,
      ]);
    }
    const { amount_in: _, slippage_bps: __, ...rest } = buy(dollar);
    const output = await ask(trader.address, { ...rest, amount_out: "1", maximum_in: `${dollar}` });
    expect(refusal(output)).toEqual([422, "invalid_fields", "amount_out"]);
    expect(refusal(await ask(poor.address, buy(dollar)))).toEqual([422, "insufficient_balance", "amount_in"]);
    // With 6 decimals, a base unit is a millionth of a dollar; the fee of the first pool takes all of one.
    expect((await ask(trader.address, buy(1n))).status).toBe(422);
    const { quote } = (await ask(trader.address, buy(1_000n))).body;
    expect(Number(quote.wrapped_amount) / 1e18).toBeCloseTo(0.001 / 3_000, 9);
    for (const recipient of [usdg, stack.manifest.eth_usd!.pool, router]) {
      expect(refusal(await ask(trader.address, buy(dollar, { recipient })))).toEqual([
        422,
        "recipient_cannot_receive",
        "recipient",
      ]);
    }
    expect(refusal(await ask(trader.address, buy(10n ** 15n * dollar)))[0]).toBe(422);
    const config = await stack.call("GET", "/config");
    expect(config.body.trade_assets).toEqual([{ address: usdg, symbol: "USDG", decimals: 6, permit: true }]);
  });

  test("C7-88 a signed permit is for this asset, amount and router only", async () => {
    const { body } = await ask(trader.address, buy(5n * dollar));
    const typed = body.permit_typed_data as TypedData;
    const deadline = Number(typed.message.deadline);
    const changes: Record<string, string>[] = [{ value: `${6n * dollar}` }, { spender: creator.address }];
    for (const change of changes) {
      const signature = await sign({ ...typed, message: { ...typed.message, ...change } });
      expect(refusal(await ask(trader.address, buy(5n * dollar, { permit: { deadline, signature } })))[1]).toBe(
        "signature_invalid",
      );
    }
    const signature = await sign(typed);
    for (const [order, code] of [
      [buy(6n * dollar, { permit: { deadline, signature } }), "signature_invalid"],
      [{ ...buy(5n * dollar), pay: "wrapped", permit: { deadline, signature } }, "invalid_fields"],
      [
        { ...buy(10n ** 21n), side: "sell", pay: undefined, receive: { asset: usdg }, permit: { deadline, signature } },
        "signature_invalid",
      ],
    ] as const) {
      expect((await ask(trader.address, order)).body.error.code).toBe(code);
    }
  });

  test("C7-89 a price of the asset's pool that was moved within a block is refused, in both directions", async () => {
    const push = async (tokenIn: Hex, tokenOut: Hex, amountIn: bigint) => {
      const approval = encodeFunctionData({ abi: erc20, functionName: "approve", args: [router, maxUint256] });
      await sendFrom(stack, deployer, { to: tokenIn, data: approval });
      const params = {
        tokenIn,
        tokenOut,
        fee: stack.manifest.eth_usd!.fee,
        recipient: deployer.address as Hex,
        amountIn,
        amountOutMinimum: 0n,
        sqrtPriceLimitX96: 0n,
      };
      const data =
        routerKind === "swap_router_02"
          ? encodeFunctionData({ abi: push02, functionName: "exactInputSingle", args: [params] })
          : encodeFunctionData({
              abi: push01,
              functionName: "exactInputSingle",
              args: [{ ...params, deadline: maxUint256 }],
            });
      expect((await sendFrom(stack, deployer, { to: router, data })).status).toBe("success");
    };
    await wrap(stack, deployer, 10n ** 21n);
    const amounts: [Hex, Hex, bigint, Hex, Hex][] = [
      [weth, usdg, 60n * 10n ** 18n, usdg, weth],
      [usdg, weth, 180_000n * dollar, weth, usdg],
    ];
    for (const [tokenIn, tokenOut, amount, backIn, backOut] of amounts) {
      const earlier = await held(tokenOut, deployer.address);
      await push(tokenIn, tokenOut, amount);
      await untilHeadIndexed(stack, stack);
      for (const order of [
        buy(100n * dollar),
        { side: "sell", receive: { asset: usdg }, amount_in: `${10n ** 20n}`, slippage_bps: 100 },
      ]) {
        expect(refusal(await ask(trader.address, order))).toEqual([503, "asset_unavailable", undefined]);
      }
      await push(backIn, backOut, (await held(tokenOut, deployer.address)) - earlier);
      await untilHeadIndexed(stack, stack);
      expect((await ask(trader.address, buy(100n * dollar))).status).toBe(200);
    }
  });

  test("C7-89 one lying endpoint of two cannot lower the minimum with an invented quote", async () => {
    const liar = await startRpcProxy(stack.chain.rpcUrl);
    const server = await stack.openServer({ RPC_URL: [liar.url, stack.chain.rpcUrl].join(",") });
    try {
      await untilHeadIndexed(stack, server);
      const order = { token, wallet: trader.address, ...buy(100n * dollar) };
      expect((await server.call("POST", "/trade/calls", order)).status).toBe(200);
      // The price of the launch's pool is worse for a buyer, by an override of its slot.
      const pool = (await stack.call("GET", `/tokens/${token}`)).body.pool as Hex;
      const slot = await rpc<Hex>(stack, "eth_getStorageAt", [pool, "0x0", "latest"]);
      const price = BigInt(slot) & ((1n << 160n) - 1n);
      const isToken0 = BigInt(token) < BigInt(weth);
      const moved = isToken0 ? (price * 12n) / 10n : (price * 10n) / 12n;
      const changed = numberToHex((BigInt(slot) - price) | moved, { size: 32 });
      const overrides = { [pool]: { stateDiff: { [numberToHex(0, { size: 32 })]: changed } } };
      liar.rewriteCalls((call) => {
        if (call.method === "eth_call") {
          const [request, block, own] = call.params!;
          return { ...call, params: [request, block, { ...(own as object), ...overrides }] };
        }
        if (call.method !== "eth_simulateV1") return call;
        const [{ blockStateCalls, ...others }, block] = call.params as [{ blockStateCalls: any[] }, unknown];
        const [first, ...later] = blockStateCalls;
        const state = { ...first, stateOverrides: { ...first.stateOverrides, ...overrides } };
        return { ...call, params: [{ ...others, blockStateCalls: [state, ...later] }, block] };
      });
      const answer = await server.call("POST", "/trade/calls", order);
      expect([answer.status, answer.body.error?.code]).toEqual([503, "chain_unavailable"]);
    } finally {
      await server.close();
      await liar.close();
    }
  });
});

const push02 = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);
const push01 = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);
