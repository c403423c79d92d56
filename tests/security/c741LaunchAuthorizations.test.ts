import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import type { launchForTypedData } from "@slipway/protocol/launchSignature";
import { encodeDeployData, erc20Abi, getAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomSalt, sendRaw, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { createSequentialWallet } from "../support/security/batchWallets.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { createSafeWallet } from "../support/security/safeWallet.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, sender, attacker, other, delegated] = wallets as [Wallet, Wallet, Wallet, Wallet, Wallet];

const oneEther = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
});
afterAll(async () => {
  await stack?.close();
});

type Request = { intent_id: string; wallet: string; splitter: string | null; salt: string };
type Typed = ReturnType<typeof launchForTypedData>;

const ask = (body: object) => stack.call("POST", "/launch/calls", body);
const putOptions = async (intentId: string, options: object) =>
  expect((await stack.call("PUT", `/intents/${intentId}/options`, options)).status).toBe(200);

/** A draft for a creator, with the data that its creator must sign. */
async function offer(by: string, more: object = {}): Promise<{ request: Request; typed: Typed }> {
  const intentId = await storeDraft(stack);
  await putOptions(intentId, { creator: by, ...more });
  const request = { intent_id: intentId, wallet: sender.address, splitter: null, salt: randomSalt() };
  const { body } = await ask(request);
  expect(body.status).toBe("signature_required");
  return { request, typed: body.typed_data };
}

const sign = (wallet: Wallet, typed: object) => wallet.account.signTypedData(typed as never);
const authorize = (typed: Typed, signature: Hex) => ({
  authorization: { deadline: Number(typed.message.deadline), signature },
});

/** Asserts that an answer is a rejection without anything to send. */
function expectRefused({ status, body }: Answer, code: string, field: string): void {
  expect([status, body.error?.code, body.error?.field]).toEqual([422, code, field]);
  expect([body.transaction, body.calls, body.typed_data]).toEqual([undefined, undefined, undefined]);
}
const expectInvalid = (answer: Answer) => expectRefused(answer, "signature_invalid", "authorization.signature");

describe("C7-41", () => {
  test("C7-41 an authorization is refused for another draft, splitter, salt, creator, or deadline than were signed", async () => {
    const { request, typed } = await offer(creator.address);
    const signed = authorize(typed, await sign(creator, typed));
    expect((await ask({ ...request, ...signed })).body.status).toBe("ready");

    const twin = await offer(creator.address);
    expectInvalid(await ask({ ...twin.request, ...signed }));
    expectInvalid(await ask({ ...request, salt: randomSalt(), ...signed }));
    const split = await stack.call("POST", "/splits/transactions", {
      intent_id: request.intent_id,
      wallet: sender.address,
    });
    await sendWithViem(stack, split, sender);
    expectRefused(
      await ask({ ...request, splitter: split.body.expected.splitter, ...signed }),
      "splitter_mismatch",
      "splitter",
    );
    const later = { ...signed.authorization, deadline: signed.authorization.deadline + 1 };
    expectInvalid(await ask({ ...request, authorization: later }));
    await putOptions(request.intent_id, { creator: other.address });
    expectInvalid(await ask({ ...request, ...signed }));
    await putOptions(request.intent_id, { creator: creator.address });
    expect((await ask({ ...request, ...signed })).body.status).toBe("ready");
  });

  test("C7-41 an authorization is refused of another key, chain, factory, or in another form than the contract takes", async () => {
    const { request, typed } = await offer(creator.address);
    const good = await sign(creator, typed);
    const r = good.slice(2, 66);
    const s = BigInt(`0x${good.slice(66, 130)}`);
    const v = good.slice(130);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const highS = `0x${r}${(order - s).toString(16).padStart(64, "0")}${v === "1b" ? "1c" : "1b"}`;
    const { domain } = typed;
    const message = typed.message;
    const bad: Record<string, string> = {
      "another key": await sign(attacker, typed),
      "the sender's key": await sign(sender, typed),
      "another chain": await sign(creator, { ...typed, domain: { ...domain, chainId: 1 } }),
      "another factory": await sign(creator, { ...typed, domain: { ...domain, verifyingContract: other.address } }),
      "another version": await sign(creator, { ...typed, domain: { ...domain, version: "2" } }),
      "a high s": highS,
      "a v of zero": `0x${good.slice(2, 130)}0${v === "1b" ? 0 : 1}`,
      "64 bytes": good.slice(0, 130),
      "66 bytes": `${good}00`,
      nothing: "0x",
      zeros: `0x${"00".repeat(65)}`,
      "a personal message": await creator.account.signMessage({ message: JSON.stringify(message) }),
    };
    for (const [name, signature] of Object.entries(bad)) {
      const answer = await ask({ ...request, ...authorize(typed, signature as Hex) });
      expect([name, answer.status, answer.body.error?.code]).toEqual([name, 422, "signature_invalid"]);
      expectInvalid(answer);
    }
  });

  test("C7-41 an authorization is refused for other options than were signed", async () => {
    const initial_buy = { amount_in: `${oneEther}`, slippage_bps: 100 };
    const { request, typed } = await offer(creator.address, { initial_buy });
    const signed = authorize(typed, await sign(creator, typed));
    const changes = [
      { links: { x: "https://x.com/other" } },
      { banner_uri: "https://cdn.example/other.png" },
      { partner: other.address },
      { initial_buy: null },
      { initial_buy: { ...initial_buy, amount_in: `${oneEther + 1n}` } },
      { initial_buy: { ...initial_buy, amount_in: `${oneEther - 1n}` } },
      { initial_buy: { ...initial_buy, slippage_bps: 101 } },
      { initial_buy: { ...initial_buy, recipient: sender.address } },
    ];
    for (const change of changes) {
      await putOptions(request.intent_id, { creator: creator.address, initial_buy, ...change });
      expectInvalid(await ask({ ...request, ...signed }));
    }
    await putOptions(request.intent_id, { creator: creator.address, initial_buy });
    expect((await ask({ ...request, ...signed })).body.status).toBe("ready");
  });

  test("C7-41 another account's draft has no authorization, also not with its creator's signature", async () => {
    const { request, typed } = await offer(creator.address);
    const signed = authorize(typed, await sign(creator, typed));
    const stranger = await stack.createAccount("stranger");
    const answer = await stack.call("POST", "/launch/calls", { ...request, ...signed }, stranger);
    expectRefused(answer, "draft_not_found", "intent_id");
  });
});

describe("C7-42", () => {
  test("C7-42 an authorization that ends before the answer does is refused, and launches once", async () => {
    const { request, typed } = await offer(creator.address);
    const { timestamp } = await stack.deps.chain.client.getBlock();
    // The answers expire after the service's clock, which may be later than the block.
    const seconds = BigInt(Math.floor(Date.now() / 1_000));
    const now = seconds > timestamp ? seconds : timestamp;
    const withDeadline = (deadline: bigint): Typed => ({
      ...typed,
      message: { ...typed.message, deadline: `${deadline}` },
    });
    for (const deadline of [1n, now - 1n, now, now + 59n]) {
      const short = withDeadline(deadline);
      const answer = await ask({ ...request, ...authorize(short, await sign(creator, short)) });
      expectRefused(answer, "quote_expired", "authorization.deadline");
    }
    const enough = withDeadline(now + 75n);
    const signed = authorize(enough, await sign(creator, enough));
    const answer = await ask({ ...request, ...signed });
    expect(answer.body.status).toBe("ready");
    await rpcRequest(stack.chain.rpcUrl, "evm_increaseTime", [30]);
    await rpcRequest(stack.chain.rpcUrl, "evm_mine", []);
    expectRefused(await ask({ ...request, ...signed }), "quote_expired", "authorization.deadline");

    const fresh = authorize(typed, await sign(creator, typed));
    const ready = await ask({ ...request, ...fresh });
    await createSequentialWallet(stack, sender).sendOneByOne(ready.body);
    const again = await ask({ ...request, ...fresh });
    expect([again.status, again.body.error.code]).toEqual([422, "salt_taken"]);
  });
});

describe("C7-43", () => {
  const { abi, bytecode } = compileAttacker("HostileCreator");
  const deploy = async (kind: number): Promise<Hex> => {
    const { contractAddress } = await sendRaw(stack, attacker, {
      data: encodeDeployData({ abi, bytecode, args: [kind] }),
    });
    return getAddress(contractAddress!);
  };

  test.each([
    ["refuses", 1],
    ["reverts", 2],
    ["burns all gas", 3],
    ["returns a megabyte", 4],
    ["answers with four bytes", 5],
    ["answers with more than the four bytes", 6],
  ])("C7-43 a creator whose code %s authorizes nothing", async (_, kind) => {
    const { request, typed } = await offer(await deploy(kind));
    for (const signature of ["0x", await sign(attacker, typed)] as Hex[]) {
      const answer = await ask({ ...request, ...authorize(typed, signature) });
      expect([answer.status, answer.body.error?.code]).toEqual([422, "signature_invalid"]);
      expectInvalid(answer);
    }
  });

  test("C7-43 a creator whose code accepts every signature launches in its own name, at the sender's cost alone", async () => {
    const hostile = await deploy(0);
    const { request, typed } = await offer(hostile);
    const answer = await ask({ ...request, ...authorize(typed, "0x1234") });
    expect([answer.status, answer.body.status]).toEqual([200, "ready"]);
    const { token, splitter } = answer.body.expected;
    const moved = new Set(answer.body.simulation.asset_changes.map(({ asset }: any) => asset));
    expect(moved).toEqual(new Set([token]));
    await createSequentialWallet(stack, sender).sendOneByOne(answer.body);
    await untilIndexed(stack, token);
    const detail = (await stack.call("GET", `/tokens/${token}`)).body;
    expect([detail.creator, detail.splitter]).toEqual([hostile, splitter]);
    // The acceptance of one launch is not the acceptance of another creator's launch.
    const honest = await offer(creator.address);
    expectInvalid(await ask({ ...honest.request, ...authorize(honest.typed, "0x1234") }));
  });

  test("C7-43 an account that delegates to code which accepts every signature is bound by that code, until it delegates to none", async () => {
    const { request, typed } = await offer(delegated.address);
    expectInvalid(await ask({ ...request, ...authorize(typed, "0x1234") }));
    const designator = `0xef0100${(await deploy(0)).slice(2)}`;
    await rpcRequest(stack.chain.rpcUrl, "anvil_setCode", [delegated.address, designator]);
    expect((await ask({ ...request, ...authorize(typed, "0x1234") })).body.status).toBe("ready");
    await rpcRequest(stack.chain.rpcUrl, "anvil_setCode", [delegated.address, "0x"]);
    expectInvalid(await ask({ ...request, ...authorize(typed, "0x1234") }));
  });

  test("C7-43 a wallet of several owners needs as many of them as it says, each once, over this launch", async () => {
    const safe = await createSafeWallet(stack, [creator, other, attacker], 2, sender);
    const { request, typed } = await offer(safe.address);
    const twin = await offer(safe.address);
    const one = await safe.sign(typed, [other]);
    const bad = [
      one,
      `${one}${one.slice(2)}` as Hex,
      await safe.sign(typed, [other, sender]),
      await safe.sign(twin.typed),
    ];
    for (const signature of bad) expectInvalid(await ask({ ...request, ...authorize(typed, signature) }));
    const good = await ask({ ...request, ...authorize(typed, await safe.sign(typed)) });
    expect(good.body.status).toBe("ready");
  });
});

describe("C7-45", () => {
  test("C7-45 any sender may use an authorization, and neither calls, token nor creator depend on it", async () => {
    const { request, typed } = await offer(creator.address);
    const signed = authorize(typed, await sign(creator, typed));
    const first = await ask({ ...request, ...signed });
    const second = await ask({ ...request, ...signed, wallet: attacker.address });
    expect(second.body.calls).toEqual(first.body.calls);
    expect(second.body.expected).toEqual(first.body.expected);
    await createSequentialWallet(stack, attacker).sendOneByOne(second.body);
    const { token } = first.body.expected;
    await untilIndexed(stack, token);
    expect((await stack.call("GET", `/tokens/${token}`)).body.creator).toBe(creator.address);
  });
  test("C7-45 the sender pays exactly the initial buy, the creator gets what it yields, and nothing of the creator's is needed", async () => {
    const initial_buy = { amount_in: `${oneEther}`, slippage_bps: 100 };
    const newcomer = privateKeyToAccount(generatePrivateKey());
    const { request, typed } = await offer(newcomer.address, { initial_buy });
    expect([typed.message.value, typed.message.buy.recipient]).toEqual([`${oneEther}`, newcomer.address]);
    const signed = authorize(typed, await newcomer.signTypedData(typed as never));

    // Without a signature, a missing balance is reported as an issue; with one, there is nothing to send.
    const poor = { ...request, wallet: "0x000000000000000000000000000000000000bEEF" };
    const unsigned = await ask(poor);
    expect(unsigned.body.status).toBe("signature_required");
    expect(BigInt(unsigned.body.issues.native_balance.needed) > oneEther).toBe(true);
    expectRefused(await ask({ ...poor, ...signed }), "insufficient_balance", "wallet");

    const { body } = await ask({ ...request, ...signed });
    expect(body.calls.map(({ value }: any) => BigInt(value))).toEqual([0n, oneEther]);
    const { client } = stack.deps.chain;
    const before = await client.getBalance({ address: sender.address });
    const receipts = await createSequentialWallet(stack, sender).sendOneByOne(body);
    const gas = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
    expect(await client.getBalance({ address: sender.address })).toBe(before - gas - oneEther);
    const token = { address: body.expected.token as Hex, abi: erc20Abi } as const;
    const read = (account: Hex) => client.readContract({ ...token, functionName: "balanceOf", args: [account] });
    expect(await read(newcomer.address)).toBe(BigInt(body.expected.amount_out));
    expect(await read(sender.address)).toBe(0n);
  });
});
