import type { Wallet } from "@slipway/dev/chain/wallets";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { draftSplitterSalt, encodeCreateSplitter } from "@slipway/protocol/splitter";
import { createClient } from "@slipway/sdk/createClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { TypedDataEncoder } from "ethers";
import { erc20Abi, getAddress, type Hex, toFunctionSelector, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  randomSalt,
  sendRaw,
  sendWithEthers,
  storeDraft,
  trade,
  untilIndexed,
  wallets,
  wrap,
} from "../support/security/actors.ts";
import {
  atomicityNotSupported,
  type BatchWallet,
  createContractWallet,
  createDelegatedWallet,
  createSequentialWallet,
} from "../support/security/batchWallets.ts";
import { getIssueTime } from "../support/security/getIssueTime.ts";
import { createSafeWallet } from "../support/security/safeWallet.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, payee, stranger, delegated, sequential, owner] = wallets as [
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
  Wallet,
];
const recipients = [
  { provider: "code_host", handle: "octo", wallet: creator.address, share_bps: 4_000 },
  { provider: "wallet", wallet: payee.address, share_bps: 6_000 },
];
const allocations = recipients.map(({ wallet, share_bps }) => ({ payee: wallet, shareBps: share_bps }));

let stack: TestStack;
beforeAll(async () => {
  // Without a heartbeat, so that the transaction is mined on the simulated block.
  stack = await startTestStack({ heartbeatMs: 0 });
});
afterAll(async () => {
  await stack?.close();
});

const ask = (intentId: string, wallet: Hex, more: Record<string, unknown> = {}) =>
  stack.call("POST", "/launch/calls", { intent_id: intentId, wallet, splitter: null, salt: randomSalt(), ...more });
const getTargets = ({ body }: Answer) => body.calls.map(({ to }: { to: Hex }) => to);
const send = async (wallet: BatchWallet, { body }: Answer) =>
  await wallet.sendCalls(sendableCalls(body, wallet.address)!);
/** The call that an attacker can make before a launch. */
const makeSplitter = (intentId: string, wallet: Wallet) =>
  sendRaw(stack, wallet, {
    to: stack.manifest.current.splitter_factory.address as Hex,
    data: encodeCreateSplitter(allocations, draftSplitterSalt(intentId)),
  });

/** Asserts that the index has the launch as promised. */
async function expectLaunched({ body }: Answer, by: string): Promise<void> {
  const { token, pool, splitter } = body.expected;
  await untilIndexed(stack, token);
  const { body: detail } = await stack.call("GET", `/tokens/${token}`);
  expect(detail).toMatchObject({ address: token, pool, splitter, creator: getAddress(by), warnings: [] });
  expect(detail.recipients.map(({ handle, wallet, share_bps }: any) => [handle, wallet, share_bps])).toEqual(
    recipients.map(({ handle = null, wallet, share_bps }) => [handle, wallet, share_bps]),
  );
}

describe("POST /launch/calls by the creator", () => {
  let targets: { splitterFactory: Hex; launchFactory: Hex };
  beforeAll(() => {
    const { splitter_factory, launch_factory } = stack.manifest.current;
    targets = { splitterFactory: splitter_factory.address as Hex, launchFactory: launch_factory.address as Hex };
  });

  test("makes the splitter and launches in one batch, of a wallet that is a contract in one transaction", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const wallet = await createContractWallet(stack, owner);
    const answer = await ask(intentId, wallet.address);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      action: "launch",
      status: "ready",
      transaction: null,
      typed_data: null,
      step: { index: 1, total: 1 },
      simulation: { ok: true, method: "eth_simulateV1", block_number: answer.body.block_number },
      issues: { allowance: null, balance: null },
    });
    expect(getTargets(answer)).toEqual([targets.splitterFactory, targets.launchFactory]);
    const receipts = await send(wallet, answer);
    expect(receipts.map(({ status }) => status)).toEqual(["success"]);
    await expectLaunched(answer, wallet.address);
  });

  test("launches a delegated account's draft (EIP-7702) in one transaction", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const wallet = await createDelegatedWallet(stack, delegated);
    await wallet.delegate();
    const answer = await ask(intentId, wallet.address);
    expect((await send(wallet, answer)).map(({ status }) => status)).toEqual(["success"]);
    await expectLaunched(answer, wallet.address);
  });

  test("gives a wallet that refuses an atomic batch calls that it can send one by one", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const wallet = createSequentialWallet(stack, sequential);
    const answer = await ask(intentId, wallet.address);
    await expect(send(wallet, answer)).rejects.toMatchObject({ code: atomicityNotSupported });
    const receipts = await wallet.sendOneByOne(answer.body);
    expect(receipts.map(({ status }) => status)).toEqual(["success", "success"]);
    await expectLaunched(answer, wallet.address);
  });

  test("is one transaction once the splitter exists, by the record of its factory and never by the caller", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const salt = randomSalt();
    const before = await ask(intentId, creator.address, { salt });
    const { splitter } = before.body.expected;
    const named = await ask(intentId, creator.address, { salt, splitter });
    expect([named.status, named.body.error.code]).toEqual([422, "splitter_not_deployed"]);
    await makeSplitter(intentId, stranger);

    const after = await ask(intentId, creator.address, { salt });
    expect(getTargets(after)).toEqual([targets.launchFactory]);
    const { to, data, value } = after.body.transaction;
    expect(after.body.calls).toEqual([{ to, data, value }]);
    expect(after.body.expected).toEqual(before.body.expected);
    expect(after.body.next).toBe(`GET /tokens/${after.body.expected.token}, after the receipt`);
    const byName = await ask(intentId, creator.address, { salt, splitter });
    expect(byName.body.transaction).toEqual(after.body.transaction);
    expect((await sendWithEthers(stack, after, creator)).status).toBe("success");
    await expectLaunched(after, creator.address);
  });

  test("takes the splitter of a creation transaction by its name, and never makes one in a batch", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
    await sendWithEthers(stack, split, creator);
    const { splitter } = split.body.expected;
    const answer = await ask(intentId, creator.address, { splitter });
    expect(getTargets(answer)).toEqual([targets.launchFactory]);
    expect(answer.body.expected.splitter).toBe(splitter);
    const same = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
    const calls = await ask(intentId, creator.address, same);
    const plain = await stack.call("POST", "/launch/transactions", same);
    expect(calls.body.transaction).toEqual({ ...plain.body.transaction, gas: calls.body.transaction.gas });
    const other = await ask(intentId, creator.address);
    expect(other.body.expected.splitter).not.toBe(splitter);
    expect((await sendWithEthers(stack, answer, creator)).status).toBe("success");
    await expectLaunched(answer, creator.address);
  });

  test("answers the same for the same request, null or left out", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const body = { intent_id: intentId, wallet: creator.address, salt: randomSalt() };
    const variants = [body, { ...body, splitter: null }, { ...body, splitter: null, authorization: null }];
    const askAll = async () => {
      const answers = await Promise.all(variants.map((one) => stack.call("POST", "/launch/calls", one)));
      for (const answer of answers) expect(answer.body.calls).toHaveLength(2);
      return new Set(answers.map((answer) => JSON.stringify({ ...answer.body, request_id: "" }))).size;
    };
    // Asked again if a block or a second began between two of the requests.
    await expect.poll(askAll).toBe(1);
  });

  test("refuses an authorization of the wallet's own launch, which needs none", async () => {
    const intentId = await storeDraft(stack, { recipients });
    const authorization = { deadline: 2_000_000_000, signature: `0x${"11".repeat(65)}` };
    const { status, body } = await ask(intentId, creator.address, { authorization });
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "authorization"]);
  });

  test("moves nothing but the supply into the pool", async () => {
    const { body } = await ask(await storeDraft(stack, { recipients }), creator.address);
    const { token, pool } = body.expected;
    const moved = body.simulation.asset_changes;
    expect(new Set(moved.map(({ asset }: any) => asset))).toEqual(new Set([token]));
    expect(moved[0].from).toBe(zeroAddress);
    expect(moved.at(-1).to).toBe(pool);
  });
});

describe("POST /launch/calls for a creator who signs", () => {
  const relayer = stranger;
  const storeFor = async (creatorAddress: string, more: Record<string, unknown> = {}) => {
    const intentId = await storeDraft(stack, { recipients });
    const answer = await stack.call("PUT", `/intents/${intentId}/options`, { creator: creatorAddress, ...more });
    expect(answer.status).toBe(200);
    return intentId;
  };
  const authorize = (typed: any, signature: Hex) => ({
    authorization: { deadline: Number(typed.message.deadline), epoch: Number(typed.message.epoch), signature },
  });

  test("gives the creator's key typed data to sign, and then the batch of the account that sends it", async () => {
    const intentId = await storeFor(creator.address);
    const salt = randomSalt();
    const offer = await ask(intentId, relayer.address, { salt });
    expect(offer.status).toBe(200);
    expect(offer.body).toMatchObject({
      action: "launch",
      status: "signature_required",
      transaction: null,
      calls: [],
      step: { index: 1, total: 2 },
      simulation: { ok: true, method: "eth_simulateV1", block_number: offer.body.block_number },
    });
    const typed = offer.body.typed_data;
    const { current, chain_id } = stack.manifest;
    expect(typed.domain).toEqual({
      name: "Slipway Launch Factory",
      version: "1",
      chainId: chain_id,
      verifyingContract: current.launch_factory.address,
    });
    const block = await stack.deps.chain.client.getBlock({ blockNumber: BigInt(offer.body.block_number) });
    expect(typed.message).toMatchObject({
      creator: creator.address,
      params: {
        name: "Tin Boat",
        symbol: "TIN",
        splitter: offer.body.expected.splitter,
        salt,
        partner: zeroAddress,
        feeBps: 100,
      },
      buy: { recipient: zeroAddress, minimumOut: "0" },
      value: "0",
      deadline: `${getIssueTime(offer.body, block) + 1_200n}`,
      epoch: "0",
    });
    const { EIP712Domain: _, ...types } = typed.types;
    const digest = TypedDataEncoder.hash(typed.domain, types, typed.message);
    const { message } = typed;
    const args = [message.creator, message.params, message.buy, 0n, BigInt(message.deadline)] as const;
    const factory = { address: current.launch_factory.address as Hex, abi: launchFactoryAbi } as const;
    const read = { ...factory, functionName: "digestOf", args } as const;
    expect(await stack.deps.chain.client.readContract(read)).toBe(digest);

    const signed = authorize(typed, await creator.account.signTypedData(typed));
    const answer = await ask(intentId, relayer.address, { salt, ...signed });
    expect([answer.status, answer.body.status, answer.body.typed_data]).toEqual([200, "ready", null]);
    expect(answer.body.step).toMatchObject({ index: 2, total: 2 });
    expect(answer.body.expected).toEqual(offer.body.expected);
    const receipts = await createSequentialWallet(stack, relayer).sendOneByOne(answer.body);
    expect(receipts.map(({ status }) => status)).toEqual(["success", "success"]);
    await expectLaunched(answer, creator.address);
    const again = await ask(intentId, relayer.address, { salt, ...signed });
    expect([again.status, again.body.error.code]).toEqual([422, "salt_taken"]);
  });

  test("is the creator's own launch where the creator sends it", async () => {
    const intentId = await storeFor(creator.address.toLowerCase());
    const own = await ask(intentId, creator.address);
    expect([own.body.status, own.body.calls.length, own.body.typed_data]).toEqual(["ready", 2, null]);
    expect(own.body.calls[1].data.slice(0, 10)).toBe(
      toFunctionSelector("launch((string,string,string,address,bytes32,address,uint16),(address,uint256))"),
    );
  });

  test("launches for a wallet of several owners, which makes its splitter and claims its fees", async () => {
    const safe = await createSafeWallet(stack, [payee, owner, sequential], 2, relayer);
    const url = `${await stack.listen(0)}/api/v1/launchpad`;
    const client = createClient({ baseUrl: url, apiKey: stack.account.key });
    const shares = [
      { provider: "wallet" as const, wallet: safe.address, share_bps: 7_500 },
      { provider: "wallet" as const, wallet: payee.address, share_bps: 2_500 },
    ];
    const draft = await client.createIntent({
      name: "Common Boat",
      symbol: "COMMON",
      image_uri: "https://cdn.example/boat.png",
      chain_id: stack.manifest.chain_id as 46630,
      recipients: shares,
    });
    const id = draft.id;
    await client.putIntentOptions({ id, creator: safe.address });

    // The wallet creates its splitter by the factory, because a contract cannot send a creation transaction.
    const split = await client.prepareSplitter({ intent_id: id, wallet: safe.address });
    expect(split.warnings.map(({ code }) => code)).toContain("recipient_is_contract");
    const { to, data } = split.transaction as { to: Hex; data: Hex };
    expect((await safe.send({ to, data })).status).toBe("success");

    const request = { intent_id: id, wallet: relayer.address, splitter: null, salt: randomSalt() };
    const offer = await client.prepareLaunchCalls(request);
    expect([offer.status, offer.expected!.splitter]).toEqual(["signature_required", split.expected!.splitter]);
    const typed = offer.typed_data!;
    const deadline = Number(typed.message.deadline);
    const one = await safe.sign(typed, [payee]);
    await expect(
      client.prepareLaunchCalls({ ...request, authorization: { deadline, signature: one } }),
    ).rejects.toMatchObject({ status: 422, code: "signature_invalid", field: "authorization.signature" });

    const signature = await safe.sign(typed);
    const launch = await client.prepareLaunchCalls({ ...request, authorization: { deadline, signature } });
    expect([launch.status, launch.calls.length]).toEqual(["ready", 1]);
    expect((await sendWithEthers(stack, { status: 200, body: launch }, relayer)).status).toBe("success");
    const token = launch.expected!.token as Hex;
    await untilIndexed(stack, token);
    const detail = await client.getToken({ address: token });
    expect([detail.creator, detail.splitter]).toEqual([getAddress(safe.address), split.expected!.splitter]);
    expect(detail.recipients.map(({ wallet, share_bps }) => [wallet, share_bps])).toEqual(
      shares.map(({ wallet, share_bps }) => [getAddress(wallet), share_bps]),
    );

    await wrap(stack, stranger, 10n ** 18n);
    await trade(stack, stranger, { token, side: "buy", amount_in: `${10n ** 18n}` });
    for (const stage of ["collect", "settle"] as const) {
      const step = await client.prepareFeeClaim({ token, wallet: relayer.address, stage });
      await sendWithEthers(stack, { status: 200, body: step }, relayer);
    }
    const release = await client.prepareFeeClaim({ token, wallet: safe.address, stage: "release" });
    const claim = release.transaction as { to: Hex; data: Hex };
    expect((await safe.send(claim)).status).toBe("success");
    const weth = stack.manifest.wrapped_native.address as Hex;
    const held = await stack.deps.chain.client.readContract({
      address: weth,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [safe.address],
    });
    // 0.9% of the trade is the collaborators' part; the wallet gets three quarters of it. Dust stays in pool and
    // splitter.
    const expected = (10n ** 18n * 90n * 7_500n) / 10_000n / 10_000n;
    expect(expected - held <= 2n && held <= expected).toBe(true);
  });

  test("launches for a wallet of several owners that approved the message on the chain, without a signature", async () => {
    const safe = await createSafeWallet(stack, [payee, owner], 2, relayer);
    const intentId = await storeFor(safe.address);
    const salt = randomSalt();
    const typed = (await ask(intentId, relayer.address, { salt })).body.typed_data;
    const unapproved = await ask(intentId, relayer.address, { salt, ...authorize(typed, "0x") });
    expect([unapproved.status, unapproved.body.error.code]).toEqual([422, "signature_invalid"]);
    await safe.approve(typed);
    const answer = await ask(intentId, relayer.address, { salt, ...authorize(typed, "0x") });
    await createSequentialWallet(stack, relayer).sendOneByOne(answer.body);
    await expectLaunched(answer, safe.address);
  });

  test("launches for a wallet of several owners that sends the whole batch itself", async () => {
    const safe = await createSafeWallet(stack, [payee, owner], 2, relayer);
    const answer = await ask(await storeFor(safe.address), safe.address);
    expect(answer.body.calls).toHaveLength(2);
    expect((await send(safe, answer)).map(({ status }) => status)).toEqual(["success"]);
    await expectLaunched(answer, safe.address);
  });

  test("launches for an account that delegates to code (EIP-7702), by its key's signature", async () => {
    const wallet = await createDelegatedWallet(stack, delegated);
    await wallet.delegate();
    const intentId = await storeFor(delegated.address);
    const salt = randomSalt();
    const typed = (await ask(intentId, relayer.address, { salt })).body.typed_data;
    const signature = await delegated.account.signTypedData(typed);
    const answer = await ask(intentId, relayer.address, { salt, ...authorize(typed, signature) });
    await createSequentialWallet(stack, relayer).sendOneByOne(answer.body);
    await expectLaunched(answer, delegated.address);
  });
});
