import { concatHex, type Hex, keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchToken, randomSalt, storeDraft, wallets } from "../support/security/actors.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];
const receiver: Hex = "0x00000000000000000000000000000000000c0de5";
/** Returns a mebibyte to every call: more than a contract may contain, and more than a read accepts. */
const returnsMuch: Hex = "0x6000600052620fffff6000f3";

let stack: TestStack;
let token: Hex;
beforeAll(async () => {
  stack = await startTestStack();
  ({ token } = await launchToken(stack, creator));
});
afterAll(async () => {
  await stack?.close();
});

const setCode = (code: Hex) => stack.deps.chain.request({ method: "anvil_setCode", params: [receiver, code] });

const buy = (more: object = {}) =>
  stack.call("POST", "/trade/calls", {
    token,
    wallet: trader.address,
    side: "buy",
    pay: "native",
    amount_in: "1000000000000000",
    slippage_bps: 100,
    ...more,
  });

async function launch(draft: Record<string, unknown>, options: object): Promise<Answer> {
  const intent_id = await storeDraft(stack, draft);
  await stack.call("PUT", `/intents/${intent_id}/options`, options);
  const body = { intent_id, wallet: trader.address, splitter: null, salt: randomSalt() };
  return await stack.call("POST", "/launch/calls", body);
}

/** Every request with a receiver, whose code is then read. */
const requests: Record<string, () => Promise<Answer>> = {
  "the recipient of a trade": () => buy({ recipient: receiver }),
  "a payout": () =>
    stack.call("POST", "/fees/payout-transactions", { token, wallet: creator.address, payout: receiver }),
  "the recipient of an initial buy": () =>
    launch({}, { initial_buy: { amount_in: "1000000000000000", slippage_bps: 100, recipient: receiver } }),
  "a recipient of a draft": () =>
    launch({ recipients: [{ provider: "wallet", wallet: receiver, share_bps: 10_000 }] }, {}),
};

describe("C7-55 the code of a receiver", () => {
  test.each(Object.keys(requests))("C7-55 that returns too much disturbs no answer about %s", async (name) => {
    await setCode(returnsMuch);
    const { status, body } = await requests[name]!();
    expect([status, body.error?.message]).toEqual([200, undefined]);
    expect(body.warnings.map(({ code }: { code: string }) => code)).toContain("recipient_is_contract");
  });

  test("C7-55 that behaves differently in each read does not change how the service reads the chain", async () => {
    const blockReader: Hex = `0x${keccak256(stringToHex("slipway.block-reader")).slice(-40)}`;
    // Returns too much if the reader of the block has code: push20 extcodesize push1 jumpi stop jumpdest.
    await setCode(concatHex(["0x73", blockReader, "0x3b601a57005b", returnsMuch]));
    for (let round = 0; round < 4; round++) {
      for (const name of Object.keys(requests)) expect([name, (await requests[name]!()).status]).toEqual([name, 200]);
    }
    expect(stack.deps.chain.simulationSupport.failedOverrides).toBe(0);
  });
});
