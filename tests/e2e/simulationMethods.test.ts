import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  launchToken,
  prepareSignedLaunch,
  randomSalt,
  sendWithViem,
  trade,
  wallets,
  wrap,
} from "../support/security/actors.ts";
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
  const initial_buy = { amount_in: `${10n ** 17n}`, slippage_bps: 100, recipient: wallets[2]!.address };
  const options = { initial_buy, partner: wallets[3]!.address };
  const launches = await prepareSignedLaunch(stack, creator, trader, options);
  const bought = await launchToken(stack, creator);
  await stack.call("PUT", `/intents/${bought.intentId}/options`, options);
  const made = await stack.call("POST", "/splits/transactions", {
    intent_id: intentId,
    wallet: creator.address,
    method: "factory",
  });
  await sendWithViem(stack, made, creator);
  const withOptions = { intent_id: bought.intentId, wallet };
  requests = {
    "launch with options": [
      ...(["POST", "/launch/transactions"] as const),
      { ...withOptions, splitter: bought.splitter, salt: randomSalt() },
    ],
    "preview with options": ["POST", "/launch/preview", withOptions],
    splits: ["POST", "/splits/transactions", { intent_id: intentId, wallet }],
    launch: ["POST", "/launch/transactions", { intent_id: intentId, wallet, splitter, salt: randomSalt() }],
    "launch with the factory's splitter": [
      ...(["POST", "/launch/transactions"] as const),
      { intent_id: intentId, wallet, splitter: made.body.expected.splitter, salt: randomSalt() },
    ],
    "launch batch": ["POST", "/launch/calls", { intent_id: intentId, wallet, splitter: null, salt: randomSalt() }],
    preview: ["POST", "/launch/preview", { intent_id: intentId, wallet }],
    "launch to sign": ["POST", "/launch/calls", launches.unsigned],
    "signed launch": ["POST", "/launch/calls", launches.signed],
    cancellation: ["POST", "/launch/cancel/transactions", { wallet }],
    quote: ["POST", "/trade/quote", approved],
    approval: ["POST", "/trade/transactions", { ...approved, side: "buy", amount_in: "1000000000" }],
    swap: ["POST", "/trade/transactions", approved],
    collect: ["POST", "/fees/claim-transactions", { token, wallet, stage: "collect" }],
    settle: ["POST", "/fees/claim-transactions", { token, wallet, stage: "settle" }],
    release: ["POST", "/fees/claim-transactions", { token, wallet, stage: "release", recipient: creator.address }],
    "native buy": ["POST", "/trade/calls", { ...approved, side: "buy", pay: "native" }],
    "batch with an approval": ["POST", "/trade/calls", { ...approved, amount_in: "2000000000000000000" }],
    "batch without an approval": ["POST", "/trade/calls", { ...approved, receive: "native" }],
    claim: ["POST", "/fees/claim-calls", { tokens: [token], wallet: creator.address }],
    payout: ["POST", "/fees/payout-transactions", { token, wallet: creator.address, payout: wallet }],
    pending: ["GET", `/fees/pending?token=${token}`, undefined],
    positions: ["GET", `/fees/positions?token=${token}&wallet=${wallet}`, undefined],
  };
});
afterAll(async () => {
  await stack?.close();
});

/** Methods that are encoded without a chain read; a launch once its splitter's creation is indexed. */
const withoutReads = [
  "launch",
  "launch with options",
  "launch with the factory's splitter",
  "collect",
  "settle",
  "release",
  "payout",
  "cancellation",
];

/** Methods that are encoded with contract reads. */
const withReads = ["approval", "swap", "native buy", "batch with an approval", "batch without an approval", "claim"];

/** A separate server behind a proxy, because a running server remembers the methods that a node supports. */
async function openBehindProxy(answerWith: Parameters<RpcProxy["answerWith"]>[0]) {
  proxy = await startRpcProxy(stack.chain.rpcUrl);
  proxy.answerWith(answerWith);
  server = await stack.openServer({ RPC_URL: proxy.url });
}
async function closeBoth() {
  await server.close();
  await proxy.close();
}

describe("rounds to the chain", () => {
  beforeAll(async () => {
    await openBehindProxy(() => undefined);
    // The requests of a round are sent while the first of them is pending.
    proxy.setDelay(20);
  });
  afterAll(closeBoth);

  test("are one for a quote, positions and what is pending, and at most two for every transaction from the first request on, each one HTTP request", async () => {
    const counted: Record<string, number[]> = {};
    for (const [name, request] of Object.entries(requests)) {
      proxy.reset();
      const answer = await server.call(...request);
      expect([name, answer.status]).toEqual([name, 200]);
      counted[name] = [proxy.rounds(), proxy.roundTrips()];
      // One round if the newest block is the block of the previous request.
      if (withoutReads.includes(name) && proxy.rounds() === 1) counted[name] = [2, 2 * proxy.roundTrips()];
    }
    const two = Object.fromEntries(Object.keys(requests).map((name) => [name, [2, 2]]));
    expect(counted).toEqual({ ...two, quote: [1, 1], positions: [1, 1], pending: [1, 1] });
  });

  test.each(withoutReads)("are one for %s where the newest block was seen just before", async (name) => {
    const countRounds = async () => {
      await server.call(...requests.quote!);
      proxy.reset();
      const { status } = await server.call(...requests[name]!);
      return [status, proxy.rounds(), proxy.roundTrips()];
    };
    // One more round if a block comes between the two.
    await expect.poll(countRounds).toEqual([200, 1, 1]);
  });

  test.each(withReads)(
    "are one for %s where the contracts say what they said when it was last asked for",
    async (name) => {
      const countRounds = async () => {
        proxy.reset();
        const { status } = await server.call(...requests[name]!);
        return [status, proxy.rounds(), proxy.roundTrips()];
      };
      await countRounds();
      // One more round if a block comes between the two.
      await expect.poll(countRounds).toEqual([200, 1, 1]);
    },
  );

  test("are two where a block came since, and the answer is of the new one", async () => {
    for (const name of [...withoutReads, ...withReads]) {
      const countRounds = async () => {
        await server.call(...requests.quote!);
        proxy.reset();
        let mined = 0n;
        proxy.beforeRound(async (round) => {
          if (round !== 1) return;
          await rpcRequest(stack.chain.rpcUrl, "evm_mine");
          mined = BigInt(await rpcRequest<string>(stack.chain.rpcUrl, "eth_blockNumber"));
        });
        const { body, status } = await server.call(...requests[name]!);
        proxy.beforeRound(null);
        return [name, status, proxy.rounds(), BigInt(body.block_number) >= mined];
      };
      // More rounds if the chain's own next block comes between the two.
      await expect.poll(countRounds).toEqual([name, 200, 2, true]);
    }
  });

  test("name the block that everything was read at", async () => {
    const readNewest = async () => Number(await rpcRequest<string>(stack.chain.rpcUrl, "eth_blockNumber"));
    for (const [name, request] of Object.entries(requests)) {
      proxy.reset();
      const before = await readNewest();
      const { body } = await server.call(...request);
      expect([name, proxy.methods().includes("eth_blockNumber")]).toEqual([name, false]);
      const block = Number(body.block_number ?? body.as_of_block);
      expect([name, block >= before && block <= (await readNewest())]).toEqual([name, true]);
      if (body.simulation) expect(body.simulation.block_number).toBe(body.block_number);
    }
  });
});

describe("a node without eth_simulateV1", () => {
  beforeAll(() => openBehindProxy(({ method }) => (method === "eth_simulateV1" ? unsupported : undefined)));
  afterAll(closeBoth);

  test("is asked by eth_call, the method is named, and the asset changes are the same", async () => {
    for (const name of ["launch", "swap", "collect", "approval", "payout"]) {
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

  test("prepares a launch with options, with the same value and amounts", async () => {
    const byCall = await server.call(...requests["launch with options"]!);
    const byBlock = await stack.call(...requests["launch with options"]!);
    expect([byCall.status, byCall.body.simulation.method]).toEqual([200, "eth_call"]);
    expect([byCall.body.transaction.value, byCall.body.expected]).toEqual([
      ...[byBlock.body.transaction.value, byBlock.body.expected],
    ]);
  });

  test("is asked once whether it has it", async () => {
    proxy.reset();
    await server.call(...requests.swap!);
    expect(proxy.methods()).not.toContain("eth_simulateV1");
    expect(proxy.roundTrips()).toBeLessThanOrEqual(3);
  });

  test("builds no batch, which nothing else simulates as a whole", async () => {
    for (const name of [
      "launch batch",
      "preview",
      "preview with options",
      "launch to sign",
      "signed launch",
      "native buy",
      "batch with an approval",
      "batch without an approval",
      "claim",
    ]) {
      const { status, body } = await server.call(...requests[name]!);
      expect([name, status, body.error?.code]).toEqual([name, 503, "chain_unavailable"]);
      expect(body.error.message).toMatch(/eth_simulateV1/);
    }
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

  test("C7-01 gives transactions without asset changes, and a warning that they are unknown", async () => {
    for (const name of ["swap", "collect", "approval"]) {
      const { body } = await server.call(...requests[name]!);
      expect(body).toMatchObject({ status: "ready", simulation: { method: "eth_call", asset_changes: [] } });
      expect(body.warnings.map(({ code }: { code: string }) => code)).toContain("asset_changes_unknown");
    }
  });
});

describe("a node without eth_simulateV1 whose tracer", () => {
  const trace = (answer: object) =>
    openBehindProxy(({ method }) =>
      method === "eth_simulateV1" ? unsupported : method === "debug_traceCall" ? answer : undefined,
    );
  afterEach(closeBoth);

  test.each<[string, object]>([
    ["refuses", { error: { code: -32000, message: "tracing is disabled" } }],
    ["reports no logs", { result: { type: "CALL", calls: [{ type: "CALL" }] } }],
    ["answers something else", { result: [] }],
    ["answers nothing", { result: null }],
    ["reports logs of another form", { result: { logs: [{ address: 1 }] } }],
  ])("%s: C7-01 a swap has the warning that its asset changes are unknown", async (_, answer) => {
    await trace(answer);
    const { status, body } = await server.call(...requests.swap!);
    expect([status, body.simulation?.asset_changes]).toEqual([200, []]);
    expect(body.warnings.map(({ code }: { code: string }) => code)).toContain("asset_changes_unknown");
  });

  test("fails for the moment: C7-01 a swap is refused, because it could be checked later", async () => {
    await trace({ error: { code: -32603, message: "internal error" } });
    const { status, body } = await server.call(...requests.swap!);
    expect([status, body.error?.code]).toEqual([503, "chain_unavailable"]);
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
