import type { Wallet } from "@slipway/dev/chain/wallets";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOpeningActions } from "../support/openings/openingActions.ts";
import { randomSalt, sendWithEthers, wallets } from "../support/security/actors.ts";
import { type Account, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, anna, bob] = wallets as [Wallet, Wallet, Wallet];
const stranger = wallets[6]!;
const ether = 10n ** 18n;

let stack: TestStack;
let admin: Account;
beforeAll(async () => {
  stack = await startTestStack();
  admin = await stack.createAccount("operator", ["admin"]);
});
afterAll(async () => {
  await stack?.close();
});

const {
  readTime,
  moveTime,
  getOpening,
  untilShown,
  findFaults,
  createOpening,
  prepareDeposit,
  deposit,
  authorize,
  prepareOpen,
  prepareClaim,
  sign,
  claim,
} = createOpeningActions(() => stack);

/** Blocks an opening over the API. */
async function block(opening: string): Promise<void> {
  const body = { blocked: true, reason: "A test blocks it." };
  const answer = await stack.call("PATCH", `/api/admin/openings/${opening}`, body, admin);
  expect([answer.status, answer.body]).toMatchObject([200, { kind: "opening", blocked: true }]);
  await untilShown(opening, { blocked: true, name: "", symbol: "" });
}

describe("a blocked opening", () => {
  test("C5-75 takes deposits, launches, and pays each depositor; a wallet can verify every step", async () => {
    const { opening } = await createOpening(ether, 2n * ether);
    await deposit(opening, anna, ether);
    await block(opening);
    await deposit(opening, bob, ether);
    await untilShown(opening, { status: "ready", total: (2n * ether).toString(), depositors: 2, blocked: true });
    const shown = await getOpening(opening);
    const request = { wallet: bob.address, amount: "5" };
    const { body: prepared } = await prepareDeposit(opening, bob, 5n);
    expect(findFaults(prepared, { operation: "prepareOpeningDeposit", request, opening: shown })).toEqual([]);
    const { body: offer } = await authorize(opening);
    const signing = { operation: "authorizeOpening", request: { wallet: creator.address }, opening: shown } as const;
    expect(findFaults(offer, signing)).toEqual([]);
    const { message } = offer.typed_data;
    const lie = (changed: object) => {
      const typed_data = { ...offer.typed_data, message: { ...message, params: { ...message.params, ...changed } } };
      return findFaults({ ...offer, typed_data }, signing);
    };
    for (const changed of [
      { name: "Gold Boat" },
      { splitter: stranger.address },
      { feeBps: 50 },
      { feeBps: 2 ** 20 },
    ]) {
      expect(lie(changed), JSON.stringify(changed)).toContain("params");
    }
    const other = { ...shown, params_hash: `0x${"5a".repeat(32)}` };
    expect(findFaults(prepared, { operation: "prepareOpeningDeposit", request, opening: other })).toEqual([
      "opening_terms",
    ]);
    const signature = await sign(offer);
    const launch = await prepareOpen(opening, stranger, offer, signature);
    const { value, salt } = offer;
    const open = { wallet: stranger.address, value, salt, signature };
    const opened = { operation: "prepareOpeningLaunch", request: open, opening: shown } as const;
    expect(findFaults(launch.body, opened)).toEqual([]);
    expect(findFaults(launch.body, { ...opened, request: { ...open, value: "1" } })).toContain("calls");
    expect(findFaults(launch.body, { ...opened, opening: other })).toContain("calls");
    await sendWithEthers(stack, launch, stranger);
    const { token, amount_out } = offer.expected;
    await untilShown(opening, { status: "opened", token, blocked: true });
    expect((await stack.call("GET", `/openings?token=${token}`)).body.items).toEqual([]);
    // The launched token is moderated by itself.
    expect((await stack.call("GET", `/tokens/${token}`)).body.name).toMatch(/^Tin Boat/);
    await moveTime((await readTime()) + 2);
    const { body: own } = await prepareClaim(opening, anna);
    const claimed = { operation: "prepareOpeningClaim", request: { wallet: anna.address }, opening: shown } as const;
    expect([own.status, findFaults(own, claimed)]).toEqual(["ready", []]);
    for (const wallet of [anna, bob]) {
      expect(await claim(opening, wallet, token)).toEqual({ tokens: BigInt(amount_out) / 2n, refund: 0n });
    }
    await untilShown(opening, { status: "done", blocked: true });
  });

  test("C5-75 can be closed when its token was launched without it, and refunds", async () => {
    const { intentId, opening } = await createOpening(ether, ether);
    await deposit(opening, anna, ether / 4n);
    await block(opening);
    const split = await stack.call("POST", "/splits/transactions", {
      intent_id: intentId,
      wallet: creator.address,
      method: "factory",
    });
    const launch = await stack.call("POST", "/launch/transactions", {
      intent_id: intentId,
      wallet: creator.address,
      splitter: split.body.expected.splitter,
      salt: randomSalt(),
    });
    await sendWithEthers(stack, launch, creator);
    await untilShown(opening, { other_launch: launch.body.expected.token, blocked: true });
    const close = await stack.call("POST", `/openings/${opening}/close/transactions`, { wallet: anna.address });
    const closing = {
      operation: "prepareOpeningClosing",
      request: { wallet: anna.address },
      opening: await getOpening(opening),
    } as const;
    expect(findFaults(close.body, closing)).toEqual([]);
    const other = { ...closing.opening, params_hash: `0x${"5a".repeat(32)}` };
    expect(findFaults(close.body, { ...closing, opening: other })).toEqual(expect.arrayContaining(["calls", "token"]));
    await sendWithEthers(stack, close, anna);
    await untilShown(opening, { status: "refunding", blocked: true });
    await moveTime((await readTime()) + 2);
    expect(await claim(opening, anna, launch.body.expected.token)).toEqual({ tokens: 0n, refund: ether / 4n });
    await untilShown(opening, { status: "done", blocked: true });
  });

  test("C5-75 refunds after the deadline", async () => {
    const { opening, deadline } = await createOpening(5n * ether, 6n * ether, 3_600);
    await deposit(opening, anna, ether);
    await block(opening);
    await moveTime(deadline + 1);
    await untilShown(opening, { status: "refunding", blocked: true });
    expect(await claim(opening, anna, null)).toEqual({ tokens: 0n, refund: ether });
  });
});
