import { describe, expect, test } from "vitest";
import { account, createFakeProvider, hashNumber, walletFailure } from "../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming, settle } from "../../../../tests/support/web/virtualTiming.ts";
import { awaitOutcome, type Delay, type Outcome } from "./awaitOutcome.ts";
import { explainRevert } from "./explainRevert.ts";

const sent = { hash: hashNumber(1), from: account, nonce: null, expectedNonce: 5, block: 16 };

type Done = { hash: `0x${string}` | null } | null;

function follow(answers: Parameters<typeof createFakeProvider>[0], findDone: () => Done = () => null) {
  const provider = createFakeProvider(answers);
  const timing = createVirtualTiming();
  const controller = new AbortController();
  const seen: { outcome: Outcome | null; delays: (Delay | null)[]; nonces: number[] } = {
    outcome: null,
    delays: [],
    nonces: [],
  };
  const done = awaitOutcome(provider, sent, {
    timing,
    signal: controller.signal,
    onDelay: (delay) => seen.delays.push(delay),
    onNonce: (nonce) => seen.nonces.push(nonce),
    findDone: async () => findDone(),
  }).then((outcome) => (seen.outcome = outcome));
  return { provider, timing, seen, done, leave: () => controller.abort() };
}

const none = { eth_getTransactionReceipt: () => null };

describe("awaiting a transaction", () => {
  test("ends with its receipt, also after failed reads", async () => {
    let reads = 0;
    const { timing, seen, done } = follow({
      eth_getTransactionReceipt: () => {
        reads += 1;
        if (reads < 3) throw walletFailure(-32000, "busy");
        return { status: "0x1", blockNumber: "0x20", contractAddress: `0x${"cc".repeat(20)}`, logs: [] };
      },
      eth_getTransactionCount: () => "0x0",
    });
    await timing.advance(1_000);
    await done;
    expect(seen.outcome).toEqual({
      kind: "mined",
      receipt: { hash: sent.hash, status: "success", block: 32, contractAddress: `0x${"cc".repeat(20)}`, logs: [] },
    });
  });

  test("polls every 500 ms for ten seconds, then every two seconds", async () => {
    const { timing, provider, leave, done } = follow({ ...none, eth_getTransactionByHash: () => null });
    await timing.advance(10_000);
    expect(provider.of("eth_getTransactionReceipt")).toHaveLength(21);
    await timing.advance(10_000);
    expect(provider.of("eth_getTransactionReceipt")).toHaveLength(26);
    leave();
    await done;
  });

  test("does not use another sender's nonce for a contract wallet", async () => {
    let receipt: object | null = null;
    const { timing, seen, done } = follow({
      eth_getTransactionReceipt: () => receipt,
      // An owner sent the transaction, with a nonce that the wallet used long ago.
      eth_getTransactionByHash: () => ({ nonce: "0x0", from: `0x${"b2".repeat(20)}` }),
      eth_getTransactionCount: () => "0x7",
    });
    await timing.advance(5_000);
    expect([seen.outcome, seen.nonces]).toEqual([null, []]);
    receipt = { status: "0x1", blockNumber: "0x20", logs: [] };
    await timing.advance(1_000);
    await done;
    expect(seen.outcome).toMatchObject({ kind: "mined" });
  });

  test("ends when another transaction uses its nonce", async () => {
    let count = "0x7";
    const { timing, seen, done } = follow({
      ...none,
      eth_getTransactionByHash: () => ({ nonce: "0x7" }),
      eth_getTransactionCount: () => count,
    });
    await timing.advance(5_000);
    expect([seen.outcome, seen.nonces]).toEqual([null, [7]]);
    count = "0x8";
    await timing.advance(1_000);
    expect(seen.outcome).toBeNull();
    await timing.advance(500);
    await done;
    expect(seen.outcome).toEqual({ kind: "nonce_used" });
  });

  test("ends after a used nonce, also if no node ever knew the wallet's hash", async () => {
    const { timing, seen, done } = follow({
      ...none,
      eth_getTransactionByHash: () => null,
      eth_getTransactionCount: () => "0x6",
    });
    await timing.advance(1_500);
    await done;
    expect(seen.outcome).toEqual({ kind: "nonce_used" });
  });

  test("finds a receipt that a node returns some time after the block", async () => {
    let reads = 0;
    const { timing, seen, done } = follow({
      eth_getTransactionReceipt: () => {
        reads += 1;
        return reads < 4 ? null : { status: "0x0", blockNumber: "0x20", logs: [] };
      },
      eth_getTransactionCount: () => "0x1",
    });
    await timing.advance(2_000);
    await done;
    expect(seen.outcome).toMatchObject({ kind: "mined", receipt: { status: "reverted" } });
  });

  test("reports once that no node knows the hash, and ends when the user leaves", async () => {
    const { timing, seen, leave } = follow({ ...none, eth_getTransactionByHash: () => null });
    await timing.advance(19_500);
    expect(seen.delays).toEqual([]);
    await timing.advance(2_000);
    expect(seen.delays).toEqual(["unknown"]);
    await timing.advance(120_000);
    expect(seen.delays).toEqual(["unknown"]);
    leave();
    await settle();
    expect(seen.outcome).toEqual({ kind: "left" });
  });

  test("reports a slow and a dropped transaction, and a slow one when a node knows the hash again", async () => {
    let answer: unknown = { nonce: "0x5" };
    const { timing, seen, leave } = follow({ ...none, eth_getTransactionByHash: () => answer });
    await timing.advance(121_000);
    expect(seen.delays).toEqual(["slow"]);
    answer = null;
    await timing.advance(22_000);
    expect(seen.delays).toEqual(["slow", "dropped"]);
    answer = { nonce: "0x5" };
    await timing.advance(4_000);
    expect(seen.delays).toEqual(["slow", "dropped", "slow"]);
    leave();
    await settle();
  });

  test("queries the service every four seconds for a hash that no node knows, and ends with the result", async () => {
    let asked = 0;
    const found = { hash: hashNumber(9) };
    const { timing, seen } = follow({ ...none, eth_getTransactionByHash: () => null }, () => {
      asked += 1;
      return asked === 3 ? found : null;
    });
    await timing.advance(19_500);
    expect(asked).toBe(0);
    await timing.advance(7_000);
    expect(asked).toBe(2);
    await timing.advance(6_000);
    expect(seen.outcome).toEqual({ kind: "done_elsewhere", ...found });
  });
});

describe("explaining a reverted transaction", () => {
  const transaction = { chainId: "0xb626", from: account, to: account, data: "0x12", value: "0x0", gas: "0x5208" };
  const explain = (error: unknown) =>
    explainRevert(createFakeProvider({ eth_call: () => Promise.reject(error) }), transaction, 32);

  test("repeats the transaction as a call one block earlier", async () => {
    const provider = createFakeProvider({ eth_call: () => "0x" });
    expect(await explainRevert(provider, transaction, 32)).toEqual({ reason: "unknown", detail: null });
    expect(provider.of("eth_call")).toEqual([
      [{ from: account, to: account, data: "0x12", value: "0x0", gas: "0x5208" }, "0x1f"],
    ]);
  });

  test("reads the reason from the message or the data", async () => {
    expect((await explain(walletFailure(3, "execution reverted: Too little received"))).reason).toBe("price_moved");
    expect((await explain(walletFailure(3, "execution reverted: Transaction too old"))).reason).toBe("too_late");
    const text = Buffer.from("Too little received").toString("hex").padEnd(64, "0");
    const data = `0x08c379a0${"20".padStart(64, "0")}${"13".padStart(64, "0")}${text}`;
    for (const nested of [{ data }, { data: { data } }])
      expect(await explain(walletFailure(-32603, "Internal error", nested))).toEqual({
        reason: "price_moved",
        detail: "Too little received",
      });
    expect((await explain(walletFailure(3, "out of gas"))).reason).toBe("unknown");
  });
});
