import { describe, expect, it, test, vi } from "vitest";
import { ApiError } from "./apiError.ts";
import { claimFees } from "./claimFees.ts";
import { createSalt } from "./createSalt.ts";
import { eip1193Wallet } from "./eip1193Wallet.ts";
import { ethersWallet } from "./ethersWallet.ts";
import { launchToken } from "./launchToken.ts";
import { runSteps, type StepOptions } from "./runSteps.ts";
import type { StepWallet } from "./stepWallet.ts";
import { viemWallet } from "./viemWallet.ts";

const address = "0x00000000000000000000000000000000000000Aa";
const other = "0x00000000000000000000000000000000000000bB";
const hash = `0x${"11".repeat(32)}` as const;
const now = () => 1_000;

/** Creates a prepared step of the chain 46630 that expires in a minute. */
const prepared = (changed: object = {}) => ({
  action: "approve",
  status: "ready",
  next: "again",
  expires_at: 1_060,
  manifest: { sha256: "ab", chain_id: 46_630 },
  transaction: { chainId: "0xb626", from: address, to: other, data: "0x12", value: "0x0", gas: "0x5208" },
  ...changed,
});
const last = (changed: object = {}) => prepared({ next: null, ...changed });
const nothing = () => prepared({ status: "nothing_to_do", transaction: null, next: null });

function createWallet(changed: Partial<StepWallet> = {}) {
  const receipt = { status: "success", hash, contractAddress: null } as const;
  return {
    address: address.toLowerCase(),
    chainId: async () => 46_630,
    send: vi.fn(async () => hash),
    confirm: vi.fn(async () => receipt),
    hasPending: async () => false,
    ...changed,
  };
}

/** Runs a flow of results, and returns the states of its steps. */
async function run(results: object[], wallet: StepWallet, options: StepOptions<never> = {}) {
  const states: string[] = [];
  const prepare = async () => results.shift() as never;
  for await (const { state } of runSteps(prepare, wallet, { now, sleep: async () => {}, ...options }))
    states.push(state);
  return states;
}

describe("runSteps", () => {
  it("sends each prepared step after the receipt of the step before, until there is no next one", async () => {
    const wallet = createWallet();
    const step = ["prepared", "sent", "confirmed"];
    expect(await run([prepared(), last()], wallet)).toEqual([...step, ...step]);
    expect(wallet.send).toHaveBeenCalledTimes(2);
    expect(wallet.send).toHaveBeenCalledWith(expect.objectContaining({ gas: 21_000n, to: other, chainId: 46_630 }));
  });

  it("ends when there is nothing to do", async () => {
    const wallet = createWallet();
    expect(await run([nothing()], wallet)).toEqual(["prepared"]);
    expect(wallet.send).not.toHaveBeenCalled();
  });

  it("does not sign what its reader leaves after the preparation", async () => {
    const wallet = createWallet();
    for await (const _ of runSteps(async () => last() as never, wallet, { now })) break;
    expect(wallet.send).not.toHaveBeenCalled();
  });

  test.each([
    ["wrong_account", last({ transaction: { ...prepared().transaction, from: other } }), {}],
    ["wrong_chain", last({ transaction: { ...prepared().transaction, chainId: "0x1" } }), {}],
    ["wrong_chain", last({ manifest: { sha256: "ab", chain_id: 1 } }), {}],
    ["expired", last({ expires_at: 1_000 }), {}],
    ["not_accepted", last(), { accept: () => false }],
    ["not_accepted", last(), { accept: async () => false }],
    ["not_one_transaction", last({ transaction: null }), {}],
  ])("C10-80 refuses %s before the wallet signs", async (code, result, options) => {
    const wallet = createWallet();
    await expect(run([result], wallet, options)).rejects.toMatchObject({ name: "StepError", code, hash: null });
    expect(wallet.send).not.toHaveBeenCalled();
  });

  it("C10-80 refuses a wallet that has changed its chain since", async () => {
    const wallet = createWallet({ chainId: async () => 1 });
    await expect(run([last()], wallet)).rejects.toMatchObject({ code: "wrong_chain" });
    expect(wallet.send).not.toHaveBeenCalled();
  });

  it("C10-81 waits for pending transactions before it prepares a step, so that nothing is sent twice", async () => {
    const pending = [true, true, false];
    const wallet = createWallet({ hasPending: async () => pending.shift() ?? false });
    expect(await run([last()], wallet)).toHaveLength(3);
    const stuck = createWallet({ hasPending: async () => true });
    await expect(run([last()], stuck)).rejects.toMatchObject({ code: "pending_transaction" });
    expect(stuck.send).not.toHaveBeenCalled();
  });

  it("throws for a transaction that reverted, and for a service that never ends", async () => {
    const wallet = createWallet({ confirm: async () => ({ status: "reverted", hash, contractAddress: null }) });
    await expect(run([last()], wallet)).rejects.toMatchObject({ code: "reverted", hash });
    const endless = Array.from({ length: 20 }, () => prepared());
    await expect(run(endless, createWallet())).rejects.toMatchObject({ code: "endless" });
  });
});

test("claimFees leaves out the stages that move nothing", async () => {
  const wallet = createWallet();
  const results: Record<string, object> = { collect: nothing(), settle: prepared(), release: last() };
  const prepareFeeClaim = vi.fn(async ({ stage }: { stage: string }) => results[stage]);
  const states: string[] = [];
  for await (const { state } of claimFees({ prepareFeeClaim } as never, wallet, other, { now })) states.push(state);
  expect(states).toEqual(["prepared", "prepared", "sent", "confirmed", "prepared", "sent", "confirmed"]);
  const request = { token: other, wallet: address.toLowerCase() };
  expect(prepareFeeClaim.mock.calls).toEqual(["collect", "settle", "release"].map((stage) => [{ ...request, stage }]));
});

describe("launchToken", () => {
  const token = "0x00000000000000000000000000000000000000Cc";
  const launched = { state: "launched", token, hash };
  const progress = (changed: object = {}) => ({ splitters: [], launches: [], ...changed });

  async function launch(client: object, wallet: StepWallet) {
    const last: unknown[] = [];
    for await (const step of launchToken(client as never, wallet, "draft", { now, sleep: async () => {} }))
      last.push(step);
    return last.at(-1);
  }

  it("uses the address of the deployed splitter, and tries the next salt if one is taken", async () => {
    const taken = new ApiError({
      code: "salt_taken",
      message: "",
      status: 422,
      requestId: null,
      retryable: false,
      retryAfterSeconds: null,
    });
    const prepareLaunch = vi.fn(async ({ salt }: { salt: string }) => {
      if (salt === (await createSalt("draft", address, 0))) throw taken;
      return last({ expected: { token } });
    });
    const client = {
      getIntentProgress: async () => progress(),
      prepareSplitter: async () => prepared({ expected: { splitter: address } }),
      prepareLaunch,
    };
    const wallet = createWallet({ confirm: async () => ({ status: "success", hash, contractAddress: other }) });
    expect(await launch(client, wallet)).toEqual(launched);
    const salt = await createSalt("draft", address, 1);
    expect(prepareLaunch.mock.calls.at(-1)).toEqual([
      { intent_id: "draft", wallet: wallet.address, splitter: other, salt },
    ]);
  });

  it("C10-81 finds a launch of an earlier run, whose salt is taken", async () => {
    const shown = [
      progress({ splitters: [{ address: other }] }),
      progress(),
      progress({ launches: [{ token, tx_hash: hash }] }),
    ];
    const taken = { code: "salt_taken", message: "", status: 422, requestId: null };
    const client = {
      getIntentProgress: async () => shown.shift(),
      prepareLaunch: async () => {
        throw new ApiError({ ...taken, code: "salt_taken", retryable: false, retryAfterSeconds: null });
      },
    };
    const wallet = createWallet();
    expect(await launch(client, wallet)).toEqual(launched);
    expect(
      await launch({ getIntentProgress: async () => progress({ launches: [{ token, tx_hash: hash }] }) }, wallet),
    ).toEqual(launched);
    expect(wallet.send).not.toHaveBeenCalled();
  });
});

describe("a wallet that replaced the transaction", () => {
  it("of viem: throws for a cancellation, and has the new hash for a higher fee", async () => {
    const newHash = `0x${"22".repeat(32)}` as const;
    const create = (reason: string) =>
      viemWallet({ account: { address: other }, getChainId: async () => 1, sendTransaction: async () => hash }, {
        getTransactionCount: async () => 0,
        waitForTransactionReceipt: async ({ onReplaced }: { onReplaced(replaced: { reason: string }): void }) => {
          onReplaced({ reason });
          return { status: "success", transactionHash: newHash, contractAddress: null };
        },
      } as never);
    await expect(create("cancelled").confirm(hash)).rejects.toMatchObject({ code: "replaced" });
    expect(await create("repriced").confirm(hash)).toMatchObject({ status: "success", hash: newHash });
  });

  it("of ethers: throws for a cancellation, and returns the receipt of a higher fee or a revert", async () => {
    const receipt = { status: 0, hash, contractAddress: null };
    const create = (error: object) =>
      ethersWallet({
        address: other,
        provider: {} as never,
        sendTransaction: async () => ({ hash, wait: () => Promise.reject(error as Error) }),
      });
    const confirm = async (error: object) => {
      const wallet = create(error);
      await wallet.send({ chainId: 1, from: other, data: "0x", value: 0n, gas: 1n, gasLimit: 1n });
      return await wallet.confirm(hash);
    };
    const replaced = { code: "TRANSACTION_REPLACED", receipt: { ...receipt, status: 1 } };
    await expect(confirm({ ...replaced, reason: "cancelled" })).rejects.toMatchObject({ code: "replaced" });
    expect(await confirm({ ...replaced, reason: "repriced" })).toMatchObject({ status: "success" });
    expect(await confirm({ code: "CALL_EXCEPTION", receipt })).toMatchObject({ status: "reverted" });
    await expect(confirm({ code: "NETWORK_ERROR" })).rejects.toMatchObject({ code: "NETWORK_ERROR" });
  });

  it("of EIP-1193: throws once another transaction has used the nonce", async () => {
    const mined = ["0x1", "0x1", "0x2"];
    const request = async ({ method }: { method: string }) => {
      if (method === "eth_getTransactionCount") return mined.shift();
      return method === "eth_getTransactionByHash" ? { nonce: "0x1" } : null;
    };
    const wallet = eip1193Wallet({ request }, other, { sleep: async () => {} });
    await expect(wallet.confirm(hash)).rejects.toMatchObject({ code: "replaced", hash });
  });
});
