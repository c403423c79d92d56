import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  randomSalt,
  sendRaw,
  sendWithViem,
  storeDraft,
  trade,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

const [creator, trader, attacker] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const uniswap = parseAbi([
  "function createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)",
  "function initialize(uint160 sqrtPriceX96)",
  "function transfer(address to, uint256 amount) returns (bool)",
]);

let stack: TestStack;
let launched: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  launched = await launchToken(stack, creator);
  await wrap(stack, trader, 10n ** 19n);
});
afterAll(async () => {
  await stack?.close();
});

const order = () => ({ token: launched.token, wallet: trader.address, side: "buy", slippage_bps: 100 });
const launchBody = (salt: string) => ({
  intent_id: launched.intentId,
  wallet: creator.address,
  splitter: launched.splitter,
  salt,
});

describe("C7-03", () => {
  test("C7-03 refuses a swap when the balance went away after the quote", async () => {
    const body = { ...order(), amount_in: (10n ** 19n).toString() };
    expect((await stack.call("POST", "/trade/quote", body)).status).toBe(200);
    const data = encodeFunctionData({ abi: uniswap, functionName: "transfer", args: [attacker.address, 1n] });
    await sendRaw(stack, trader, { to: stack.manifest.wrapped_native.address as Hex, data });
    const answer = await stack.call("POST", "/trade/transactions", body);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: "insufficient_balance",
      field: "amount_in",
      details: {
        asset: stack.manifest.wrapped_native.address,
        needed: `${10n ** 19n}`,
        available: `${10n ** 19n - 1n}`,
      },
    });
  });

  test("C7-03 quotes again when the price moved: the minimum is of the block that is named", async () => {
    const body = { ...order(), amount_in: (10n ** 17n).toString() };
    const before = await stack.call("POST", "/trade/quote", body);
    await wrap(stack, attacker, 10n ** 18n);
    await trade(stack, attacker, { token: launched.token, side: "buy", amount_in: (10n ** 18n).toString() });
    const { answer } = await trade(stack, trader, { ...order(), side: "buy", amount_in: body.amount_in });
    expect(BigInt(answer.body.expected.amount_out)).toBeLessThan(BigInt(before.body.minimum_out));
    expect(answer.body.quote.block_number).toBe(answer.body.simulation.block_number);
  });

  test("C7-03 decodes the pool's own reason when a swap would revert", async () => {
    // slot0.unlocked is the highest used bit: without it every swap reverts with LOK.
    const body = { ...order(), amount_in: "1000000000000" };
    const slot0 = (await stack.deps.chain.request({
      method: "eth_getStorageAt",
      params: [launched.pool, "0x0", "latest"],
    })) as Hex;
    const locked = `0x${(BigInt(slot0) & ((1n << 240n) - 1n)).toString(16).padStart(64, "0")}`;
    await withChangedContract(stack, { address: launched.pool, slot: "0x0", word: locked }, async () => {
      const answer = await stack.call("POST", "/trade/transactions", body);
      expect(answer.status).toBe(422);
      expect(answer.body.error).toMatchObject({ code: "simulation_reverted", details: { args: { reason: "LOK" } } });
      expect(answer.body.transaction).toBeUndefined();
    });
  });

  test("C7-03 answers salt_taken for the launch of the same parameters with the same salt", async () => {
    const salt = randomSalt();
    const first = await stack.call("POST", "/launch/transactions", launchBody(salt));
    expect(first.body.warnings).toContainEqual(expect.objectContaining({ code: "already_launched" }));
    await sendWithViem(stack, first, creator);
    const again = await stack.call("POST", "/launch/transactions", launchBody(salt));
    expect([again.status, again.body.error.code]).toEqual([422, "salt_taken"]);
    expect(again.body.error.details.args.token).toBe(first.body.expected.token);
  });

  test("C7-03 answers pool_taken for a pool opened at another price, and another salt works in the next block", async () => {
    const salt = randomSalt();
    const { token } = (await stack.call("POST", "/launch/transactions", launchBody(salt))).body.expected;
    const weth = stack.manifest.wrapped_native.address as Hex;
    const uniswapFactory = stack.manifest.uniswap.factory.address as Hex;
    const create = encodeFunctionData({ abi: uniswap, functionName: "createPool", args: [token, weth, 10_000] });
    const receipt = await sendRaw(stack, attacker, { to: uniswapFactory, data: create });
    const pool = `0x${receipt.logs[0]!.data.slice(-40)}` as Hex;

    const uninitialised = await stack.call("POST", "/launch/transactions", launchBody(salt));
    expect([uninitialised.status, uninitialised.body.expected.token]).toEqual([200, token]);

    const hostile = encodeFunctionData({ abi: uniswap, functionName: "initialize", args: [2n ** 96n] });
    await sendRaw(stack, attacker, { to: pool, data: hostile });
    const answer = await stack.call("POST", "/launch/transactions", launchBody(salt));
    expect([answer.status, answer.body.error.code]).toEqual([422, "pool_taken"]);
    expect(answer.body.error.details).toMatchObject({
      error: "LaunchFactory_PoolTaken",
      args: { sqrtPriceX96: `${2n ** 96n}` },
    });

    const retry = await stack.call("POST", "/launch/transactions", launchBody(randomSalt()));
    expect((await sendWithViem(stack, retry, creator)).status).toBe("success");
  });

  test("C7-03 an endpoint that fails, or that does not simulate, yields no transaction", async () => {
    const proxy = await startRpcProxy(stack.chain.rpcUrl);
    const server = await stack.openServer({ RPC_URL: proxy.url });
    const wallet = creator.address;
    const requests: [string, object][] = [
      ["/splits/transactions", { intent_id: launched.intentId, wallet }],
      ["/launch/transactions", launchBody(randomSalt())],
      ["/launch/calls", { ...launchBody(randomSalt()), splitter: null }],
      ["/launch/cancel/transactions", { wallet }],
      ["/trade/transactions", { ...order(), amount_in: "1000000000000" }],
      ["/trade/calls", { ...order(), amount_in: "1000000000000" }],
      ["/fees/claim-transactions", { token: launched.token, wallet, stage: "settle" }],
      ["/fees/claim-calls", { tokens: [launched.token], wallet, unwrap: true }],
      ["/fees/payout-transactions", { token: launched.token, wallet, payout: wallets[8]!.address }],
    ];
    try {
      const broken = { error: { code: -32603, message: "internal error" } };
      const simulations = new Set(["eth_simulateV1", "eth_estimateGas"]);
      proxy.answerWith(({ method }) => (simulations.has(method) ? broken : undefined));
      for (const [path, body] of requests) {
        const answer = await server.call("POST", path, body);
        expect([path, answer.status, answer.body.error?.code]).toEqual([path, 503, "chain_unavailable"]);
      }
      proxy.setDown(true);
      for (const [path, body] of requests) {
        const answer = await server.call("POST", path, body);
        expect([path, answer.status, answer.body.error?.code]).toEqual([path, 503, "chain_unavailable"]);
      }
    } finally {
      await server.close();
      await proxy.close();
    }
  });

  test("C7-03 a draft of somebody else is not found, whatever its state", async () => {
    const other = await stack.createAccount("other");
    const intentId = await storeDraft(stack, {}, other);
    const wallet = creator.address;
    for (const [path, body] of [
      ["/splits/transactions", { intent_id: intentId, wallet }],
      ["/launch/transactions", { ...launchBody(randomSalt()), intent_id: intentId }],
      ["/launch/calls", { ...launchBody(randomSalt()), intent_id: intentId, splitter: null }],
    ] as const) {
      const answer = await stack.call("POST", path, body);
      const unknown = await stack.call("POST", path, { ...body, intent_id: crypto.randomUUID() });
      expect([answer.status, answer.body.error.code]).toEqual([422, "draft_not_found"]);
      expect({ ...answer.body.error, request_id: "" }).toEqual({ ...unknown.body.error, request_id: "" });
    }
  });
});
