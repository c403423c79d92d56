import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { vestingFactoryAbi } from "@slipway/protocol/contracts/vestingFactory";
import { erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomSalt, sendRaw, sendWithEthers, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, stranger] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const daySeconds = 86_400;

let stack: TestStack;
let now: number;
beforeAll(async () => {
  stack = await startTestStack();
  now = Math.floor(Date.now() / 1_000);
});
afterAll(async () => {
  await stack?.close();
});

const readBalance = (token: string, account: string) =>
  stack.deps.chain.client.readContract({
    address: token as Hex,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account as Hex],
  });
const getVesting = async (token: string) => (await stack.call("GET", `/tokens/${token}/vesting`)).body;
const isVesting = (address: string) =>
  stack.deps.chain.client.readContract({
    address: stack.manifest.current.vesting_factory.address as Hex,
    abi: vestingFactoryAbi,
    functionName: "isVesting",
    args: [address as Hex],
  });

/** Stores a draft whose initial buy vests. */
async function storeVested(dates: { cliff: number; end: number }, recipient?: string): Promise<string> {
  const intentId = await storeDraft(stack);
  const initial_buy = { amount_in: "100000000000000000", slippage_bps: 100, vesting: dates, recipient };
  const put = await stack.call("PUT", `/intents/${intentId}/options`, { initial_buy });
  expect([put.status, put.body.options.initial_buy.vesting]).toEqual([200, dates]);
  return intentId;
}

const sendCalls = async ({ body }: Answer) => {
  for (const { to, data, value } of body.calls) {
    expect((await sendRaw(stack, creator, { to, data, value: BigInt(value) })).status).toBe("success");
  }
};

describe("a launch whose initial buy vests", () => {
  const dates = () => ({ cliff: now + 30 * daySeconds, end: now + 130 * daySeconds });

  test("needs its vesting as one transaction, and pays the bought tokens to it", async () => {
    const intent_id = await storeVested(dates());
    const wallet = creator.address;
    const split = await stack.call("POST", "/splits/transactions", { intent_id, wallet });
    await sendWithEthers(stack, split, creator);
    const request = { intent_id, wallet, splitter: split.body.expected.splitter, salt: randomSalt() };
    const early = await stack.call("POST", "/launch/transactions", request);
    const creation = await stack.call("POST", "/vestings/transactions", { intent_id, wallet: stranger.address });
    expect([early.status, early.body.error.code]).toEqual([422, "vesting_not_deployed"]);
    // The creator is the default recipient, so that another wallet creates another vesting.
    expect(creation.body.expected.vesting).not.toBe(early.body.error.details.vesting);
    const own = await stack.call("POST", "/vestings/transactions", { intent_id, wallet });
    expect(own.body.expected.vesting).toBe(early.body.error.details.vesting);
    await sendWithEthers(stack, own, creator);
    expect(await isVesting(own.body.expected.vesting)).toBe(true);

    const launch = await stack.call("POST", "/launch/transactions", request);
    expect([launch.status, launch.body.warnings]).toEqual([200, []]);
    expect(launch.body.expected.vesting).toBe(own.body.expected.vesting);
    await sendWithEthers(stack, launch, creator);
    const { token, amount_out, vesting } = launch.body.expected;
    expect(await readBalance(token, vesting)).toBe(BigInt(amount_out));
    expect(await readBalance(token, wallet)).toBe(0n);
    await untilIndexed(stack, token);
    const shown = await getVesting(token);
    expect(shown).toMatchObject({
      token,
      vesting: { address: vesting, beneficiary: wallet, ...dates(), received: amount_out, vested: "0", released: "0" },
    });
    expect(shown.vesting.locked_share_of_supply).toBeCloseTo(Number(amount_out) / 1e27, 9);
  });

  test("creates splitter and vesting in one batch, for another recipient, and the preview shows the steps", async () => {
    const intent_id = await storeVested(dates(), stranger.address);
    const wallet = creator.address;
    const preview = await stack.call("POST", "/launch/preview", { intent_id, wallet });
    expect(preview.body.steps.map(({ action }: any) => action)).toEqual([
      "deploy_splitter",
      "deploy_vesting",
      "launch",
    ]);
    expect(preview.body.initial_buy.vesting).toEqual({ beneficiary: stranger.address, ...dates() });
    expect(preview.body.warnings.map(({ code }: any) => code)).toEqual(["initial_buy_recipient"]);

    const request = { intent_id, wallet, splitter: null, salt: randomSalt() };
    const answer = await stack.call("POST", "/launch/calls", request);
    const { current } = stack.manifest;
    const factories = [current.splitter_factory, current.vesting_factory, current.launch_factory];
    expect(answer.body.calls.map(({ to }: any) => to)).toEqual(factories.map(({ address }) => address));
    expect([answer.body.transaction, answer.body.expected.vesting]).toEqual([null, preview.body.initial_buy.recipient]);
    await sendRaw(stack, stranger, { to: answer.body.calls[1].to, data: answer.body.calls[1].data });
    // Another account has created the vesting meanwhile.
    const again = await stack.call("POST", "/launch/calls", request);
    expect(again.body.calls.map(({ to }: any) => to)).toEqual([factories[0]!.address, factories[2]!.address]);
    await sendCalls(again);
    const { token, vesting } = again.body.expected;
    await untilIndexed(stack, token);
    expect((await getVesting(token)).vesting).toMatchObject({ address: vesting, beneficiary: stranger.address });
  });

  test("is refused with dates that have passed", async () => {
    const intent_id = await storeVested({ cliff: now - 1, end: now + daySeconds });
    const wallet = creator.address;
    const answer = await stack.call("POST", "/launch/calls", { intent_id, wallet, splitter: null, salt: randomSalt() });
    expect([answer.body.error.code, answer.body.error.field]).toEqual(["invalid_fields", "initial_buy.vesting.cliff"]);
  });

  test("a token whose initial buy went to an account has no vesting", async () => {
    const intentId = await storeDraft(stack);
    const initial_buy = { amount_in: "1000000000", slippage_bps: 100 };
    await stack.call("PUT", `/intents/${intentId}/options`, { initial_buy });
    const request = { intent_id: intentId, wallet: creator.address, splitter: null, salt: randomSalt() };
    const launch = await stack.call("POST", "/launch/calls", request);
    await sendCalls(launch);
    const { token } = launch.body.expected;
    await untilIndexed(stack, token);
    expect((await getVesting(token)).vesting).toBeNull();
    const release = await stack.call("POST", "/vestings/release-transactions", { token, wallet: creator.address });
    expect([release.status, release.body.error.code]).toEqual([422, "no_vesting"]);
  });

  // Last, because it moves the chain's time.
  test("is released by any account to its beneficiary, when it vests", async () => {
    const soon = { cliff: now + 600, end: now + 700 };
    const intent_id = await storeVested(soon);
    const request = { intent_id, wallet: creator.address, splitter: null, salt: randomSalt() };
    const launch = await stack.call("POST", "/launch/calls", request);
    await sendCalls(launch);
    const { token, amount_out } = launch.body.expected;
    await untilIndexed(stack, token);
    const prepare = () => stack.call("POST", "/vestings/release-transactions", { token, wallet: stranger.address });
    const early = await prepare();
    expect([early.status, early.body.status, early.body.expected.amounts]).toEqual([200, "nothing_to_do", []]);

    await rpcRequest(stack.chain.rpcUrl, "evm_setNextBlockTimestamp", [soon.end]);
    await rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
    const release = await prepare();
    expect(release.body).toMatchObject({
      action: "release_vesting",
      status: "ready",
      expected: { amounts: [{ asset: token, to: creator.address, amount: amount_out }] },
    });
    await sendWithEthers(stack, release, stranger);
    expect(await readBalance(token, creator.address)).toBe(BigInt(amount_out));
    expect((await prepare()).body.status).toBe("nothing_to_do");
  });
});
