import { type SendableCalls, withPaymaster } from "@slipway/sdk/sendable";
import { describe, expect, test } from "vitest";
import {
  account,
  createFakeProvider,
  factoryCode,
  hashNumber,
  never,
  walletFailure,
} from "../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../tests/support/web/virtualTiming.ts";
import { awaitBatch, BatchRefused, readsAtomic, readsSponsored, sendBatch } from "./batch.ts";
import type { Chain } from "./network.ts";

const chain = { id: 46630, factory: factoryCode } as unknown as Chain;
const batch: SendableCalls = { version: "2.0.0", chainId: "0xb626", from: account, atomicRequired: true, calls: [] };
const url = "https://paymaster.example/rpc";
const atomic = { atomic: { status: "supported" } };
const open = (answers: Parameters<typeof createFakeProvider>[0], paymasterUrl: string | null = null) => ({
  provider: createFakeProvider(answers),
  address: account,
  chain: { ...chain, paymasterUrl },
});

describe("batches (EIP-5792)", () => {
  test.each([
    [{ "0xb626": { atomic: { status: "supported" } } }, true],
    [{ "0xB626": { atomic: { status: "ready" } } }, true],
    [{ "0xb626": { atomic: { status: "unsupported" } } }, false],
    [{ "0x1": { atomic: { status: "supported" } } }, false],
    [{}, false],
    [null, false],
    ["yes", false],
  ])("are offered by the capability of this chain: %j", async (capabilities, expected) => {
    expect(await readsAtomic(open({ wallet_getCapabilities: () => capabilities }), createVirtualTiming())).toBe(
      expected,
    );
  });

  test("are unsupported if the wallet does not respond within three seconds or does not know the method", async () => {
    const timing = createVirtualTiming();
    const silent = readsAtomic(open({ wallet_getCapabilities: never }), timing);
    await timing.advance(3_000);
    expect(await silent).toBe(false);
    expect(await readsAtomic(open({}), timing)).toBe(false);
  });

  test.each([
    [{ "0xb626": { ...atomic, paymasterService: { supported: true } } }, true],
    [{ "0xb626": { paymasterService: { supported: true } } }, false],
    [{ "0xb626": atomic }, false],
    [{ "0xb626": atomic, "0x1": { paymasterService: { supported: true } } }, false],
    [{ "0xb626": { ...atomic, paymasterService: { supported: "true" } } }, false],
    [{ "0xb626": { ...atomic, paymasterService: { supported: 1 } } }, false],
    [{ "0xb626": { ...atomic, paymasterService: true } }, false],
    [{ "0xb626": { ...atomic, paymasterService: null } }, false],
    [{ "0xb626": null }, false],
    [[{ paymasterService: { supported: true } }], false],
    [null, false],
  ])("can name a paymaster by the capability of this chain: %j", async (capabilities, expected) => {
    const sender = open({ wallet_getCapabilities: () => capabilities }, url);
    expect(await readsSponsored(sender, createVirtualTiming())).toBe(expected);
  });

  test("C10-98 have no paymaster that the deployment does not name, and the wallet is not asked", async () => {
    const capabilities = {
      "0xb626": { ...atomic, paymasterService: { supported: true, url: "https://else.example" } },
    };
    const sender = open({ wallet_getCapabilities: () => capabilities });
    expect(await readsSponsored(sender, createVirtualTiming())).toBe(false);
    expect(sender.provider.of("wallet_getCapabilities")).toEqual([]);
    const named = {
      ...batch,
      capabilities: { paymasterService: { url: "https://else.example", optional: true } },
    } as const;
    for (const paymaster of [null, url]) {
      const asked = open({ wallet_sendCalls: () => "0x1" }, paymaster);
      await expect(sendBatch(asked, named)).rejects.toMatchObject({ fault: "not_as_asked" });
      expect(asked.provider.of("wallet_sendCalls")).toEqual([]);
    }
  });

  test("C10-98 are unsupported if the wallet's answer throws while it is read", async () => {
    const hostile = {
      get "0xb626"() {
        throw new Error("read");
      },
    };
    const sender = open({ wallet_getCapabilities: () => hostile }, url);
    expect(await readsAtomic(sender, createVirtualTiming())).toBe(false);
    expect(await readsSponsored(sender, createVirtualTiming())).toBe(false);
  });

  test("are refused with their paymaster by 5700, which is no refusal of a batch without capabilities", async () => {
    const refuse = () => Promise.reject(walletFailure(5700));
    const sponsored = withPaymaster(batch, url);
    await expect(sendBatch(open({ wallet_sendCalls: refuse }, url), sponsored)).rejects.toThrow(BatchRefused);
    await expect(sendBatch(open({ wallet_sendCalls: refuse }, url), batch)).rejects.toMatchObject({ fault: "failed" });
  });

  test.each([5750, 5760, 5710, 4200, -32601, -32602])("become single steps after refusal %s", async (code) => {
    const refuse = () => Promise.reject(walletFailure(code));
    await expect(sendBatch(open({ wallet_sendCalls: refuse }), batch)).rejects.toThrow(BatchRefused);
  });

  test("do not become single steps if the user declines, or for another chain or account", async () => {
    const refuse = () => Promise.reject(walletFailure(4001));
    await expect(sendBatch(open({ wallet_sendCalls: refuse }), batch)).rejects.toMatchObject({ fault: "declined" });
    for (const other of [{ chainId: "0x1" }, { from: `0x${"b2".repeat(20)}` }] as const)
      await expect(sendBatch(open({}), { ...batch, ...other })).rejects.toMatchObject({ fault: "not_this_wallet" });
  });

  test("are tracked by their id: done, failed, or left", async () => {
    const timing = createVirtualTiming();
    const options = { timing, signal: new AbortController().signal, onSlow: () => {} };
    expect(await sendBatch(open({ wallet_sendCalls: () => "0x1" }), batch)).toBe("0x1");
    expect(await sendBatch(open({ wallet_sendCalls: () => ({ id: "0x2" }) }), batch)).toBe("0x2");
    let asked = 0;
    const receipts = [
      { transactionHash: hashNumber(5), status: "0x1", blockNumber: "0x20", logs: [{ address: "0x" }] },
    ];
    const done = awaitBatch(
      createFakeProvider({
        wallet_getCallsStatus: () => {
          asked += 1;
          return asked < 3 ? { status: 100 } : { status: 200, receipts };
        },
      }),
      "0x1",
      options,
    );
    await timing.advance(3_000);
    expect(await done).toMatchObject({
      kind: "mined",
      receipt: { hash: hashNumber(5), status: "success", logs: [{ address: "0x" }] },
    });
    const failed = createFakeProvider({ wallet_getCallsStatus: () => ({ status: 500 }) });
    expect(await awaitBatch(failed, "0x1", options)).toEqual({ kind: "failed", status: 500 });
    const left = awaitBatch(createFakeProvider({ wallet_getCallsStatus: () => ({ status: 100 }) }), "0x1", {
      ...options,
      signal: AbortSignal.abort(),
    });
    expect(await left).toEqual({ kind: "left" });
  });
});
