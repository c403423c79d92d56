import { type Address, parseGwei, type Hex } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBroadcaster } from "../src/createBroadcaster.ts";
import { createMemoryJournal, type StepJournal } from "../src/stepJournal.ts";
import type { RpcClient } from "../src/rpcRequest.ts";
import { deployer as account } from "./support/localDeployment.ts";
import { type Anvil, startAnvil } from "./support/startAnvil.ts";

const somebody: Address = "0x00000000000000000000000000000000000000b1";
/** Creation code of a contract that is one STOP. */
const tinyContract: Hex = "0x60016000f3";

describe("createBroadcaster", () => {
  let anvil: Anvil;
  let journal: StepJournal;

  beforeEach(async () => {
    anvil = await startAnvil();
    journal = createMemoryJournal();
  });
  afterEach(() => anvil.stop());

  const rpc = (method: string, ...params: unknown[]) => anvil.client.request({ method, params });
  const broadcaster = (options: { timeoutMs?: number; client?: RpcClient } = {}) =>
    createBroadcaster({
      client: anvil.client,
      chainId: 46630,
      account,
      journal,
      timeoutMs: 5_000,
      lateReceiptMs: 1_000,
      ...options,
    });
  const transactionCount = async () => Number(await rpc("eth_getTransactionCount", account.address, "latest"));

  it("replaces a transaction whose fee no longer suffices, under the same nonce", async () => {
    await rpc("evm_setAutomine", false);
    await expect(broadcaster({ timeoutMs: 20 }).create("contract", tinyContract)).rejects.toMatchObject({
      code: "not_mined",
    });
    await rpc("anvil_setNextBlockBaseFeePerGas", `0x${parseGwei("50").toString(16)}`);
    await rpc("evm_mine");
    expect(await transactionCount()).toBe(0);

    const resumed = broadcaster().create("contract", tinyContract);
    while (journal.read("contract")?.attempts.length !== 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await rpc("evm_mine");
    const { address } = await resumed;
    expect(await rpc("eth_getCode", address, "latest")).toBe("0x00");
    expect(await transactionCount()).toBe(1);
  });

  it("signs a step anew when its nonce went to another transaction", async () => {
    const unsent: RpcClient = {
      async request(call) {
        if (call.method === "eth_sendRawTransaction") throw new Error("gone");
        return anvil.client.request(call);
      },
    };
    await expect(broadcaster({ client: unsent }).create("contract", tinyContract)).rejects.toThrow("gone");
    await broadcaster().send("elsewhere", { to: somebody, valueInWei: 1n });
    const { address } = await broadcaster().create("contract", tinyContract);
    expect(journal.read("contract")).toMatchObject({ nonce: 1, address });
    expect(await rpc("eth_getCode", address, "latest")).toBe("0x00");
  });

  it("does not take a step for replaced when one of several nodes is behind", async () => {
    const first = await broadcaster().create("contract", tinyContract);
    let behind = 2;
    const several: RpcClient = {
      async request(call) {
        if (call.method === "eth_getTransactionReceipt" && behind-- > 0) return null;
        return anvil.client.request(call);
      },
    };
    expect(await broadcaster({ client: several }).create("contract", tinyContract)).toEqual(first);
    expect(await transactionCount()).toBe(1);
  });

  it("does not repeat a step that is done", async () => {
    const first = await broadcaster().create("contract", tinyContract);
    expect(await broadcaster().create("contract", tinyContract)).toEqual(first);
    expect(await transactionCount()).toBe(1);
  });

  it("refuses to go on with another transaction under a step's name", async () => {
    await broadcaster().send("pay", { to: somebody, valueInWei: 1n });
    await expect(broadcaster().send("pay", { to: somebody, valueInWei: 2n })).rejects.toMatchObject({
      code: "state_mismatch",
    });
  });

  it("tells a transaction that would fail before it is sent", async () => {
    await expect(broadcaster().create("broken", "0xfe")).rejects.toMatchObject({ code: "transaction_reverted" });
    expect(await transactionCount()).toBe(0);
    expect(journal.read("broken")).toBeUndefined();
  });

  it("tells a transaction that failed in its block, and may try the step again", async () => {
    // Reverts when this contract has code: it has by the time the transaction is mined.
    const estimatedEarlier: RpcClient = {
      async request(call) {
        return call.method === "eth_estimateGas" ? "0x186a0" : anvil.client.request(call);
      },
    };
    await expect(broadcaster({ client: estimatedEarlier }).create("broken", "0xfe")).rejects.toMatchObject({
      code: "transaction_reverted",
    });
    expect(journal.read("broken")).toBeUndefined();
    await expect(broadcaster().create("broken", tinyContract)).resolves.toBeDefined();
  });

  it("works on a chain without a base fee", async () => {
    const legacy: RpcClient = {
      async request(call) {
        const answer = await anvil.client.request(call);
        if (call.method !== "eth_getBlockByNumber") return answer;
        const { baseFeePerGas: _, ...block } = answer as Record<string, unknown>;
        return block;
      },
    };
    await broadcaster({ client: legacy }).send("pay", { to: somebody, valueInWei: 1n });
    expect(await rpc("eth_getBalance", somebody, "latest")).toBe("0x1");
  });
});
