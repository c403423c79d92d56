import { reorganise } from "@slipway/dev/chain/reorganise";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { Interface } from "ethers";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { launchToken, prepareSignedLaunch, randomSalt, trade, wallets, wrap } from "../support/security/actors.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;
const quoter = new Interface([
  "function quoteExactInputSingle((address tokenIn,address tokenOut,uint256 amountIn,uint24 fee,uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut,uint160 sqrtPriceX96After,uint32 ticks,uint256 gas)",
]);

let stack: TestStack;
let ahead: RpcProxy;
let behind: RpcProxy;
let server: Server;
let token: Hex;
let requests: Record<string, [string, object]>;

beforeAll(async () => {
  // Without a heartbeat, so that a reorganisation replaces exactly the intended block.
  stack = await startTestStack({ heartbeatMs: 0 });
  const launched = await launchToken(stack, creator);
  token = launched.token;
  await wrap(stack, trader, 10n * oneEther);
  await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  const { intentId: intent_id, splitter } = launched;
  const wallet = trader.address;
  const order = { token, wallet, side: "sell", amount_in: "1000000000000", slippage_bps: 100 };
  const launches = await prepareSignedLaunch(stack, creator, trader);
  requests = {
    splitter: ["/splits/transactions", { intent_id, wallet }],
    launch: ["/launch/transactions", { intent_id, wallet, splitter, salt: randomSalt() }],
    "launch batch": ["/launch/calls", { intent_id, wallet, splitter: null, salt: randomSalt() }],
    preview: ["/launch/preview", { intent_id, wallet }],
    "launch to sign": ["/launch/calls", launches.unsigned],
    "signed launch": ["/launch/calls", launches.signed],
    cancellation: ["/launch/cancel/transactions", { wallet }],
    trade: ["/trade/transactions", order],
    batch: ["/trade/calls", order],
    "native buy": ["/trade/calls", { ...order, side: "buy", pay: "native" }],
    collect: ["/fees/claim-transactions", { token, wallet, stage: "collect" }],
    settle: ["/fees/claim-transactions", { token, wallet, stage: "settle" }],
    release: ["/fees/claim-transactions", { token, wallet, stage: "release", recipient: creator.address }],
    claim: ["/fees/claim-calls", { tokens: [token], wallet: creator.address }],
    payout: ["/fees/payout-transactions", { token, wallet: creator.address, payout: wallet }],
  };
  [ahead, behind] = [await startRpcProxy(stack.chain.rpcUrl), await startRpcProxy(stack.chain.rpcUrl)];
  server = await stack.openServer({ RPC_URL: `${ahead.url},${behind.url}` });
  // Ends the verifications of the chain, whose requests would count as rounds. The proof is valid for three minutes.
  await server.deps.chain.close();
});
afterAll(async () => {
  await server?.close();
  await Promise.all([ahead?.close(), behind?.close()]);
  await stack?.close();
});
afterEach(() => {
  for (const proxy of [ahead, behind]) {
    proxy.beforeRound(null);
    proxy.answerWith(() => undefined);
    proxy.setDown(false);
  }
});

const getNewest = () => rpcRequest<{ number: Hex }>(stack.chain.rpcUrl, "eth_getBlockByNumber", ["latest", false]);
const mine = () => rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
const expectUnavailable = async (name: string) => {
  const [path, body] = requests[name]!;
  const answer = await server.call("POST", path, body);
  expect([name, answer.status, answer.body.error?.code]).toEqual([name, 503, "chain_unavailable"]);
  const { transaction, calls, typed_data } = answer.body;
  expect([transaction, calls, typed_data]).toEqual([undefined, undefined, undefined]);
};
/** Whether a second endpoint confirms a part of the request, with requests of its own (C7-76, C7-81, C7-83). */
const isConfirmed = (name: string) =>
  requests[name]![0].startsWith("/trade/") || ["launch", "launch to sign"].includes(name);
/** Replaces the newest block once, before the second round of a request. */
const reorganiseBeforeSecondRound = () => {
  let reorganisation: Promise<unknown> | undefined;
  ahead.beforeRound(async (round) => {
    if (round === 2) reorganisation ??= reorganise(stack.chain.rpcUrl);
    await reorganisation;
  });
};
/** Asserts that a request ended after its second round; a confirmation beside it can count as a round more. */
const expectTwoRounds = (name: string) => {
  const rounds = ahead.rounds();
  expect([name, isConfirmed(name) ? Math.min(rounds, 2) : rounds]).toEqual([name, 2]);
};
/** Waits until the first endpoint's cooldown after failures has ended. */
const expectOpen = async (name: string) => {
  const [path, body] = requests[name]!;
  const call = async () => {
    for (const proxy of [ahead, behind]) proxy.reset();
    const { status } = await server.call("POST", path, body);
    return [status, ahead.rounds() > 0, behind.rounds()];
  };
  await expect.poll(call).toEqual([200, true, isConfirmed(name) ? 1 : 0]);
};

describe("C7-25", () => {
  test("C7-25 a reorganisation between the rounds of a request yields no transaction", async () => {
    for (const name of Object.keys(requests)) {
      await expectOpen(name);
      await mine();
      ahead.reset();
      reorganiseBeforeSecondRound();
      await expectUnavailable(name);
      expectTwoRounds(name);
      ahead.beforeRound(null);
      await expectOpen(name);
    }
  });

  test("C7-25 a block that was seen before and is replaced since yields no transaction", async () => {
    for (const name of ["launch", "collect", "settle", "release", "payout"]) {
      const [path, body] = requests[name]!;
      await mine();
      await expectOpen(name);
      const { number } = await getNewest();
      await reorganise(stack.chain.rpcUrl);
      ahead.reset();
      // The block is replaced once more between the two rounds.
      reorganiseBeforeSecondRound();
      await expectUnavailable(name);
      expectTwoRounds(name);
      ahead.beforeRound(null);
      const answer = await server.call("POST", path, body);
      expect([name, answer.status, answer.body.block_number]).toEqual([name, 200, BigInt(number).toString()]);
    }
  });

  test("C7-25 a splitter's creation that was found before is found again, and proves nothing where it is another one", async () => {
    const [path, body] = requests.launch!;
    const { splitter } = body as { splitter: Hex };
    await expectOpen("launch");
    const { splitterCreations } = server.deps.chain;
    const creation = splitterCreations.get(splitter);
    expect(creation).toMatch(/^0x[0-9a-f]{64}$/);
    const first = ["0x1", false];
    const { transactions } = await rpcRequest<{ transactions: Hex[] }>(
      stack.chain.rpcUrl,
      "eth_getBlockByNumber",
      first,
    );
    for (const other of [`0x${"11".repeat(32)}` as Hex, transactions[0]!]) {
      splitterCreations.set(splitter, other);
      const answer = await server.call("POST", path, body);
      expect([answer.status, splitterCreations.get(splitter)]).toEqual([200, creation]);
    }
  });

  test("C7-25 an endpoint that is behind the first round's yields no transaction", async () => {
    const headerNotFound = { error: { code: -32000, message: "header not found" } };
    for (const name of Object.keys(requests)) {
      await expectOpen(name);
      // After a new block each request takes two rounds.
      await mine();
      ahead.reset();
      // The endpoint of the first round fails at the second; the other endpoint does not have the block.
      ahead.beforeRound(async (round) => ahead.setDown(round === 2));
      behind.answerWith(({ method, params = [] }) => {
        const isAtBlock = params.some((value) => typeof value === "string" && /^0x[0-9a-f]{1,8}$/.test(value));
        if (!isAtBlock) return undefined;
        return method === "eth_getBlockByNumber" ? { result: null } : headerNotFound;
      });
      await expectUnavailable(name);
      ahead.beforeRound(null);
      ahead.setDown(false);
      behind.answerWith(() => undefined);
    }
  });

  test("C7-25 an endpoint that answers for an unknown block with its newest state yields no transaction", async () => {
    for (const name of Object.keys(requests)) {
      await expectOpen(name);
      ahead.answerWith(({ method, params = [] }) =>
        method === "eth_getBlockByNumber" && params[0] !== "latest" ? { result: null } : undefined,
      );
      await expectUnavailable(name);
      ahead.answerWith(() => undefined);
    }
  });

  test("C7-25 a quote whose call ran on another block than the head is read again at the block that it names", async () => {
    const body = { token, wallet: trader.address, side: "buy", amount_in: `${oneEther / 10n}`, slippage_bps: 100 };
    const old = await rpcRequest<{ number: Hex }>(stack.chain.rpcUrl, "eth_getBlockByNumber", ["latest", false]);
    await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
    ahead.answerWith(({ method, params = [] }) =>
      method === "eth_getBlockByNumber" && params[0] === "latest" ? { result: old } : undefined,
    );
    ahead.reset();
    for (const path of ["/trade/quote", "/trade/transactions", "/trade/calls"]) {
      const answer = await server.call("POST", path, body);
      const quote = answer.body.quote ?? answer.body;
      expect([path, quote.block_number]).toEqual([path, `${BigInt(old.number)}`]);
      const params = [stack.manifest.wrapped_native.address, token, oneEther / 10n, 10_000n, 0n];
      const data = quoter.encodeFunctionData("quoteExactInputSingle", [params]);
      const to = stack.manifest.uniswap.quoter.address;
      const returned = await rpcRequest<string>(stack.chain.rpcUrl, "eth_call", [{ to, data }, old.number]);
      expect([path, quote.amount_out]).toEqual([
        path,
        `${quoter.decodeFunctionResult("quoteExactInputSingle", returned)[0]}`,
      ]);
    }
  });

  test("C7-25 a splitter deployed after the head is not deployed yet", async () => {
    const [path, body] = requests.launch!;
    for (const endpoint of [ahead, behind])
      endpoint.answerWith(({ method, params = [] }) =>
        method === "eth_getCode" && params[1] !== "latest" ? { result: "0x" } : undefined,
      );
    const answer = await server.call("POST", path, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "splitter_not_deployed"]);
  });
});
