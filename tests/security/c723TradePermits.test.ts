import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { permitTypedData, type TypedData } from "@slipway/protocol/typedData";
import { encodeFunctionData, type Hex, parseAbi, parseSignature } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, sendRaw, sendWithViem, untilIndexed, wallets } from "../support/security/actors.ts";
import { createDelegatedWallet } from "../support/security/batchWallets.ts";
import { getIssueTime } from "../support/security/getIssueTime.ts";
import { deploySplitter, launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, stranger, delegated] = wallets as [Wallet, Wallet, Wallet, Wallet];
const amount = 10n ** 21n;
const permitAbi = parseAbi([
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function nonces(address owner) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
]);

let stack: TestStack;
let token: Hex;
let router: Hex;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
  ({ token } = await launchToken(stack, creator));
  router = stack.manifest.uniswap.router.address as Hex;
  for (const wallet of [trader, stranger, delegated]) {
    const buy = {
      token,
      wallet: wallet.address,
      side: "buy",
      pay: "native",
      amount_in: `${10n ** 17n}`,
      slippage_bps: 100,
    };
    await sendWithViem(stack, await stack.call("POST", "/trade/calls", buy), wallet);
  }
});
afterAll(async () => {
  await stack?.close();
});

const ask = (more: Record<string, unknown> = {}, wallet = trader): Promise<Answer> =>
  stack.call("POST", "/trade/calls", {
    token,
    wallet: wallet.address,
    side: "sell",
    receive: "native",
    amount_in: `${amount}`,
    slippage_bps: 100,
    ...more,
  });
const offer = async (wallet = trader): Promise<TypedData> => (await ask({}, wallet)).body.permit_typed_data;
const sign = (typed: TypedData, wallet = trader) => wallet.account.signTypedData(typed as never);
const toPermit = (typed: TypedData, signature: string) => ({ deadline: Number(typed.message.deadline), signature });
const expectRefused = async (permit: object, code: string, field: string, more: Record<string, unknown> = {}) => {
  const { status, body } = await ask({ ...more, permit });
  expect([status, body.error?.code, body.error?.field]).toEqual([422, code, field]);
  expect([body.transaction, body.calls]).toEqual([undefined, undefined]);
};
/** Returns the offered permit with some changed values. */
const change = (
  typed: TypedData,
  terms: Partial<Parameters<typeof permitTypedData>[0]>,
  chainId?: number,
  asset = token,
) => {
  const { owner, spender, value, nonce, deadline } = typed.message;
  const own = { owner: owner as Hex, spender: spender as Hex, value: BigInt(value!), nonce: BigInt(nonce!) };
  const all = { ...own, deadline: BigInt(deadline!), ...terms };
  return permitTypedData(all, asset, { name: typed.domain.name, version: "1" }, chainId ?? stack.manifest.chain_id);
};

describe("C7-23", () => {
  test("C7-23 the offered permit is for exactly what is sold, to the pinned router, for 30 minutes", async () => {
    const { body } = await ask();
    const block = await stack.deps.chain.client.getBlock({ blockNumber: BigInt(body.block_number) });
    expect(body.permit_typed_data.message).toEqual({
      owner: trader.address,
      spender: router,
      value: `${amount}`,
      nonce: "0",
      deadline: `${getIssueTime(body, block) + 1_800n}`,
    });
    const output = await ask({
      amount_in: undefined,
      slippage_bps: undefined,
      amount_out: "1000",
      maximum_in: "77000000000000",
    });
    expect(output.body.permit_typed_data.message.value).toBe("77000000000000");
  });

  test("C7-23 refuses a permit of another key, amount, spender, nonce, chain or token", async () => {
    const typed = await offer();
    const others = {
      "another key": [typed, stranger],
      "a larger amount": [change(typed, { value: amount + 1n }), trader],
      "no limit": [change(typed, { value: 2n ** 256n - 1n }), trader],
      "a smaller amount": [change(typed, { value: amount - 1n }), trader],
      "another spender": [change(typed, { spender: stranger.address }), trader],
      "another owner": [change(typed, { owner: stranger.address }), trader],
      "the next nonce": [change(typed, { nonce: 1n }), trader],
      "another chain": [change(typed, {}, 1), trader],
      "another token": [change(typed, {}, undefined, stack.manifest.wrapped_native.address as Hex), trader],
    } as Record<string, [TypedData, Wallet]>;
    for (const [changed, signer] of Object.values(others)) {
      await expectRefused(toPermit(changed, await sign(changed, signer)), "signature_invalid", "permit.signature");
    }
    // The right permit, for another sale than the intended one.
    const permit = toPermit(typed, await sign(typed));
    for (const amount_in of [`${amount - 1n}`, `${amount + 1n}`]) {
      await expectRefused(permit, "signature_invalid", "permit.signature", { amount_in });
    }
  });

  test("C7-23 refuses malleable and malformed signatures", async () => {
    const typed = await offer();
    const signature = await sign(typed);
    const { r, s, yParity } = parseSignature(signature);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = `${r}${(order - BigInt(s)).toString(16).padStart(64, "0")}${yParity === 0 ? "1c" : "1b"}`;
    for (const bad of [high, `${signature.slice(0, -2)}1d`, `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`]) {
      await expectRefused(toPermit(typed, bad), "signature_invalid", "permit.signature");
    }
    for (const bad of ["0x", signature.slice(0, -2), `${signature}00`]) {
      const { status, body } = await ask({ permit: toPermit(typed, bad) });
      expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "permit.signature"]);
    }
    // The same signature in the form that some signers return.
    const low = `${signature.slice(0, -2)}0${yParity}`;
    expect((await ask({ permit: toPermit(typed, low) })).body.calls).toHaveLength(1);
  });

  test("C7-23 refuses a deadline beyond what was given, and one that ends before the transaction", async () => {
    const typed = await offer();
    const far = change(typed, { deadline: BigInt(typed.message.deadline!) + 3_600n });
    await expectRefused(toPermit(far, await sign(far)), "signature_invalid", "permit.deadline");
    const near = change(typed, { deadline: BigInt(typed.message.deadline!) - 1_800n + 30n });
    await expectRefused(toPermit(near, await sign(near)), "quote_expired", "permit.deadline");
    const past = change(typed, { deadline: 1n });
    await expectRefused(toPermit(past, await sign(past)), "quote_expired", "permit.deadline");
  });

  test("C7-23 a wallet with code is offered none, and its own signature is refused", async () => {
    const typed = await offer(delegated);
    const permit = toPermit(typed, await sign(typed, delegated));
    expect((await ask({ permit }, delegated)).status).toBe(200);
    const wallet = await createDelegatedWallet(stack, delegated);
    await wallet.delegate();
    const { status, body } = await ask({ permit }, delegated);
    expect([status, body.error.code, body.error.field]).toEqual([422, "signature_invalid", "permit"]);
    const batch = await ask({}, delegated);
    expect([batch.body.permit_typed_data, batch.body.calls.length]).toEqual([null, 2]);
  });

  test("C7-23 a permit of a buy is refused: the wrapped native asset has none that was offered", async () => {
    const { status, body } = await ask({
      side: "buy",
      receive: undefined,
      amount_in: "1000",
      permit: { deadline: 2_000_000_000, signature: `0x${"1".repeat(130)}` },
    });
    expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "permit"]);
  });

  test("C7-23 a token whose name is no text has no permit that can be signed, and is sold by its approval", async () => {
    const splitter = await deploySplitter(stack, creator);
    const toBrokenUtf8 = (data: Hex) => data.replace("41".repeat(8), `fffe${"41".repeat(6)}`);
    const nameless = launchedToken(await sendLaunch(stack, creator, splitter, { name: "A".repeat(8) }, toBrokenUtf8));
    await untilIndexed(stack, nameless);
    const buy = { token: nameless, side: "buy", receive: undefined, pay: "native", amount_in: `${10n ** 15n}` };
    await sendWithViem(stack, await ask(buy), trader);
    const { status, body } = await ask({ token: nameless });
    expect([status, body.permit_typed_data, body.calls.length]).toEqual([200, null, 2]);
    const permit = { deadline: body.expires_at + 600, signature: `0x${"1".repeat(128)}1b` };
    await expectRefused(permit, "signature_invalid", "permit", { token: nameless });
  });
});

describe("C7-24", () => {
  test("C7-24 a permit that a stranger submits before the transaction does not stop the sell", async () => {
    const typed = await offer();
    const signature = await sign(typed);
    const answer = await ask({ permit: toPermit(typed, signature) });
    await submitPermit(typed, signature);
    const receipt = await sendWithViem(stack, answer, trader);
    expect(receipt.status).toBe("success");
    expect(await allowance()).toBe(0n);
  });

  test("C7-24 a permit that a stranger submitted before the request is accepted while its allowance lasts", async () => {
    const typed = await offer();
    const permit = toPermit(typed, await sign(typed));
    await submitPermit(typed, permit.signature as Hex);
    const answer = await ask({ permit });
    expect([answer.status, answer.body.calls.length]).toEqual([200, 1]);
    expect((await sendWithViem(stack, answer, trader)).status).toBe("success");
    expect(await allowance()).toBe(0n);
    await expectRefused(permit, "signature_invalid", "permit.signature");
  });

  test("C7-24 a nonce that another permit used up refuses the older one, and a new one is offered", async () => {
    const typed = await offer();
    const permit = toPermit(typed, await sign(typed));
    const other = change(typed, { value: 5n });
    await submitPermit(other, await sign(other));
    await expectRefused(permit, "signature_invalid", "permit.signature");
    const fresh = await offer();
    expect(BigInt(fresh.message.nonce!)).toBe(BigInt(typed.message.nonce!) + 1n);
    const answer = await ask({ permit: toPermit(fresh, await sign(fresh)) });
    expect((await sendWithViem(stack, answer, trader)).status).toBe("success");
  });

  test("C7-24 an allowance that is taken back before the transaction is permitted again by it", async () => {
    await approve(amount);
    const typed = change(await offerAnyway(), {});
    const answer = await ask({ permit: toPermit(typed, await sign(typed)) });
    await approve(0n);
    expect((await sendWithViem(stack, answer, trader)).status).toBe("success");
  });
});

/** The permit of a sale whose allowance already exists: the service offers none. */
async function offerAnyway(): Promise<TypedData> {
  const { body } = await ask();
  expect(body.permit_typed_data).toBeNull();
  const block = await rpcRequest<{ timestamp: Hex }>(stack.chain.rpcUrl, "eth_getBlockByNumber", ["latest", false]);
  const nonce = await stack.deps.chain.client.readContract({
    address: token,
    abi: permitAbi,
    functionName: "nonces",
    args: [trader.address],
  });
  const deadline = getIssueTime(body, block) + 1_800n;
  const terms = { owner: trader.address, spender: router, value: amount, nonce, deadline };
  return permitTypedData(terms, token, { name: "Tin Boat", version: "1" }, stack.manifest.chain_id);
}

async function submitPermit(typed: TypedData, signature: Hex): Promise<void> {
  const { owner, spender, value, deadline } = typed.message;
  const { r, s, yParity } = parseSignature(signature);
  const args = [owner as Hex, spender as Hex, BigInt(value!), BigInt(deadline!), 27 + yParity, r, s] as const;
  const data = encodeFunctionData({ abi: permitAbi, functionName: "permit", args });
  expect((await sendRaw(stack, stranger, { to: token, data })).status).toBe("success");
}

async function approve(value: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: permitAbi, functionName: "approve", args: [router, value] });
  await sendRaw(stack, trader, { to: token, data });
}

const allowance = () =>
  stack.deps.chain.client.readContract({
    address: token,
    abi: permitAbi,
    functionName: "allowance",
    args: [trader.address, router],
  });
