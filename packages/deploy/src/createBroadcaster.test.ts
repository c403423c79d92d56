import { type Address, type Hex, parseGwei } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../../tests/support/startAnvil.ts";
import { deployer as account } from "../../../tests/support/startLocalDeployment.ts";
import { createBroadcaster } from "./createBroadcaster.ts";
import type { RpcClient } from "./createRpcClient.ts";
import { createMemoryJournal, type StepJournal } from "./openDeploymentState.ts";

const recipient: Address = "0x00000000000000000000000000000000000000b1";
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
  const broadcaster = (options: { timeoutMs?: number; lateReceiptMs?: number; client?: RpcClient } = {}) =>
    createBroadcaster({
      client: anvil.client,
      chainId: 46630,
      account,
      journal,
      timeoutMs: 60_000,
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
    await expect
      .poll(async () => {
        const replacement = journal.read("contract")?.attempts[1];
        return replacement && (await rpc("eth_getTransactionByHash", replacement.tx_hash));
      })
      .toBeTruthy();
    await rpc("evm_mine");
    const { address } = await resumed;
    expect(await rpc("eth_getCode", address, "latest")).toBe("0x00");
    expect(await transactionCount()).toBe(1);
  });

  it("signs a step again when another transaction has used its nonce", async () => {
    const unsent: RpcClient = {
      async request(call) {
        if (call.method === "eth_sendRawTransaction") throw new Error("gone");
        return anvil.client.request(call);
      },
    };
    await expect(broadcaster({ client: unsent }).create("contract", tinyContract)).rejects.toThrow("gone");
    await broadcaster().send("elsewhere", { to: recipient, valueInWei: 1n });
    const { address } = await broadcaster().create("contract", tinyContract);
    expect(journal.read("contract")).toMatchObject({ nonce: 1, address });
    expect(await rpc("eth_getCode", address, "latest")).toBe("0x00");
  });

  it("does not treat a step as replaced when one of several nodes lags", async () => {
    const first = await broadcaster().create("contract", tinyContract);
    let behind = 2;
    const several: RpcClient = {
      async request(call) {
        if (call.method === "eth_getTransactionReceipt" && behind-- > 0) return null;
        return anvil.client.request(call);
      },
    };
    expect(await broadcaster({ client: several, lateReceiptMs: 60_000 }).create("contract", tinyContract)).toEqual(
      first,
    );
    expect(await transactionCount()).toBe(1);
  });

  it("does not repeat a completed step", async () => {
    const first = await broadcaster().create("contract", tinyContract);
    expect(await broadcaster().create("contract", tinyContract)).toEqual(first);
    expect(await transactionCount()).toBe(1);
  });

  it("refuses another transaction under the name of a step", async () => {
    await broadcaster().send("pay", { to: recipient, valueInWei: 1n });
    await expect(broadcaster().send("pay", { to: recipient, valueInWei: 2n })).rejects.toMatchObject({
      code: "state_mismatch",
    });
  });

  it("reports a transaction that would revert before it is sent", async () => {
    await expect(broadcaster().create("broken", "0xfe")).rejects.toMatchObject({ code: "transaction_reverted" });
    expect(await transactionCount()).toBe(0);
    expect(journal.read("broken")).toBeUndefined();
  });

  it("reports a transaction that reverted in its block, and can repeat the step", async () => {
    // Reverts once this contract has code, which it has when the transaction is mined.
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
    await broadcaster({ client: legacy }).send("pay", { to: recipient, valueInWei: 1n });
    expect(await rpc("eth_getBalance", recipient, "latest")).toBe("0x1");
  });
});
