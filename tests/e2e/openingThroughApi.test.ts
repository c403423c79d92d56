import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { openingAbi } from "@slipway/protocol/contracts/opening";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { openingDeposits, openingList } from "@slipway/protocol/openings";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOpeningActions } from "../support/openings/openingActions.ts";
import { randomSalt, sendRaw, sendWithEthers, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, ...others] = wallets as [Wallet, ...Wallet[]];
const depositors = others.slice(0, 4);
const [anna, bob, carl, dora] = depositors as [Wallet, Wallet, Wallet, Wallet];
const stranger = others[5]!;
const ether = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
});

const {
  readTime,
  readNative,
  readTokens,
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
  code,
  claim,
} = createOpeningActions(() => stack);

describe("an opening at one price", () => {
  test("C7-96 launches for four depositors at one price, and pays each its tokens and the rest of its deposit", async () => {
    const { intentId, opening } = await createOpening(2n * ether, 3n * ether);
    await deposit(opening, anna, ether);
    expect(code(await authorize(opening))).toEqual([422, "opening_not_ready", undefined]);
    await deposit(opening, bob, ether / 2n);
    await deposit(opening, bob, ether / 2n);
    // Without the service: a plain transfer.
    await sendRaw(stack, carl, { to: opening as Hex, value: 2n * ether });
    await deposit(opening, dora, 1n);
    const total = 4n * ether + 1n;
    await untilShown(opening, { status: "ready", total: total.toString(), depositors: 4 });
    const shown = await getOpening(opening, bob.address);
    expect(shown.if_opened_now.spent).toBe((3n * ether).toString());
    expect(shown.account).toMatchObject({ deposit: ether.toString(), claimable_tokens: "0", claimable_refund: "0" });
    const { body: list } = await stack.call("GET", `/openings/${opening}/deposits?account=${bob.address}&limit=1`);
    expect(openingDeposits.parse(list)).toEqual(list);
    expect(list.items.map(({ amount }: any) => amount)).toEqual([(ether / 2n).toString()]);
    const next = `/openings/${opening}/deposits?account=${bob.address}&cursor=${list.next_cursor}`;
    expect((await stack.call("GET", next)).body).toMatchObject({
      items: [{ account: bob.address }],
      next_cursor: null,
    });

    expect(code(await authorize(opening, { value: (3n * ether + 1n).toString() }))).toEqual([
      ...[422, "opening_value_out_of_range", "value"],
    ]);
    const offer = await authorize(opening, { intent_id: intentId });
    expect([offer.status, offer.body.status, offer.body.value]).toEqual([
      ...[200, "signature_required", (3n * ether).toString()],
    ]);
    const { message } = offer.body.typed_data;
    expect(message).toMatchObject({ creator: creator.address, buy: { recipient: opening }, value: offer.body.value });
    expect(message.deadline).toBe(String(shown.deadline));
    const forged = await stranger.account.signTypedData(offer.body.typed_data);
    expect(code(await prepareOpen(opening, stranger, offer.body, forged))).toEqual([
      ...[422, "signature_invalid", "signature"],
    ]);
    const launch = await prepareOpen(opening, stranger, offer.body, await sign(offer.body));
    expect([launch.status, launch.body.error]).toEqual([200, undefined]);
    const { token, amount_out } = launch.body.expected;
    // The price that everybody was shown: exact, or lower in the last digits by the order of the pool's tokens.
    expect(BigInt(amount_out)).toBeGreaterThanOrEqual(BigInt(shown.if_opened_now.bought));
    expect(BigInt(amount_out) - BigInt(shown.if_opened_now.bought)).toBeLessThan(10n ** 9n);
    expect(code(await prepareOpen(opening, stranger, { ...offer.body, value: "1" }, "0x12"))).toEqual([
      ...[422, "opening_value_out_of_range", undefined],
    ]);
    await sendWithEthers(stack, launch, stranger);
    await untilIndexed(stack, token);
    expect(await readTokens(token, opening)).toBe(BigInt(amount_out));
    await untilShown(opening, { status: "opened", token, opened: { spent: offer.body.value, bought: amount_out } });
    const { body: holders } = await stack.call("GET", `/tokens/${token}/holders`);
    const held = holders.items.find(({ address }: any) => address === opening);
    expect([held?.label, held?.amount]).toEqual(["opening", amount_out]);
    expect(code(await prepareDeposit(opening, anna, 1n))).toEqual([422, "opening_closed", undefined]);
    expect(code(await authorize(opening))).toEqual([422, "opening_closed", undefined]);

    await moveTime((await readTime()) + 2);
    const spent = 3n * ether;
    for (const [wallet, amount] of [
      [anna, ether],
      [bob, ether],
      [carl, 2n * ether],
      [dora, 1n],
    ] as const) {
      const part = { tokens: (BigInt(amount_out) * amount) / total, refund: (amount * (total - spent)) / total };
      await expect
        .poll(async () => (await getOpening(opening, wallet.address)).account)
        .toMatchObject({ claimable_tokens: part.tokens.toString(), claimable_refund: part.refund.toString() });
      expect(await claim(opening, wallet, token)).toEqual(part);
      expect((await prepareClaim(opening, wallet)).body.status).toBe("nothing_to_do");
    }
    await untilShown(opening, { status: "done", depositors: 4 });
    const { body: mine } = await stack.call("GET", `/openings?depositor=${dora.address}&status=done`);
    expect(openingList.parse(mine)).toEqual(mine);
    expect(mine.items.map(({ address }: any) => address)).toEqual([opening]);
    expect((await stack.call("GET", `/openings?token=${token}`)).body.items).toHaveLength(1);
    const { body: detail } = await stack.call("GET", `/tokens/${token}`);
    expect(detail.recipients).toMatchObject([{ wallet: creator.address, provider: "wallet" }]);
  });

  test("shares tokens of a signed launch that another account sends without the opening, and refunds everything", async () => {
    const { opening } = await createOpening(ether, 2n * ether);
    await deposit(opening, anna, ether);
    await deposit(opening, bob, ether);
    const { body: offer } = await authorize(opening);
    const { creator: by, params, buy, value, deadline } = offer.typed_data.message;
    const args = [by, params, { ...buy, minimumOut: BigInt(buy.minimumOut) }, BigInt(value), BigInt(deadline)] as const;
    const data = encodeCall({
      abi: launchFactoryAbi,
      functionName: "launchFor",
      args: [...args, await sign(offer)] as never,
    });
    const factory = stack.manifest.current.launch_factory.address as Hex;
    expect((await sendRaw(stack, stranger, { to: factory, data, value: BigInt(value) })).status).toBe("success");
    const { token, amount_out } = offer.expected;
    await untilShown(opening, { status: "ready", other_launch: token });
    // A second launch would leave the arrived tokens in the opening.
    expect(code(await authorize(opening))).toEqual([422, "opening_closed", undefined]);
    const close = await stack.call("POST", `/openings/${opening}/close/transactions`, { wallet: stranger.address });
    expect([close.status, close.body.action, close.body.expected]).toEqual([200, "close_opening", { opening, token }]);
    await sendWithEthers(stack, close, stranger);
    await untilShown(opening, { status: "refunding", token, opened: null, other_launch: null });
    const again = await stack.call("POST", `/openings/${opening}/close/transactions`, { wallet: stranger.address });
    expect(again.body.status).toBe("nothing_to_do");
    await moveTime((await readTime()) + 2);
    const half = { tokens: BigInt(amount_out) / 2n, refund: ether };
    expect(await claim(opening, anna, token)).toEqual(half);
    expect(await claim(opening, bob, token)).toEqual(half);
    await untilShown(opening, { status: "done" });
  });

  test("can be closed by anyone when the creator launches without it", async () => {
    const { intentId, opening } = await createOpening(ether, ether);
    await deposit(opening, anna, ether / 4n);
    const early = await stack.call("POST", `/openings/${opening}/close/transactions`, { wallet: stranger.address });
    expect(code(early)).toEqual([422, "opening_not_launched", undefined]);
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
    const { token } = launch.body.expected;
    await untilShown(opening, { other_launch: token, status: "open" });
    expect(code(await prepareDeposit(opening, bob, 1n))).toEqual([422, "opening_closed", undefined]);
    const close = await stack.call("POST", `/openings/${opening}/close/transactions`, { wallet: anna.address });
    await sendWithEthers(stack, close, anna);
    await untilShown(opening, { status: "refunding", token });
    await moveTime((await readTime()) + 2);
    expect(await claim(opening, anna, token)).toEqual({ tokens: 0n, refund: ether / 4n });
  });

  test("refuses terms that the factory refuses, and drafts whose launch would fail", async () => {
    const intent_id = await storeDraft(stack, { name: "Tin Raft" });
    const deadline = (await readTime()) + 3_600;
    const terms = { intent_id, wallet: creator.address, minimum: "1", cap: "2", deadline };
    const ask = async (more: object) => code(await stack.call("POST", "/openings/transactions", { ...terms, ...more }));
    expect(await ask({})).toEqual([422, "splitter_not_deployed", "intent_id"]);
    expect(await ask({ minimum: "3" })).toEqual([422, "invalid_fields", "minimum"]);
    expect(await ask({ cap: (10n ** 24n + 1n).toString() })).toEqual([422, "invalid_fields", "cap"]);
    expect(await ask({ deadline: 1_000_000 })).toEqual([422, "invalid_fields", "deadline"]);
    expect(await ask({ deadline: deadline + 31 * 86_400 })).toEqual([422, "invalid_fields", "deadline"]);
    await stack.call("PUT", `/intents/${intent_id}/options`, { initial_buy: { amount_in: "1", slippage_bps: 1 } });
    expect(await ask({})).toEqual([422, "invalid_fields", "intent_id"]);
    await stack.call("PUT", `/intents/${intent_id}/options`, { creator: anna.address });
    expect(await ask({})).toEqual([422, "invalid_fields", "wallet"]);
    const unknown = `/openings/${anna.address}`;
    expect(code(await stack.call("GET", unknown))).toEqual([404, "opening_not_indexed", undefined]);
    expect(code(await stack.call("GET", `${unknown}/deposits`))).toEqual([404, "opening_not_indexed", undefined]);
    expect(code(await authorize(anna.address))).toEqual([404, "opening_not_indexed", "address"]);
    expect(code(await prepareClaim(anna.address, bob))).toEqual([404, "opening_not_indexed", "address"]);
  });

  test("C7-98 a deposit that a reorganisation removes disappears, with its sums", async () => {
    const { opening } = await createOpening(ether, ether);
    await deposit(opening, anna, ether / 4n);
    await untilShown(opening, { total: (ether / 4n).toString(), depositors: 1 });
    const snapshot = await rpcRequest(stack.chain.rpcUrl, "evm_snapshot", []);
    await deposit(opening, bob, ether / 4n);
    await untilShown(opening, { total: (ether / 2n).toString(), depositors: 2 });
    await rpcRequest(stack.chain.rpcUrl, "evm_revert", [snapshot]);
    await rpcRequest(stack.chain.rpcUrl, "anvil_mine", ["0x4"]);
    await untilShown(opening, { total: (ether / 4n).toString(), depositors: 1 });
    const { body } = await stack.call("GET", `/openings/${opening}/deposits`);
    expect(body.items.map(({ account }: any) => account)).toEqual([anna.address]);
    expect((await getOpening(opening, bob.address)).account.deposit).toBe("0");
  });

  test("C7-97 a wallet can verify every prepared result, and refuses each changed part", async () => {
    const { intentId, opening } = await createOpening(ether, 2n * ether);
    const { body: draft } = await stack.call("GET", `/intents/${intentId}`);
    const terms = { minimum: "5", cap: "7", deadline: (await readTime()) + 7_200 };
    const creation = { intent_id: intentId, wallet: creator.address, ...terms };
    const { body: created } = await stack.call("POST", "/openings/transactions", creation);
    const ordered = { operation: "prepareOpening", request: creation, draft } as const;
    expect(findFaults(created, ordered)).toEqual([]);
    expect(findFaults(created, { ...ordered, request: { ...creation, cap: "8" } })).toContain("creation");
    const otherDraft = { ...draft, intent: { ...draft.intent, name: "Tin Ship" } };
    expect(findFaults(created, { ...ordered, draft: otherDraft })).toContain("creation");
    expect(findFaults({ ...created, expected: { opening: anna.address } }, ordered)).toContain("opening");

    const shown = await getOpening(opening);
    const request = { wallet: anna.address, amount: ether.toString() };
    const { body: deposited } = await prepareDeposit(opening, anna, ether);
    const order = { operation: "prepareOpeningDeposit", request, opening: shown } as const;
    expect(findFaults(deposited, order)).toEqual([]);
    expect(findFaults(deposited, { ...order, request: { ...request, amount: "1" } })).toContain("calls");
    expect(findFaults(deposited, { ...order, request: { ...request, wallet: bob.address } })).toContain("calls");
    const moved = { ...deposited, transaction: { ...deposited.transaction, to: bob.address } };
    expect(findFaults(moved, order)).toContain("calls");
    // A service that shows other terms than those of the contract at the address.
    for (const changed of [{ creator: bob.address }, { minimum: "1" }, { cap: "9" }, { deadline: 1 }]) {
      expect(findFaults(deposited, { ...order, opening: { ...shown, ...changed } })).toEqual(["opening_terms"]);
    }
    const renamed = { ...shown, params: { ...shown.params, name: "Gold Boat" } };
    expect(findFaults(deposited, { ...order, opening: renamed })).toEqual(["opening_terms"]);

    await deposit(opening, anna, ether);
    const { body: offer } = await authorize(opening);
    const signing = { operation: "authorizeOpening", request: { wallet: creator.address }, opening: shown } as const;
    expect(findFaults(offer, signing)).toEqual([]);
    const change = (message: object) =>
      findFaults(
        { ...offer, typed_data: { ...offer.typed_data, message: { ...offer.typed_data.message, ...message } } },
        signing,
      );
    const { buy, params } = offer.typed_data.message;
    expect(change({ buy: { ...buy, recipient: bob.address } })).toEqual(["recipient"]);
    expect(change({ buy: { ...buy, minimumOut: "1" } })).toEqual(["minimum_out"]);
    expect(change({ deadline: "99999999999" })).toEqual(["signature_deadline"]);
    expect(change({ epoch: "7" })).toEqual(["epoch"]);
    expect(change({ creator: bob.address })).toEqual(["creator"]);
    expect(change({ params: { ...params, splitter: bob.address } })).toContain("params");
    expect(change({ value: (3n * ether).toString() })).toContain("value");

    const signature = await sign(offer);
    const launch = await prepareOpen(opening, stranger, offer, signature);
    const open = { wallet: stranger.address, value: offer.value, salt: offer.salt, signature };
    const opened = { operation: "prepareOpeningLaunch", request: open, opening: shown } as const;
    expect(findFaults(launch.body, opened)).toEqual([]);
    expect(findFaults(launch.body, { ...opened, request: { ...open, value: "1" } })).toContain("calls");

    const { body: none } = await prepareClaim(opening, anna);
    const claimed = { operation: "prepareOpeningClaim", request: { wallet: anna.address }, opening: shown } as const;
    expect(findFaults(none, claimed)).toEqual([]);
  });

  // Last, because it moves the chain's time past the service's clock.
  test("refunds everything after the deadline when the minimum is not reached", async () => {
    const { opening, deadline } = await createOpening(5n * ether, 6n * ether, 3_600);
    await deposit(opening, anna, ether);
    await deposit(opening, bob, 2n * ether);
    await untilShown(opening, { total: (3n * ether).toString() });
    expect((await prepareClaim(opening, anna)).body.status).toBe("nothing_to_do");
    await moveTime(deadline + 1);
    await untilShown(opening, { status: "refunding", if_opened_now: null, seconds_left: 0 });
    expect(code(await prepareDeposit(opening, carl, 1n))).toEqual([422, "opening_expired", undefined]);
    expect(await claim(opening, anna, null)).toEqual({ tokens: 0n, refund: ether });
    const before = await readNative(dora.address);
    const own = await prepareClaim(opening, bob, { to: dora.address });
    await sendWithEthers(stack, own, bob);
    expect((await readNative(dora.address)) - before).toBe(2n * ether);
    await untilShown(opening, { status: "done" });
    expect(await readNative(opening)).toBe(0n);
    const deposited = await stack.deps.chain.client.readContract({
      address: opening as Hex,
      abi: openingAbi,
      functionName: "total",
    });
    expect(deposited).toBe(3n * ether);
  });
});
