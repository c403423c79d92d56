import type { SendableCalls } from "@slipway/sdk/sendable";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  account,
  createFakeProvider,
  createFakeStorage,
  type FakeProvider,
  hashNumber,
  never,
  walletFailure,
} from "../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming, settle } from "../../../../tests/support/web/virtualTiming.ts";
import { createFlow } from "./flow.ts";
import type { FlowDefinition, PreparedStep } from "./flowDefinition.ts";
import { type FlowEvent, idleFlow, reduceFlow } from "./flowState.ts";
import { createJournal } from "./journal.ts";
import type { Chain } from "./network.ts";
import type { Sender } from "./send.ts";

const chain = { id: 46630, factory: account } as unknown as Chain;
const other = `0x${"b2".repeat(20)}` as const;
const transaction = { chainId: "0xb626", from: account, to: account, data: "0x12", value: "0x0", gas: "0x5208" };
const step = (name: string, changed: object = {}): PreparedStep => ({
  kind: "transaction",
  name,
  transaction: { ...transaction, ...changed },
});

function open(
  steps: (() => PreparedStep | Promise<PreparedStep>)[],
  options: { provider?: FakeProvider; definition?: Partial<FlowDefinition> } = {},
) {
  const provider = options.provider ?? createFakeProvider();
  const timing = createVirtualTiming();
  const journal = createJournal(createFakeStorage());
  const listeners = new Set<() => void>();
  let sender: Sender | null = { provider, address: account, chain };
  const prepare = vi.fn(
    async (): Promise<PreparedStep> => await steps[Math.min(prepare.mock.calls.length, steps.length) - 1]!(),
  );
  const flow = createFlow({ flow: "trade:0xa", request: {}, lastSteps: ["swap"], prepare, ...options.definition }, {
    getSender: () => sender,
    subscribeSender: (listener: () => void) => listeners.add(listener),
    journal,
    timing,
    getTime: () => 5,
  } as never);
  const change = (next: Sender | null) => {
    sender = next;
    for (const listener of listeners) listener();
  };
  return {
    flow,
    provider,
    timing,
    journal,
    prepare,
    change,
    statuses: () => flow.getState().steps.map(({ name, status }) => `${name} ${status}`),
  };
}

describe("a flow", () => {
  test("requests the next step from the service after each receipt, until the last step is mined", async () => {
    const { flow, provider, journal, statuses } = open([() => step("approve"), () => step("swap")]);
    await flow.run();
    expect([flow.getState().phase, statuses()]).toEqual(["done", ["approve confirmed", "swap confirmed"]]);
    expect(flow.getState().steps.map(({ hash }) => hash)).toEqual([hashNumber(1), hashNumber(2)]);
    expect(provider.of("eth_sendTransaction")).toEqual([[transaction], [transaction]]);
    expect(journal.list("trade:0xa")).toEqual([]);
  });

  test("stops when the user declines, and continues with a new preparation", async () => {
    let declines = true;
    const provider = createFakeProvider({
      eth_sendTransaction: () => (declines ? Promise.reject(walletFailure(4001)) : hashNumber(1)),
    });
    const { flow, prepare, statuses } = open([() => step("swap")], { provider });
    await flow.run();
    expect(flow.getState()).toMatchObject({ phase: "stopped", stop: { kind: "wallet", fault: "declined" } });
    declines = false;
    await flow.run();
    expect([statuses(), prepare.mock.calls.length]).toEqual([["swap declined", "swap confirmed"], 2]);
  });

  test("C10-23 sends nothing prepared for another chain or account", async () => {
    for (const changed of [{ chainId: "0x1" }, { from: other }]) {
      const { flow, provider } = open([() => step("swap", changed)]);
      await flow.run();
      expect(flow.getState().stop).toEqual({ kind: "wallet", fault: "not_this_wallet", detail: null });
      expect(provider.of("eth_sendTransaction")).toEqual([]);
    }
  });

  test("C10-24 stops before its next step when the account changes, and never continues with another", async () => {
    const opened = open([() => step("approve"), () => step("swap")]);
    const { flow, provider, change } = opened;
    provider.answers.eth_getTransactionReceipt = () => {
      change({ provider, address: other, chain });
      return { status: "0x1", blockNumber: "0x20", logs: [] };
    };
    await flow.run();
    expect(opened.statuses()).toEqual(["approve confirmed"]);
    expect(flow.getState().stop).toMatchObject({ kind: "wallet", fault: "account_changed" });
    await flow.run();
    expect(provider.of("eth_sendTransaction")).toHaveLength(1);
  });

  test("sends no wallet requests after the user leaves its page, and tracks the sent transaction", async () => {
    const { flow, provider, journal, statuses, prepare } = open([() => step("approve"), () => step("swap")]);
    provider.answers.eth_getTransactionReceipt = () => {
      flow.detach();
      return { status: "0x1", blockNumber: "0x20", logs: [] };
    };
    await flow.run();
    expect([statuses(), journal.list("trade:0xa")]).toEqual([["approve confirmed"], []]);
    expect([prepare.mock.calls.length, provider.of("eth_sendTransaction").length]).toEqual([1, 1]);
  });

  test("C10-24 stops during a wallet request when the account changes; a late hash is still tracked", async () => {
    let answer = (_: string) => {};
    const provider = createFakeProvider({ eth_sendTransaction: () => new Promise((resolve) => (answer = resolve)) });
    const { flow, change, statuses } = open([() => step("swap")], { provider });
    const running = flow.run();
    await settle();
    change(null);
    await running;
    expect([statuses(), flow.getState().phase]).toEqual([["swap abandoned"], "stopped"]);
    expect(flow.getState().stop).toMatchObject({ kind: "wallet", fault: "account_changed" });
    answer(hashNumber(9));
    await settle();
    expect(flow.getState()).toMatchObject({ phase: "done", steps: [{ status: "confirmed", hash: hashNumber(9) }] });
  });

  test("repeats the request to a silent wallet; the first response counts, a later hash is tracked", async () => {
    const answers: ((hash: string) => void)[] = [];
    const provider = createFakeProvider({ eth_sendTransaction: () => new Promise((resolve) => answers.push(resolve)) });
    const { flow, timing, statuses, journal } = open([() => step("swap")], { provider });
    const running = flow.run();
    await timing.advance(60_000);
    expect(statuses()).toEqual(["swap silent"]);
    flow.askAgain();
    await settle();
    expect(statuses()).toEqual(["swap abandoned", "swap asking"]);
    provider.answers.eth_getTransactionReceipt = () => null;
    answers[0]!(hashNumber(7));
    await settle();
    expect(statuses()).toEqual(["swap sent", "swap abandoned"]);
    expect(journal.list("trade:0xa").map(({ hash }) => hash)).toEqual([hashNumber(7)]);
    provider.answers.eth_getTransactionReceipt = () => ({ status: "0x1", blockNumber: "0x20", logs: [] });
    await timing.advance(500);
    await running;
    expect([statuses(), flow.getState().phase]).toEqual([["swap confirmed", "swap abandoned"], "done"]);
  });

  test("adopts a hash that arrives after the user gave up", async () => {
    let answer = (_: string) => {};
    const provider = createFakeProvider({ eth_sendTransaction: () => new Promise((resolve) => (answer = resolve)) });
    const { flow, statuses } = open([() => step("swap")], { provider });
    const running = flow.run();
    await settle();
    flow.leave();
    await running;
    expect([statuses(), flow.getState().stop]).toEqual([["swap abandoned"], { kind: "cancelled" }]);
    answer(hashNumber(7));
    await settle();
    expect([statuses(), flow.getState().phase]).toEqual([["swap confirmed"], "done"]);
  });

  test("asks the service again after another transaction used the nonce: another step means success", async () => {
    const provider = createFakeProvider({
      eth_getTransactionReceipt: () => null,
      eth_getTransactionCount: () => "0x1",
    });
    const { flow, statuses, timing } = open([() => step("approve"), () => step("swap"), () => step("swap")], {
      provider,
    });
    const running = flow.run();
    await timing.advance(10_000);
    await running;
    expect(statuses()).toEqual(["approve confirmed", "swap replaced"]);
    expect(flow.getState().stop).toEqual({ kind: "replaced" });
  });

  test("never repeats a replaced last step automatically; the replacing transaction ends the flow", async () => {
    const provider = createFakeProvider({
      eth_getTransactionReceipt: () => null,
      eth_getTransactionCount: () => "0x1",
    });
    const replaced = open([() => step("swap")], { provider });
    const running = replaced.flow.run();
    await replaced.timing.advance(10_000);
    await running;
    expect([replaced.statuses(), provider.of("eth_sendTransaction").length]).toEqual([["swap replaced"], 1]);
    const findReplacement = vi.fn(async () => hashNumber(42));
    const found = open([() => step("swap")], { provider, definition: { findReplacement } });
    const again = found.flow.run();
    await found.timing.advance(10_000);
    await again;
    expect(found.flow.getState()).toMatchObject({
      phase: "done",
      steps: [{ status: "confirmed", hash: hashNumber(42) }],
    });
    expect(findReplacement).toHaveBeenCalledWith(expect.objectContaining({ nonce: 0, block: 16 }), "swap");
  });

  test("explains a mined transaction without effect", async () => {
    const provider = createFakeProvider({
      eth_getTransactionReceipt: () => ({ status: "0x0", blockNumber: "0x20", logs: [] }),
      eth_call: () => Promise.reject(walletFailure(3, "execution reverted: Too little received")),
    });
    const { flow } = open([() => step("swap")], { provider });
    await flow.run();
    expect(flow.getState()).toMatchObject({
      phase: "stopped",
      stop: { kind: "reverted", revert: { reason: "price_moved" } },
    });
  });

  test("sends a batch, and single steps after the wallet refuses one", async () => {
    const batch: SendableCalls = {
      version: "2.0.0",
      chainId: "0xb626",
      from: account,
      atomicRequired: true,
      calls: [],
    };
    const receipts = [{ transactionHash: hashNumber(3), status: "0x1", blockNumber: "0x20", logs: [] }];
    const able = createFakeProvider({
      wallet_sendCalls: () => ({ id: "0x1" }),
      wallet_getCallsStatus: () => ({ status: 200, receipts }),
    });
    const first = open([() => ({ kind: "batch", name: "swap", batch })], { provider: able });
    await first.flow.run();
    expect(first.flow.getState()).toMatchObject({ phase: "done", steps: [{ kind: "batch", hash: hashNumber(3) }] });

    const unable = createFakeProvider({ wallet_sendCalls: () => Promise.reject(walletFailure(5760)) });
    const batchRefused = vi.fn();
    const second = open([() => ({ kind: "batch", name: "swap", batch }), () => step("swap")], {
      provider: unable,
      definition: { batchRefused },
    });
    await second.flow.run();
    expect([batchRefused.mock.calls.length, second.statuses()]).toEqual([1, ["swap abandoned", "swap confirmed"]]);
  });

  describe("with the deployment's paymaster", () => {
    const paymasterUrl = "https://paymaster.example/rpc";
    const capabilities = { paymasterService: { url: paymasterUrl, optional: true } };
    const batch = {
      version: "2.0.0",
      chainId: "0xb626",
      from: account,
      atomicRequired: true,
      calls: [],
    } as SendableCalls;
    const supported = { atomic: { status: "supported" }, paymasterService: { supported: true } };
    const answers = {
      wallet_getCapabilities: () => ({ "0xb626": supported }),
      wallet_sendCalls: () => ({ id: "0x1" }) as unknown,
      wallet_getCallsStatus: () =>
        ({ status: 200, receipts: [{ transactionHash: hashNumber(3), status: "0x1", logs: [] }] }) as unknown,
    };
    const openBatch = (changed: Partial<Record<keyof typeof answers, (...asked: any[]) => unknown>> = {}) => {
      const provider = createFakeProvider({ ...answers, ...changed });
      const definition = { batchRefused: vi.fn() };
      const opened = open([() => ({ kind: "batch", name: "swap", batch })], { provider, definition });
      opened.change({ provider, address: account, chain: { ...chain, paymasterUrl } });
      const sent = () => provider.of("wallet_sendCalls").map(([asked]) => asked.capabilities);
      return { ...opened, ...definition, sent };
    };

    test("sends the same batch with exactly this paymaster if the wallet supports it, else without", async () => {
      const able = openBatch();
      await able.flow.run();
      expect([able.statuses(), able.provider.of("wallet_sendCalls")]).toEqual([
        ["swap confirmed"],
        [[{ ...batch, capabilities }]],
      ]);
      const unable = openBatch({ wallet_getCapabilities: () => ({ "0xb626": { atomic: { status: "supported" } } }) });
      await unable.flow.run();
      expect([unable.statuses(), unable.provider.of("wallet_sendCalls")]).toEqual([["swap confirmed"], [[batch]]]);
    });

    test.each([5700, 5750, -32602])("sends the batch without it after refusal %s of the wallet", async (code) => {
      const { flow, statuses, sent, batchRefused } = openBatch({
        wallet_sendCalls: ([asked]) =>
          asked.capabilities === undefined ? { id: "0x1" } : Promise.reject(walletFailure(code)),
      });
      await flow.run();
      expect([statuses(), sent()]).toEqual([["swap confirmed"], [capabilities, undefined]]);
      expect(batchRefused).not.toHaveBeenCalled();
    });

    test("asks again with it after the user declined, and sends nothing by itself", async () => {
      const { flow, sent } = openBatch({
        wallet_sendCalls: (_, call) => (call === 1 ? Promise.reject(walletFailure(4001)) : { id: "0x1" }),
      });
      await flow.run();
      expect([flow.getState().stop, sent().length]).toEqual([{ kind: "wallet", fault: "declined", detail: null }, 1]);
      await flow.run();
      expect([flow.getState().phase, sent()]).toEqual(["done", [capabilities, capabilities]]);
    });

    test("never repeats a batch that failed with it, and the user's next attempt is without it", async () => {
      const failures = [
        {
          wallet_sendCalls: (_: unknown, call: number) => (call === 1 ? Promise.reject(walletFailure(-32603)) : "0x1"),
        },
        {
          wallet_getCallsStatus: (_: unknown, call: number) =>
            call === 1 ? { status: 400 } : answers.wallet_getCallsStatus(),
        },
      ];
      for (const failure of failures) {
        const { flow, sent } = openBatch(failure);
        await flow.run();
        expect([flow.getState().phase, sent()]).toEqual(["stopped", [capabilities]]);
        await flow.run();
        expect([flow.getState().phase, sent()]).toEqual(["done", [capabilities, undefined]]);
      }
    });

    test("sends no request if the user leaves while the wallet describes itself", async () => {
      const opened = openBatch({
        wallet_getCapabilities: () => {
          opened.flow.detach();
          return { "0xb626": supported };
        },
      });
      await opened.flow.run();
      expect([opened.sent(), opened.statuses()]).toEqual([[], []]);
    });
  });

  test("requests a signature, and stops if the wallet declines", async () => {
    const work = vi.fn(async () => {});
    const signed = open([() => ({ kind: "signature", name: "sign_in", work }), () => step("swap")]);
    await signed.flow.run();
    expect(signed.statuses()).toEqual(["sign_in confirmed", "swap confirmed"]);
  });

  test("continues after a reload with the sent transaction", async () => {
    const { flow, prepare, statuses } = open([() => step("swap")]);
    const entry = {
      hash: hashNumber(4),
      from: account,
      nonce: 0,
      block: 16,
      flow: "trade:0xa",
      step: "approve",
      chainId: 46630,
    };
    await flow.restore({ ...entry, request: {}, transaction, sentAt: 0 });
    expect([statuses(), prepare.mock.calls.length, flow.getState().phase]).toEqual([
      ["approve confirmed", "swap confirmed"],
      1,
      "done",
    ]);
  });

  test("tracks a batch again after a reload, and does not send it again", async () => {
    const provider = createFakeProvider({
      wallet_getCallsStatus: () => ({ status: 200, receipts: [{ transactionHash: hashNumber(7), status: "0x1" }] }),
    });
    const { flow, statuses, journal } = open([], { provider });
    const entry = { hash: null, batch: "0x01", from: account, nonce: null, block: 0, flow: "trade:0xa", step: "swap" };
    journal.put({ ...entry, chainId: 46630, request: {}, transaction: null, sentAt: 0 });
    await flow.restore(journal.list("trade:0xa")[0]!);
    expect([statuses(), flow.getState().phase]).toEqual([["swap confirmed"], "done"]);
    expect([provider.of("wallet_sendCalls"), journal.list("trade:0xa")]).toEqual([[], []]);
  });

  test("stops with the service's error, and starts nothing twice", async () => {
    const refusal = new Error("insufficient_balance");
    const { flow, prepare } = open([() => Promise.reject(refusal)]);
    await Promise.all([flow.run(), flow.run()]);
    expect([flow.getState().stop, prepare.mock.calls.length]).toEqual([{ kind: "service", error: refusal }, 1]);
  });

  test("can be left while a transaction is pending", async () => {
    const provider = createFakeProvider({ eth_getTransactionReceipt: () => null });
    const { flow, timing, journal, statuses } = open([() => step("swap")], { provider });
    const running = flow.run();
    await timing.advance(121_000);
    expect(flow.getState().steps[0]!.delay).toBe("slow");
    flow.leave();
    await running;
    expect([statuses(), journal.list("trade:0xa"), flow.getState().stop]).toEqual([
      ["swap left"],
      [],
      { kind: "left" },
    ]);
  });

  test("waits for a wallet that never responds without a second request", async () => {
    const provider = createFakeProvider({ eth_sendTransaction: never });
    const { flow, timing } = open([() => step("swap")], { provider });
    void flow.run();
    await timing.advance(600_000);
    expect(provider.of("eth_sendTransaction")).toHaveLength(1);
  });
});

const id = fc.integer({ min: 1, max: 4 });
const name = fc.constantFrom("approve", "swap");
const kind = fc.constantFrom("transaction" as const, "batch" as const, "signature" as const);
const hash = fc.constantFrom(hashNumber(1), hashNumber(2));
const anyEvent: fc.Arbitrary<FlowEvent> = fc.oneof(
  fc.constant({ type: "began" as const }),
  fc.record({ type: fc.constant("asked" as const), id, name, kind }),
  fc.record({ type: fc.constantFrom("silent" as const, "abandoned" as const), id }),
  fc.record({ type: fc.constant("sent" as const), id, hash }),
  fc.record({ type: fc.constant("restored" as const), id, name, kind, hash }),
  fc.record({ type: fc.constant("delayed" as const), id, delay: fc.constantFrom("unknown" as const, "slow" as const) }),
  fc.record({ type: fc.constant("confirmed" as const), id, hash: fc.option(hash) }),
  fc.record({
    type: fc.constant("ended" as const),
    id,
    status: fc.constantFrom("failed" as const, "declined" as const, "replaced" as const, "left" as const),
    stop: fc.constant({ kind: "left" as const }),
  }),
  fc.record({ type: fc.constant("stopped" as const), stop: fc.constant({ kind: "cancelled" as const }) }),
  fc.constant({ type: "done" as const }),
);

describe("every sequence of events of a flow", () => {
  test("keeps confirmed steps and all hashes, requests one step at a time, and has a reason for each stop", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        let state = idleFlow;
        for (const event of events) {
          const before = state;
          state = reduceFlow(state, event);
          for (const step of before.steps) {
            const after = state.steps.find((one) => one.id === step.id)!;
            if (step.status === "confirmed") expect(after.status).toBe("confirmed");
            if (step.hash !== null) expect(after.hash).not.toBeNull();
          }
          const asking = state.steps.filter(({ status }) => status === "asking" || status === "silent");
          expect(asking.length).toBe(state.phase === "asking" ? 1 : 0);
          expect(state.stop !== null).toBe(state.phase === "stopped");
          if (before.phase === "done") expect(state.steps.length).toBe(before.steps.length);
          if (state.steps.length > before.steps.length) expect(["preparing", "idle"]).toContain(before.phase);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
