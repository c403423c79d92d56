import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, randomSalt, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { type RpcProxy, startRpcProxy } from "../support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const unsupported = { error: { code: -32601, message: "Method not found" } };

let stack: TestStack;
let proxy: RpcProxy;
let server: Server;
let requests: Record<string, ["GET" | "POST", string, object | undefined]>;

beforeAll(async () => {
  stack = await startTestStack();
  const { intentId, splitter, token } = await launchToken(stack, creator);
  const wallet = trader.address;
  await wrap(stack, trader, 10n ** 19n);
  await trade(stack, trader, { token, side: "buy", amount_in: `${10n ** 18n}` });
  const approved = { token, wallet, side: "sell", amount_in: "1000000000000000000", slippage_bps: 100 };
  await sendWithViem(stack, await stack.call("POST", "/trade/transactions", approved), trader);
  requests = {
    splits: ["POST", "/splits/transactions", { intent_id: intentId, wallet }],
    launch: ["POST", "/launch/transactions", { intent_id: intentId, wallet, splitter, salt: randomSalt() }],
    quote: ["POST", "/trade/quote", approved],
    approval: ["POST", "/trade/transactions", { ...approved, side: "buy", amount_in: "1000000000" }],
    swap: ["POST", "/trade/transactions", approved],
    collect: ["POST", "/fees/claim-transactions", { token, wallet, stage: "collect" }],
    settle: ["POST", "/fees/claim-transactions", { token, wallet, stage: "settle" }],
    release: ["POST", "/fees/claim-transactions", { token, wallet, stage: "release", recipient: creator.address }],
    positions: ["GET", `/fees/positions?token=${token}&wallet=${wallet}`, undefined],
  };
}, 120_000);
afterAll(async () => {
  await stack?.close();
});

/** A server of its own behind a proxy: what a node supports is remembered for as long as a server runs. */
async function openBehindProxy(answerWith: Parameters<RpcProxy["answerWith"]>[0]) {
  proxy = await startRpcProxy(stack.chain.rpcUrl);
  proxy.answerWith(answerWith);
  server = await stack.openServer({ RPC_URL: proxy.url });
}
async function closeBoth() {
  await server.close();
  await proxy.close();
}

describe("round trips", () => {
  beforeAll(() => openBehindProxy(() => undefined));
  afterAll(closeBoth);

  test("no endpoint takes more than three to the chain", async () => {
    await server.call(...requests.splits!);
    const counted: Record<string, number> = {};
    for (const [name, request] of Object.entries(requests)) {
      proxy.reset();
      const answer = await server.call(...request);
      expect([name, answer.status]).toEqual([name, 200]);
      counted[name] = proxy.roundTrips();
    }
    console.info(`round trips: ${JSON.stringify(counted)}`);
    expect(Math.max(...Object.values(counted))).toBeLessThanOrEqual(3);
  });
});

describe("a node without eth_simulateV1", () => {
  beforeAll(() => openBehindProxy(({ method }) => (method === "eth_simulateV1" ? unsupported : undefined)));
  afterAll(closeBoth);

  test("is asked by eth_call, the method is named, and the asset changes are the same", async () => {
    for (const name of ["launch", "swap", "collect", "approval"]) {
      const byCall = await server.call(...requests[name]!);
      const byBlock = await stack.call(...requests[name]!);
      expect([name, byCall.status, byBlock.status]).toEqual([name, 200, 200]);
      expect(byCall.body.simulation.method).toBe("eth_call");
      expect(byBlock.body.simulation.method).toBe("eth_simulateV1");
      const sorted = (changes: object[]) => changes.map((change) => JSON.stringify(change)).sort();
      expect(sorted(byCall.body.simulation.asset_changes)).toEqual(sorted(byBlock.body.simulation.asset_changes));
      expect(byCall.body.transaction.data.slice(0, 10)).toBe(byBlock.body.transaction.data.slice(0, 10));
    }
  });

  test("is asked once whether it has it", async () => {
    proxy.reset();
    await server.call(...requests.swap!);
    expect(proxy.methods()).not.toContain("eth_simulateV1");
    expect(proxy.roundTrips()).toBeLessThanOrEqual(3);
  });

  test("still refuses what would revert, with the contract's own error", async () => {
    const [, path, body] = requests.launch!;
    const taken = await stack.call("POST", path, body);
    await sendWithViem(stack, taken, trader);
    const answer = await server.call("POST", path, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "salt_taken"]);
  });
});

describe("a node without eth_simulateV1 and without a tracer", () => {
  const missing = new Set(["eth_simulateV1", "debug_traceCall"]);
  beforeAll(() => openBehindProxy(({ method }) => (missing.has(method) ? unsupported : undefined)));
  afterAll(closeBoth);

  test("gives transactions without asset changes", async () => {
    const answer = await server.call(...requests.swap!);
    expect(answer.body).toMatchObject({ action: "swap", simulation: { method: "eth_call", asset_changes: [] } });
  });
});

describe("a node that does not understand the parameters of a simulation", () => {
  const invalid = { error: { code: -32602, message: "invalid argument 0: unknown field traceTransfers" } };
  beforeAll(() => openBehindProxy(({ method }) => (method === "eth_simulateV1" ? invalid : undefined)));
  afterAll(closeBoth);

  test("is asked by eth_call, and once more by eth_simulateV1 the next time", async () => {
    const byCall = await server.call(...requests.swap!);
    expect(byCall.body).toMatchObject({ action: "swap", simulation: { method: "eth_call" } });
    proxy.answerWith(() => undefined);
    const byBlock = await server.call(...requests.swap!);
    expect(byBlock.body).toMatchObject({ action: "swap", simulation: { method: "eth_simulateV1" } });
  });
});

describe("a node of the Arbitrum family", () => {
  const l1Gas = 54_321n;
  beforeAll(() =>
    openBehindProxy(({ method, params }) => {
      const [call] = (params ?? []) as [{ to?: string }?];
      if (method !== "eth_call" || call?.to !== "0x00000000000000000000000000000000000000c8") return undefined;
      return {
        result: `0x${[l1Gas, 10n ** 7n, 10n ** 9n].map((word) => word.toString(16).padStart(64, "0")).join("")}`,
      };
    }),
  );
  afterAll(closeBoth);

  test("has the parent chain's part counted into the gas limit and shown", async () => {
    const { body } = await server.call(...requests.swap!);
    const used = BigInt(body.simulation.gas_used) + l1Gas;
    expect(body.fees.l1_gas).toBe(`${l1Gas}`);
    expect(BigInt(body.transaction.gas)).toBe(
      (used * 12n + 9n) / 10n > used + 30_000n ? (used * 12n + 9n) / 10n : used + 30_000n,
    );
  });
});
