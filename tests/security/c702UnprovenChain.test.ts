import { keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, randomSalt, wallets, wrap } from "../support/security/actors.ts";
import { startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

let stack: TestStack;
let requests: ["GET" | "POST", string, object | undefined][];

beforeAll(async () => {
  stack = await startTestStack();
  const [creator] = wallets;
  const { intentId, splitter, token } = await launchToken(stack, creator!);
  await wrap(stack, creator!, 10n ** 18n);
  const wallet = creator!.address;
  const order = { token, wallet, side: "buy", amount_in: "1000000000000", slippage_bps: 100 };
  requests = [
    ["POST", "/splits/transactions", { intent_id: intentId, wallet }],
    ["POST", "/launch/transactions", { intent_id: intentId, wallet, splitter, salt: randomSalt() }],
    ["POST", "/launch/cancel/transactions", { wallet }],
    ["POST", "/launch/preview", { intent_id: intentId, wallet }],
    ["GET", `/intents/${intentId}/progress`, undefined],
    ["POST", "/launch/calls", { intent_id: intentId, wallet, splitter: null, salt: randomSalt() }],
    ["POST", "/trade/quote", order],
    ["POST", "/trade/transactions", order],
    ["POST", "/trade/calls", { ...order, pay: "native" }],
    ["POST", "/fees/claim-transactions", { token, wallet, stage: "collect" }],
    ["POST", "/fees/claim-calls", { tokens: [token], wallet }],
    ["POST", "/fees/payout-transactions", { token, wallet, payout: wallets[1]!.address }],
    ["GET", `/fees/positions?token=${token}&wallet=${wallet}`, undefined],
    ["GET", `/fees/pending?token=${token}`, undefined],
  ];
});
afterAll(async () => {
  await stack?.close();
});

async function expectClosed(server: Server, code: string): Promise<void> {
  for (const [method, path, body] of requests) {
    const answer = await server.call(method, path, body);
    expect([path, answer.status, answer.body.error?.code]).toEqual([path, 503, code]);
    expect(answer.body.transaction).toBeUndefined();
  }
  expect((await server.call("GET", "/intents")).status).toBe(200);
}

async function expectOpen(server: Server): Promise<void> {
  for (const [method, path, body] of requests) {
    const answer = await server.call(method, path, body);
    expect([path, answer.status]).toEqual([path, 200]);
  }
}

async function withServer(environment: Record<string, string>, work: (server: Server) => Promise<void>) {
  const server = await stack.openServer(environment);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

describe("C7-02", () => {
  test("C7-02 a pinned and proven manifest opens the endpoints", async () => {
    await withServer({}, expectOpen);
  });

  test("C7-02 without a manifest every transaction endpoint answers manifest_missing", async () => {
    await withServer({ MANIFEST_PATH: "", MANIFEST_SHA256: "" }, (server) => expectClosed(server, "manifest_missing"));
  });

  test("C7-02 nothing of a manifest without a pin, or with another pin, is used or shown", async () => {
    for (const pin of ["", keccak256("0x01").slice(2)]) {
      await withServer({ MANIFEST_SHA256: pin }, async (server) => {
        await expectClosed(server, "manifest_missing");
        const { status, body } = await server.call("GET", "/config");
        expect([status, body.error]).toMatchObject([503, { code: "manifest_missing", retryable: false }]);
      });
      await withServer({ MANIFEST_SHA256: pin, CHAIN_ID: "46630" }, async (server) => {
        const { status, body } = await server.call("GET", "/config");
        expect([status, body.contracts, body.gas_station.tokens]).toEqual([200, {}, []]);
        expect(body.manifest).toEqual({ sha256: null, pinned: false, verified: false, verified_at_block: null });
        expect(JSON.stringify(body)).not.toContain(stack.manifest.treasury.slice(2));
      });
    }
  });

  test("C7-02 a contract with other code answers manifest_unverified", async () => {
    const { manifest } = stack;
    for (const { address } of [
      manifest.uniswap.router,
      manifest.uniswap.quoter,
      manifest.uniswap.factory,
      manifest.wrapped_native,
      manifest.current.launch_factory,
      manifest.current.fee_locker,
    ]) {
      await withChangedContract(stack, { address, code: "0x60006000fd" }, () =>
        withServer({}, (server) => expectClosed(server, "manifest_unverified")),
      );
    }
    await withServer({}, expectOpen);
  });

  test("C7-02 a proxy slot that was changed answers manifest_unverified", async () => {
    const implementation = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    const change = {
      address: stack.manifest.wrapped_native.address,
      slot: implementation,
      word: `0x${"11".repeat(20).padStart(64, "0")}`,
    };
    await withChangedContract(stack, change, () =>
      withServer({}, (server) => expectClosed(server, "manifest_unverified")),
    );
  });

  test("C7-02 an endpoint of another chain answers manifest_unverified, also when it changes while running", async () => {
    const proxy = await startRpcProxy(stack.chain.rpcUrl);
    const wrongChain = (call: { method: string }) => (call.method === "eth_chainId" ? { result: "0x1" } : undefined);
    try {
      await withServer({ RPC_URL: proxy.url }, async (server) => {
        await expectOpen(server);
        proxy.answerWith(wrongChain);
        await expectClosed(server, "manifest_unverified");
      });
      await withServer({ RPC_URL: proxy.url }, (server) => expectClosed(server, "manifest_unverified"));
    } finally {
      await proxy.close();
    }
  });

  test("C7-02 an endpoint that is down at the start answers manifest_unverified and opens once it is back", async () => {
    const proxy = await startRpcProxy(stack.chain.rpcUrl);
    proxy.setDown(true);
    try {
      await withServer({ RPC_URL: proxy.url }, async (server) => {
        await expectClosed(server, "manifest_unverified");
        proxy.setDown(false);
        await expect.poll(() => server.deps.chain.manifestState().verified).toBe(true);
        await expectOpen(server);
      });
    } finally {
      await proxy.close();
    }
  });
});
