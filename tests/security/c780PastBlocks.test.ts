import type { Wallet } from "@slipway/dev/chain/wallets";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, numberToHex, pad } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { launchToken, randomSalt, sendWithViem, storeDraft, trade, wallets, wrap } from "../support/security/actors.ts";
import { inventState } from "../support/security/inventState.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { rpc } from "../support/security/startGasStack.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [Wallet, Wallet];
const oneEther = 10n ** 18n;

let stack: TestStack;
let liar: RpcProxy;
let second: RpcProxy;
let server: Server;
let token: Hex;

beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token } = await launchToken(stack, creator));
  await wrap(stack, trader, 10n * oneEther);
  [liar, second] = await Promise.all([startRpcProxy(stack.chain.rpcUrl), startRpcProxy(stack.chain.rpcUrl)]);
  server = await stack.openServer({ RPC_URL: `${liar.url},${second.url}` });
});
afterEach(() => {
  liar.answerWith(() => undefined);
  liar.rewriteCalls((call) => call);
});
afterAll(async () => {
  await server?.close();
  await Promise.all([liar?.close(), second?.close()]);
  await stack?.close();
});

/** Mines blocks with this time between them. */
async function mine(blocks: number, seconds: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await rpc(stack, "evm_increaseTime", [seconds]);
    await rpc(stack, "evm_mine", []);
  }
}

/** Makes the liar return a block of the past as the newest block, and calls at the newest block run there. */
async function rewind(): Promise<void> {
  const past = await rpc<{ number: Hex }>(stack, "eth_getBlockByNumber", ["latest", false]);
  liar.rewriteCalls((call) => ({
    ...call,
    ...(call.params === undefined
      ? {}
      : { params: call.params.map((value) => (value === "latest" ? past.number : value)) }),
  }));
}

const getCode = ({ status, body }: { status: number; body: any }) => [status, body.error?.code];

describe("C7-80", () => {
  const order = () => ({
    token,
    wallet: trader.address,
    side: "buy",
    amount_in: `${oneEther / 10n}`,
    slippage_bps: 50,
  });
  const requests = (): [path: string, body: object][] => [
    ["/trade/transactions", order()],
    ["/trade/calls", { ...order(), pay: "native" }],
  ];

  test("C7-80 a real block of the past is not the block of a trade: its price lowers no minimum", async () => {
    await rewind();
    const lieAboutNow = (await server.call("POST", ...requests()[1]!)).body.quote;
    await trade(stack, trader, { token, side: "sell", amount_in: "1000" }).catch(() => undefined);
    await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
    await mine(4, 2);
    for (const [path, body] of requests()) {
      const lied = await server.call("POST", path, body);
      expect([path, ...getCode(lied)]).toEqual([path, 503, "chain_unavailable"]);
      expect(lied.body.error.message).toContain("blocks behind another endpoint");
    }
    liar.rewriteCalls((call) => call);
    for (const [path, body] of requests()) {
      const honest = await server.call("POST", path, body);
      expect([path, honest.status]).toEqual([path, 200]);
      expect(honest.body.quote.minimum_out).not.toBe(lieAboutNow.minimum_out);
    }
  });

  test("C7-80 an endpoint that is two blocks behind still prepares trades", async () => {
    await rewind();
    await mine(2, 3);
    for (const [path, body] of requests()) {
      const answer = await server.call("POST", path, body);
      expect([path, answer.status, answer.body.error?.message]).toEqual([path, 200, undefined]);
    }
  });
});

describe("C7-81", () => {
  /** Finds the storage slot of the creator's epoch in the factory. */
  async function findEpochSlot(factory: Hex): Promise<Hex> {
    const data = encodeFunctionData({ abi: launchFactoryAbi, functionName: "epochOf", args: [creator.address] });
    for (let place = 0n; place < 20n; place++) {
      const key = [{ type: "address" }, { type: "uint256" }] as const;
      const slot = keccak256(encodeAbiParameters(key, [creator.address, place]));
      const overrides = { [factory]: { stateDiff: { [slot]: pad("0x7", { size: 32 }) } } };
      const epoch = await rpc<Hex>(stack, "eth_call", [{ to: factory, data }, "latest", overrides]);
      if (BigInt(epoch) === 7n) return slot;
    }
    throw new Error("the factory has no epoch of the creator");
  }

  test("C7-81 a creator is never asked to sign a later epoch, which its next cancellation would make valid", async () => {
    const factory = stack.manifest.current.launch_factory.address.toLowerCase() as Hex;
    const slot = await findEpochSlot(factory);
    const intentId = await storeDraft(stack);
    await server.call("PUT", `/intents/${intentId}/options`, { creator: creator.address });
    const request = { intent_id: intentId, wallet: trader.address, splitter: null, salt: randomSalt() };
    liar.rewriteCalls(inventState(factory, slot, numberToHex(1n, { size: 32 })));
    const lied = await server.call("POST", "/launch/calls", request);
    expect([...getCode(lied), lied.body.typed_data]).toEqual([503, "chain_unavailable", undefined]);
    liar.rewriteCalls((call) => call);
    const honest = await server.call("POST", "/launch/calls", request);
    expect([honest.status, honest.body.typed_data.message.epoch]).toEqual([200, "0"]);

    // A signature for a later epoch is not called cancelled, because a cancellation would make it valid.
    const typed = honest.body.typed_data;
    const later = { ...typed, message: { ...typed.message, epoch: "1" } };
    const signature = await creator.account.signTypedData(later);
    const authorization = { deadline: Number(typed.message.deadline), epoch: 1, signature };
    const refused = await server.call("POST", "/launch/calls", { ...request, authorization });
    expect([...getCode(refused), refused.body.error.field]).toEqual([422, "signature_invalid", "authorization.epoch"]);
    expect(refused.body.error.details).toMatchObject({ epoch: "1", current_epoch: "0" });
  });
});

describe("C7-83", () => {
  test("C7-83 a splitter whose code only one of two endpoints shows is used by no launch", async () => {
    const intent_id = await storeDraft(stack);
    const wallet = creator.address;
    const made = await server.call("POST", "/splits/transactions", { intent_id, wallet });
    await sendWithViem(stack, made, creator);
    const { splitter } = made.body.expected;
    const request = { intent_id, wallet, splitter, salt: randomSalt() };
    const code = await rpc<Hex>(stack, "eth_getCode", [splitter, "latest"]);
    // The second endpoint has another splitter there, as with an earlier one of the creator.
    second.answerWith(({ method, params = [] }) =>
      method === "eth_getCode" && String(params[0]).toLowerCase() === splitter.toLowerCase()
        ? { result: `${code.slice(0, -2)}ff` }
        : undefined,
    );
    const refused = await server.call("POST", "/launch/transactions", request);
    expect(getCode(refused)).toEqual([503, "chain_unavailable"]);
    second.answerWith(() => undefined);
    expect((await server.call("POST", "/launch/transactions", request)).status).toBe(200);
  });
});
