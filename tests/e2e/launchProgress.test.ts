import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { draftSplitterSalt, encodeCreateSplitter, splitterCreationInput } from "@slipway/protocol/splitter";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { randomSalt, sendRaw, sendWithEthers, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, payee, stranger, other] = wallets as [Wallet, Wallet, Wallet, Wallet];
const recipients = [
  { provider: "wallet", wallet: payee.address, share_bps: 2_500 },
  { provider: "wallet", wallet: creator.address, share_bps: 7_500 },
];
const allocations = recipients.map(({ wallet, share_bps }) => ({ payee: wallet, shareBps: share_bps }));

let stack: TestStack;
beforeAll(async () => {
  // Without a heartbeat: every block comes from a test's transaction.
  stack = await startTestStack({ heartbeatMs: 0 });
  await vi.waitFor(async () => expect((await stack.call("GET", "/tokens")).body.error).toBeUndefined(), 60_000);
});
afterAll(async () => {
  await stack?.close();
});

const getProgress = async (intentId: string) => {
  const { status, body } = await stack.call("GET", `/intents/${intentId}/progress`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const prepareSplitter = (intentId: string, wallet: Wallet, method?: string) =>
  stack.call("POST", "/splits/transactions", {
    intent_id: intentId,
    wallet: wallet.address,
    ...(method && { method }),
  });
const getImplementation = () => stack.manifest.current.splitter_implementation.address as Hex;

describe("the progress of a draft", () => {
  test("goes from nothing to its splitter and its launches", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const split = await prepareSplitter(intentId, creator);
    expect(await getProgress(intentId)).toEqual({ splitters: [], launches: [] });
    const made = await sendWithEthers(stack, split, creator);
    const splitter = split.body.expected.splitter;
    const splitters = [
      {
        address: splitter,
        tx_hash: made.transactionHash,
        wallet: creator.address,
        method: "creation",
        block_number: Number(made.blockNumber),
      },
    ];
    expect(await getProgress(intentId)).toEqual({ splitters, launches: [] });

    const salt = randomSalt();
    const body = { intent_id: intentId, wallet: creator.address, splitter, salt };
    const launch = await stack.call("POST", "/launch/transactions", body);
    const launched = await sendWithEthers(stack, launch, creator);
    const { token } = launch.body.expected;
    await untilIndexed(stack, token);
    expect(await getProgress(intentId)).toEqual({
      splitters,
      launches: [
        {
          token,
          tx_hash: launched.transactionHash,
          wallet: creator.address,
          splitter,
          salt,
          block_number: Number(launched.blockNumber),
        },
      ],
    });
  });

  test("finds a splitter behind other transactions of the wallet, and one of each method", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const split = await prepareSplitter(intentId, creator);
    for (let i = 0; i < 3; i++) await sendRaw(stack, creator, { to: creator.address, value: 1n });
    const drifted = await sendWithEthers(stack, split, creator);
    const byFactory = await prepareSplitter(intentId, other, "factory");
    const made = await sendWithEthers(stack, byFactory, other);
    const { splitters } = await getProgress(intentId);
    expect(splitters.map(({ address, method, wallet, tx_hash }: any) => [address, method, wallet, tx_hash])).toEqual([
      [expect.any(String), "creation", creator.address, drifted.transactionHash],
      [byFactory.body.expected.splitter, "factory", other.address, made.transactionHash],
    ]);
    expect(splitters[0].address.toLowerCase()).toBe(drifted.contractAddress);
  });

  test("C4-47 does not show a copy that another account made, nor other allocations of its own", async () => {
    const intentId = await storeDraft(stack, { recipients });
    await prepareSplitter(intentId, creator);
    await sendRaw(stack, stranger, { data: splitterCreationInput(getImplementation(), allocations) });
    await sendRaw(stack, stranger, {
      to: stack.manifest.current.splitter_factory.address as Hex,
      data: encodeCreateSplitter(allocations, draftSplitterSalt(intentId)),
    });
    const swapped = allocations.map(({ shareBps }, i) => ({ payee: allocations[1 - i]!.payee, shareBps }));
    await sendRaw(stack, creator, { data: splitterCreationInput(getImplementation(), swapped) });
    expect(await getProgress(intentId)).toEqual({ splitters: [], launches: [] });
  });

  test("C4-47 is unknown to another account, as all else of the draft", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const account = await stack.createAccount("another");
    const ask = async (id: string) => {
      const answers = [
        await stack.call("GET", `/intents/${id}`, undefined, account),
        await stack.call("GET", `/intents/${id}/progress`, undefined, account),
        await stack.call("PUT", `/intents/${id}/options`, {}, account),
        await stack.call("DELETE", `/intents/${id}`, undefined, account),
      ];
      return answers.map(({ status, body: { error } }) => [status, { ...error, request_id: "" }]);
    };
    const foreign = await ask(intentId);
    expect(foreign).toEqual(await ask(crypto.randomUUID()));
    expect(foreign.map(([status, error]: any) => [status, error.code])).toEqual(Array(4).fill([404, "not_found"]));
    expect((await stack.call("GET", `/intents/${intentId}`)).status).toBe(200);
  });

  test("loses what a reorganisation removes", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const split = await prepareSplitter(intentId, creator);
    const snapshot = await rpcRequest(stack.chain.rpcUrl, "evm_snapshot", []);
    await sendWithEthers(stack, split, creator);
    const { splitter } = split.body.expected;
    const body = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
    const launch = await stack.call("POST", "/launch/transactions", body);
    await sendWithEthers(stack, launch, creator);
    await untilIndexed(stack, launch.body.expected.token);
    expect(await getProgress(intentId)).toMatchObject({ splitters: [{}], launches: [{}] });
    await rpcRequest(stack.chain.rpcUrl, "evm_revert", [snapshot]);
    for (let i = 0; i < 4; i++) await rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
    await expect.poll(() => getProgress(intentId)).toEqual({ splitters: [], launches: [] });
  });
});
