import type { Wallet } from "@slipway/dev/chain/wallets";
import { type Hex, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomSalt, sendRaw, sendWithViem, storeDraft, wallets } from "../support/security/actors.ts";
import { createSequentialWallet } from "../support/security/batchWallets.ts";
import { createSafeWallet } from "../support/security/safeWallet.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, sender, attacker, other] = wallets as [Wallet, Wallet, Wallet, Wallet];

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
});
afterAll(async () => {
  await stack?.close();
});

type Request = { intent_id: string; wallet: string; splitter: string | null; salt: string };

const ask = (body: object) => stack.call("POST", "/launch/calls", body);
const prepareCancellation = (wallet: string) => stack.call("POST", "/launch/cancel/transactions", { wallet });

/** Stores a draft of a creator, and returns the request of another wallet for its launch. */
async function createRequest(by: string): Promise<Request> {
  const intentId = await storeDraft(stack);
  expect((await stack.call("PUT", `/intents/${intentId}/options`, { creator: by })).status).toBe(200);
  return { intent_id: intentId, wallet: sender.address, splitter: null, salt: randomSalt() };
}

async function offer(request: Request): Promise<any> {
  const { body } = await ask(request);
  expect(body.status).toBe("signature_required");
  return body.typed_data;
}

const authorize = ({ message }: any, signature: Hex) => ({
  deadline: Number(message.deadline),
  epoch: Number(message.epoch),
  signature,
});
const signBy = async (wallet: Wallet, typed: any) => authorize(typed, await wallet.account.signTypedData(typed));
const getCode = ({ status, body }: Answer) => [status, body.error?.code, body.error?.field];

describe("C7-70", () => {
  test("C7-70 a cancelled authorization is refused, its prepared launch fails on the chain, and a new one launches", async () => {
    const request = await createRequest(creator.address);
    const typed = await offer(request);
    const authorization = await signBy(creator, typed);
    const prepared = await ask({ ...request, authorization });
    expect(prepared.body.status).toBe("ready");

    const cancellation = await prepareCancellation(creator.address);
    expect(cancellation.body).toMatchObject({ action: "cancel_launches", status: "ready", simulation: { ok: true } });
    expect((await sendWithViem(stack, cancellation, creator)).status).toBe("success");

    const refused = await ask({ ...request, authorization });
    expect(getCode(refused)).toEqual([422, "authorization_cancelled", "authorization.epoch"]);
    expect(refused.body.error.details).toMatchObject({ epoch: "0", current_epoch: "1" });
    expect([refused.body.calls, refused.body.transaction]).toEqual([undefined, undefined]);
    // Without its epoch, and with an epoch that was not signed, the signature is invalid.
    const { epoch: _, ...withoutEpoch } = authorization;
    for (const changed of [withoutEpoch, { ...authorization, epoch: 1 }]) {
      const answer = await ask({ ...request, authorization: changed });
      expect(getCode(answer)).toEqual([422, "signature_invalid", "authorization.signature"]);
    }
    const receipts = [];
    for (const { to, data, value } of prepared.body.calls) {
      receipts.push(await sendRaw(stack, sender, { to, data, value: BigInt(value) }));
    }
    expect(receipts.at(-1)!.status).toBe("reverted");

    const next = await offer(request);
    expect(next.message.epoch).toBe("1");
    const launch = await ask({ ...request, authorization: await signBy(creator, next) });
    expect(launch.body.status).toBe("ready");
    await createSequentialWallet(stack, sender).sendOneByOne(launch.body);
    expect(await stack.deps.chain.client.getCode({ address: launch.body.expected.token })).toBeDefined();
  });

  test("C7-70 only the creator cancels its launches: the cancellation of another wallet changes nothing", async () => {
    const request = await createRequest(other.address);
    const authorization = await signBy(other, await offer(request));
    await sendWithViem(stack, await prepareCancellation(attacker.address), attacker);
    const { body } = await prepareCancellation(other.address);
    const { to, data } = body.transaction;
    await sendRaw(stack, attacker, { to, data });
    expect((await ask({ ...request, authorization })).body.status).toBe("ready");
  });

  test("C7-70 a wallet of several owners cancels what its owners signed", async () => {
    const safe = await createSafeWallet(stack, [creator, other], 2, sender);
    const request = await createRequest(safe.address);
    const typed = await offer(request);
    const authorization = authorize(typed, await safe.sign(typed));
    expect((await ask({ ...request, authorization })).body.status).toBe("ready");
    const { body } = await prepareCancellation(safe.address);
    await safe.send({ to: body.transaction.to, data: body.transaction.data });
    const refused = await ask({ ...request, authorization });
    expect(getCode(refused)).toEqual([422, "authorization_cancelled", "authorization.epoch"]);
  });

  test("C7-70 an authorization is valid for twenty minutes", async () => {
    const askedAt = Math.floor(Date.now() / 1_000);
    const typed = await offer(await createRequest(creator.address));
    const block = await stack.deps.chain.client.getBlock();
    const earliest = Math.max(askedAt, Number(block.timestamp)) + 1_200;
    expect(Number(typed.message.deadline)).toBeGreaterThanOrEqual(earliest);
    expect(Number(typed.message.deadline)).toBeLessThanOrEqual(earliest + (Date.now() / 1_000 - askedAt));
  });
});

describe("C7-71", () => {
  test("C7-71 a launch that its creator signs takes only the splitter of the factory, whose address determines the recipients", async () => {
    const request = await createRequest(creator.address);
    const split = await stack.call("POST", "/splits/transactions", {
      intent_id: request.intent_id,
      wallet: attacker.address,
    });
    const { splitter } = split.body.expected;
    // Before and after its creation: the account that sends it could have created another splitter there.
    for (const isCreated of [false, true]) {
      if (isCreated) await sendWithViem(stack, split, attacker);
      const refused = await ask({ ...request, splitter });
      expect(getCode(refused)).toEqual([422, "splitter_mismatch", "splitter"]);
    }
    const typed = await offer(request);
    const made = await ask({ ...request, splitter: typed.message.params.splitter });
    expect(getCode(made)).toEqual([422, "splitter_not_deployed", "splitter"]);
    // The creator itself may use the splitter of a creation transaction, because no signature names it in advance.
    const own = await ask({ ...request, wallet: creator.address, splitter });
    expect(own.body.status).toBe("ready");
  });

  test("C7-71 the factory refuses a signed launch with the splitter of a creation transaction", async () => {
    const request = await createRequest(creator.address);
    const { body } = await ask({ ...request, authorization: await signBy(creator, await offer(request)) });
    const launch = body.calls.at(-1);
    expect(launch.data.slice(0, 10)).toBe(
      toFunctionSelector(
        "launchFor(address,(string,string,string,address,bytes32,address,uint16),(address,uint256),uint256,uint256,bytes)",
      ),
    );
    // Without the call that makes the splitter, the factory has no record of it.
    const { status } = await sendRaw(stack, sender, { to: launch.to, data: launch.data });
    expect(status).toBe("reverted");
    await createSequentialWallet(stack, sender).sendOneByOne(body);
    expect(await stack.deps.chain.client.getCode({ address: body.expected.token })).toBeDefined();
  });
});
