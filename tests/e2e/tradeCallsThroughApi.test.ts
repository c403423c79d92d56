import type { Wallet } from "@slipway/dev/chain/wallets";
import { permitTypedData, type TypedData } from "@slipway/protocol/typedData";
import { sendableCalls } from "@slipway/sdk/sendable";
import { type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  sendRaw,
  sendWithEthers,
  sendWithViem,
  trade,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import {
  atomicityNotSupported,
  type BatchWallet,
  createContractWallet,
  createDelegatedWallet,
  createSequentialWallet,
} from "../support/security/batchWallets.ts";
import { getIssueTime } from "../support/security/getIssueTime.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, delegated, sequential, receiver, owner] = wallets as [
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
];
const oneEther = 10n ** 18n;
const erc20 = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function nonces(address owner) view returns (uint256)",
]);

describe.each(["swap_router_02", "swap_router"] as const)("POST /trade/calls with %s", (routerKind) => {
  let stack: TestStack;
  let token: Hex;
  let weth: Hex;
  let router: Hex;
  beforeAll(async () => {
    // Without a heartbeat, so that the transaction is mined on the simulated block.
    stack = await startTestStack({ routerKind, heartbeatMs: 0 });
    ({ token } = await launchToken(stack, creator));
    weth = stack.manifest.wrapped_native.address as Hex;
    router = stack.manifest.uniswap.router.address as Hex;
  });
  afterAll(async () => {
    await stack?.close();
  });

  const ask = (wallet: Hex, more: Record<string, unknown>) =>
    stack.call("POST", "/trade/calls", { token, wallet, ...more });
  const input = (amount: bigint) => ({ amount_in: amount.toString(), slippage_bps: 100 });
  const output = (amount: bigint, maximum: bigint) => ({ amount_out: `${amount}`, maximum_in: `${maximum}` });
  const read = (address: Hex, functionName: "balanceOf" | "nonces", account: Hex) =>
    stack.deps.chain.client.readContract({ address, abi: erc20, functionName, args: [account] });
  const readNative = (address: Hex) => stack.deps.chain.client.getBalance({ address });
  const readAllowance = (account: Hex, asset = token) =>
    stack.deps.chain.client.readContract({
      address: asset,
      abi: erc20,
      functionName: "allowance",
      args: [account, router],
    });
  /** Returns balances of an account: native, wrapped native, tokens. */
  const readHoldings = async (account: Hex) => ({
    native: await readNative(account),
    wrapped: await read(weth, "balanceOf", account),
    tokens: await read(token, "balanceOf", account),
  });
  const expectNothingKept = async () =>
    expect(await readHoldings(router)).toEqual({ native: 0n, wrapped: 0n, tokens: 0n });
  const sign = (wallet: Wallet, typed: TypedData) => wallet.account.signTypedData(typed as never);
  const buyTokens = async (account: Wallet, amountIn = oneEther / 10n) =>
    await sendWithViem(stack, await ask(account.address, { side: "buy", pay: "native", ...input(amountIn) }), account);

  /** Sends the transaction of an answer and returns the native that the wallet paid besides the gas. */
  async function sendAndMeasure(answer: Answer, wallet: Wallet, send = sendWithViem) {
    const before = await readHoldings(wallet.address);
    const receipt = await send(stack, answer, wallet);
    expect(receipt.status).toBe("success");
    const after = await readHoldings(wallet.address);
    const gas = receipt.gasUsed * receipt.effectiveGasPrice;
    return {
      native: after.native + gas - before.native,
      wrapped: after.wrapped - before.wrapped,
      tokens: after.tokens - before.tokens,
    };
  }

  describe("a buy with native value", () => {
    test("is one transaction without an approval, and yields what it promised", async () => {
      const amountIn = oneEther / 20n;
      const answer = await ask(trader.address, { side: "buy", pay: "native", ...input(amountIn) });
      expect(answer.status).toBe(200);
      const { body } = answer;
      expect(body).toMatchObject({
        action: "swap",
        status: "ready",
        step: { index: 1, total: 1 },
        next: null,
        transaction: { to: router, value: `0x${amountIn.toString(16)}` },
        quote: { settlement: "native", token_in: weth, token_out: token, amount_in: `${amountIn}` },
        simulation: { method: "eth_simulateV1", block_number: body.block_number },
        permit_typed_data: null,
        issues: { allowance: null, balance: null, native_balance: null },
      });
      const { to, data, value } = body.transaction;
      expect(body.calls).toEqual([{ to, data, value }]);
      const moved = await sendAndMeasure(answer, trader, sendWithEthers);
      expect(moved).toEqual({ native: -amountIn, wrapped: 0n, tokens: BigInt(body.expected.amount_out) });
      await expectNothingKept();
    });

    test("of an exact output refunds what it does not need", async () => {
      const amountOut = 10n ** 22n;
      const maximum = oneEther;
      const answer = await ask(trader.address, { side: "buy", pay: "native", ...output(amountOut, maximum) });
      expect(answer.body.quote).toMatchObject({
        amount_out: `${amountOut}`,
        minimum_out: `${amountOut}`,
        maximum_in: `${maximum}`,
        slippage_bps: null,
      });
      expect(BigInt(answer.body.transaction.value)).toBe(maximum);
      const moved = await sendAndMeasure(answer, trader);
      expect(moved).toEqual({ native: -BigInt(answer.body.quote.amount_in), wrapped: 0n, tokens: amountOut });
      await expectNothingKept();
    });

    test("pays another recipient, and refunds the wallet", async () => {
      const amountOut = 10n ** 22n;
      const maximum = oneEther;
      const more = { side: "buy", pay: "native", recipient: receiver.address, ...output(amountOut, maximum) };
      const before = await readHoldings(receiver.address);
      const answer = await ask(trader.address, more);
      const moved = await sendAndMeasure(answer, trader);
      expect(moved).toEqual({ native: -BigInt(answer.body.quote.amount_in), wrapped: 0n, tokens: 0n });
      const after = await readHoldings(receiver.address);
      expect(after).toEqual({ ...before, tokens: before.tokens + amountOut });
    });

    test("prices the trade in native for one whole token, fee included", async () => {
      const amountIn = oneEther / 10n;
      const { body } = await ask(trader.address, { side: "buy", pay: "native", ...input(amountIn) });
      const { quote } = body;
      expect(quote.effective_price).toBeCloseTo(Number(amountIn) / Number(quote.amount_out), 15);
      expect(quote.effective_price_usd).toBeCloseTo(quote.effective_price * 3_000, 9);
      expect(quote.price_before).toBeLessThan(quote.price_after);
      expect(quote.effective_price).toBeGreaterThan(quote.price_before * 1.01);
      expect(quote.effective_price).toBeLessThan(quote.price_after * 1.011);
      expect(quote.fee_amount).toBe(`${amountIn / 100n}`);
      await sendWithViem(stack, await ask(trader.address, { side: "buy", pay: "native", ...input(amountIn) }), trader);
      const later = await ask(trader.address, { side: "buy", pay: "native", ...input(amountIn) });
      expect(later.body.quote.price_before).toBeCloseTo(quote.price_after, 15);
    });

    test("of more than the wallet holds is insufficient_balance of native", async () => {
      const poor = "0x000000000000000000000000000000000000bEEF";
      for (const amounts of [input(oneEther), output(10n ** 18n, oneEther)]) {
        const { status, body } = await ask(poor, { side: "buy", pay: "native", ...amounts });
        expect([status, body.error.code]).toEqual([422, "insufficient_balance"]);
        expect(body.error.details).toEqual({
          asset: "0x0000000000000000000000000000000000000000",
          needed: `${oneEther}`,
          available: "0",
        });
      }
    });
  });

  describe("a sell with a permit", () => {
    test("is one transaction that ends in native, and yields what it promised", async () => {
      await buyTokens(trader);
      const amountIn = 10n ** 21n;
      const order = { side: "sell", receive: "native", ...input(amountIn) };
      const first = await ask(trader.address, order);
      expect(first.body).toMatchObject({ transaction: null, issues: { allowance: { asset: token, available: "0" } } });
      expect(first.body.calls.map(({ to }: { to: Hex }) => to)).toEqual([token, router]);
      const typed = first.body.permit_typed_data;
      const nonce = await read(token, "nonces", trader.address);
      const block = await stack.deps.chain.client.getBlock({ blockNumber: BigInt(first.body.block_number) });
      const deadline = getIssueTime(first.body, block) + 1_800n;
      const terms = { owner: trader.address, spender: router, value: amountIn, nonce, deadline };
      const domain = { name: "Tin Boat", version: "1" };
      expect(typed).toEqual(permitTypedData(terms, token, domain, stack.manifest.chain_id));

      const permit = { deadline: Number(typed.message.deadline), signature: await sign(trader, typed) };
      const answer = await ask(trader.address, { ...order, permit });
      expect(answer.body).toMatchObject({ next: null, permit_typed_data: null, issues: { allowance: null } });
      expect(answer.body.calls).toHaveLength(1);
      const moved = await sendAndMeasure(answer, trader, sendWithEthers);
      expect(moved).toEqual({ native: BigInt(answer.body.expected.amount_out), wrapped: 0n, tokens: -amountIn });
      expect(await readAllowance(trader.address)).toBe(0n);
      await expectNothingKept();
    });

    test("of an exact output takes no more than it costs, and pays another recipient", async () => {
      await buyTokens(trader);
      const amountOut = oneEther / 100n;
      const maximum = 10n ** 25n;
      const order = { side: "sell", receive: "native", recipient: receiver.address, ...output(amountOut, maximum) };
      const typed = (await ask(trader.address, order)).body.permit_typed_data;
      expect(typed.message.value).toBe(`${maximum}`);
      const permit = { deadline: Number(typed.message.deadline), signature: await sign(trader, typed) };
      const answer = await ask(trader.address, { ...order, permit });
      const before = await readNative(receiver.address);
      const moved = await sendAndMeasure(answer, trader);
      expect(moved).toEqual({ native: 0n, wrapped: 0n, tokens: -BigInt(answer.body.quote.amount_in) });
      expect(await readNative(receiver.address)).toBe(before + amountOut);
      await expectNothingKept();
    });

    test("settles in wrapped native when nothing else is asked for", async () => {
      const fresh = wallets[6]!;
      await buyTokens(fresh);
      const order = { side: "sell", ...input(10n ** 20n) };
      const typed = (await ask(fresh.address, order)).body.permit_typed_data;
      const permit = { deadline: Number(typed.message.deadline), signature: await sign(fresh, typed) };
      const answer = await ask(fresh.address, { ...order, permit });
      const moved = await sendAndMeasure(answer, fresh);
      const wrapped = BigInt(answer.body.expected.amount_out);
      expect(moved).toEqual({ native: 0n, wrapped, tokens: -(10n ** 20n) });
      expect(answer.body.quote.settlement).toBe("wrapped_native");
    });
  });

  describe("a wallet that sends batches (EIP-5792)", () => {
    const send = async (wallet: BatchWallet, answer: Answer) =>
      await wallet.sendCalls(sendableCalls(answer.body, wallet.address)!);

    test("as a contract buys with native and with wrapped native, and sells to native, each in one transaction", async () => {
      const wallet = await createContractWallet(stack, owner, 2n * oneEther);
      const buy = await ask(wallet.address, { side: "buy", pay: "native", ...input(oneEther / 10n) });
      const [receipt] = await send(wallet, buy);
      expect(receipt!.status).toBe("success");
      expect(await readHoldings(wallet.address)).toEqual({
        native: 2n * oneEther - oneEther / 10n,
        wrapped: 0n,
        tokens: BigInt(buy.body.expected.amount_out),
      });

      const before = await readHoldings(wallet.address);
      const sell = await ask(wallet.address, { side: "sell", receive: "native", ...input(10n ** 21n) });
      expect(sell.body.permit_typed_data).toBeNull();
      expect(sell.body.transaction).toBeNull();
      expect((await send(wallet, sell)).map(({ status }) => status)).toEqual(["success"]);
      expect(await readHoldings(wallet.address)).toEqual({
        native: before.native + BigInt(sell.body.expected.amount_out),
        wrapped: 0n,
        tokens: before.tokens - 10n ** 21n,
      });
      expect(await readAllowance(wallet.address)).toBe(0n);

      await wrap(stack, owner, oneEther);
      const data = `0xa9059cbb${wallet.address.slice(2).padStart(64, "0")}${(oneEther / 2n).toString(16).padStart(64, "0")}`;
      await sendRaw(stack, owner, { to: weth, data: data as Hex });
      const wrapped = await ask(wallet.address, { side: "buy", ...output(10n ** 20n, oneEther / 2n) });
      expect(wrapped.body.calls.map(({ to }: { to: Hex }) => to)).toEqual([weth, router]);
      expect((await send(wallet, wrapped)).map(({ status }) => status)).toEqual(["success"]);
      expect(await read(weth, "balanceOf", wallet.address)).toBe(oneEther / 2n - BigInt(wrapped.body.quote.amount_in));
      await expectNothingKept();
    });

    test("as an account that delegates to code (EIP-7702) sells approval and swap in one transaction", async () => {
      await buyTokens(delegated);
      const order = { side: "sell", receive: "native", ...input(10n ** 21n) };
      expect((await ask(delegated.address, order)).body.permit_typed_data).not.toBeNull();
      const wallet = await createDelegatedWallet(stack, delegated);
      await wallet.delegate();
      const answer = await ask(delegated.address, order);
      expect([answer.status, answer.body.permit_typed_data, answer.body.calls.length]).toEqual([200, null, 2]);
      const before = await readHoldings(delegated.address);
      const [receipt] = await send(wallet, answer);
      expect(receipt!.status).toBe("success");
      const gas = receipt!.gasUsed * receipt!.effectiveGasPrice;
      expect(await readHoldings(delegated.address)).toEqual({
        native: before.native - gas + BigInt(answer.body.expected.amount_out),
        wrapped: before.wrapped,
        tokens: before.tokens - 10n ** 21n,
      });
      expect(await readAllowance(delegated.address)).toBe(0n);
      await expectNothingKept();
    });

    test("that refuses an atomic batch sends the calls one by one, with the same result", async () => {
      await buyTokens(sequential);
      const wallet = createSequentialWallet(stack, sequential);
      const order = { side: "sell", receive: "native", ...input(10n ** 21n) };
      const answer = await ask(sequential.address, order);
      await expect(send(wallet, answer)).rejects.toMatchObject({ code: atomicityNotSupported });
      const before = await readHoldings(sequential.address);
      const receipts = await wallet.sendOneByOne(answer.body);
      expect(receipts.map(({ status }) => status)).toEqual(["success", "success"]);
      const gas = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
      expect(await readHoldings(sequential.address)).toEqual({
        native: before.native - gas + BigInt(answer.body.expected.amount_out),
        wrapped: before.wrapped,
        tokens: before.tokens - 10n ** 21n,
      });
    });

    test("that stops after the approval gets the swap alone the next time", async () => {
      await buyTokens(sequential);
      const order = { side: "sell", ...input(10n ** 20n) };
      const { body } = await ask(sequential.address, order);
      await createSequentialWallet(stack, sequential).sendOneByOne({ calls: body.calls.slice(0, 1) });
      const answer = await ask(sequential.address, order);
      expect(answer.body.calls).toHaveLength(1);
      expect(answer.body.permit_typed_data).toBeNull();
      expect((await sendWithViem(stack, answer, sequential)).status).toBe("success");
    });
  });

  test("without choices a trade is that of /trade/transactions, approval and swap together", async () => {
    await wrap(stack, trader, oneEther);
    const order = { token, side: "buy" as const, amount_in: "1000000000000000" };
    const { body } = await ask(trader.address, { ...order, slippage_bps: 100 });
    const { answer } = await trade(stack, trader, order);
    expect(body.expected).toEqual(answer.body.expected);
    const shared = Object.keys(answer.body.quote).filter((name) => !["block_number", "expires_at"].includes(name));
    for (const name of shared) expect([name, body.quote[name]]).toEqual([name, answer.body.quote[name]]);
  });
});
