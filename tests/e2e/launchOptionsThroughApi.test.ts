import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenAbi } from "@slipway/protocol/contracts/launchToken";
import { findLaunchTier } from "@slipway/protocol/feeTiers";
import { firstBuy } from "@slipway/protocol/firstBuy";
import { launchPosition } from "@slipway/protocol/launchPosition";
import { poolAbi, quoterAbi } from "@slipway/protocol/uniswap";
import { insertPreparedLaunch, loadDraft } from "@slipway/server/transactions/queries";
import { encodeFunctionData, type Hex, parseEventLogs, type TransactionReceipt } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { randomSalt, sendRaw, sendWithEthers, storeDraft, wallets } from "../support/security/actors.ts";
import { findSalt } from "../support/security/findSalt.ts";
import { createRandom } from "../support/security/random.ts";
import { type Answer, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, collector, partner] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
});

const isToken0 = (token: string) => BigInt(token) < BigInt(stack.manifest.wrapped_native.address);
const read = (address: string, abi: any, functionName: string, args: unknown[] = []): Promise<any> =>
  stack.deps.chain.client.readContract({ address: address as Hex, abi, functionName, args });

/** Stores a draft with options, and deploys its splitter. */
async function prepareDraft(options: object, feeBps = 100): Promise<{ intentId: string; splitter: Hex }> {
  const intentId = await storeDraft(stack, { fee_bps: feeBps });
  const put = await stack.call("PUT", `/intents/${intentId}/options`, options);
  expect([put.status, put.body.warnings]).toEqual([200, []]);
  const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
  await sendWithEthers(stack, split, creator);
  return { intentId, splitter: split.body.expected.splitter };
}

const prepareLaunch = ({ intentId, splitter }: { intentId: string; splitter: Hex }, salt = randomSalt()) =>
  stack.call("POST", "/launch/transactions", { intent_id: intentId, wallet: creator.address, splitter, salt });

/** Launches with the token on the wanted side of the wrapped native asset. */
async function launchOnSide(draft: { intentId: string; splitter: Hex }, wantsToken0: boolean) {
  const any = await prepareLaunch(draft);
  expect(any.status, JSON.stringify(any.body)).toBe(200);
  const answer = await prepareLaunch(draft, findSalt(stack, any, wantsToken0));
  expect(isToken0(answer.body.expected.token)).toBe(wantsToken0);
  return { answer, receipt: await sendWithEthers(stack, answer, creator) };
}

const getTier = (feeBps: number) => findLaunchTier(stack.manifest.current, feeBps)!;
const feeTiers = [100, 50, 30, 10];
const findEvent = (receipt: TransactionReceipt, eventName: "InitialBuy" | "Launched") =>
  parseEventLogs({ abi: launchFactoryAbi, logs: receipt.logs, eventName })[0]?.args as any;
const readDocument = async (token: string) => {
  const uri: string = await read(token, launchTokenAbi, "contractURI");
  return JSON.parse(Buffer.from(uri.split(",")[1]!, "base64").toString("utf8"));
};

describe("a launch with an initial buy", () => {
  test.each([true, false])(
    "gives exactly what was computed, to the base unit, for every amount (token is token0: %s)",
    async (wantsToken0) => {
      const random = createRandom(wantsToken0 ? 1 : 2);
      const amounts = [10n ** 9n, oneEther / 10n, oneEther, random.amount(1n, oneEther), 900n * oneEther];
      for (const [index, amount] of amounts.entries()) {
        const feeBps = feeTiers[index % 4]!;
        const draft = await prepareDraft({ initial_buy: { amount_in: amount.toString(), slippage_bps: 25 } }, feeBps);
        const { answer, receipt } = await launchOnSide(draft, wantsToken0);
        const { expected, transaction, warnings } = answer.body;
        const bought = findEvent(receipt, "InitialBuy");
        expect([receipt.status, BigInt(transaction.value), bought.amountIn]).toEqual(["success", amount, amount]);
        expect(bought.amountOut).toBe(BigInt(expected.amount_out));
        expect(BigInt(expected.minimum_out)).toBe((bought.amountOut * 9_975n) / 10_000n);
        expect(await read(expected.token, launchTokenAbi, "balanceOf", [creator.address])).toBe(bought.amountOut);
        const position = launchPosition(stack.manifest.current.start_tick, wantsToken0);
        const [sqrtPriceX96] = await read(expected.pool, poolAbi, "slot0");
        expect(firstBuy(position, getTier(feeBps), amount).sqrtPriceX96After).toBe(sqrtPriceX96);
        expect(warnings).toEqual([]);
      }
    },
  );

  test("pays another recipient, which is not the creator", async () => {
    const initial_buy = { amount_in: "5000", slippage_bps: 100, recipient: collector.address.toLowerCase() };
    const draft = await prepareDraft({ initial_buy });
    const answer = await prepareLaunch(draft);
    const receipt = await sendWithEthers(stack, answer, creator);
    const { token, amount_out } = answer.body.expected;
    expect(findEvent(receipt, "InitialBuy").recipient).toBe(collector.address);
    const holdings = [collector, creator].map(({ address }) => read(token, launchTokenAbi, "balanceOf", [address]));
    expect(await Promise.all(holdings)).toEqual([BigInt(amount_out), 0n]);
    const moved = answer.body.simulation.asset_changes.filter(({ from }: any) => from === creator.address);
    expect(moved.map(({ amount }: any) => amount)).toEqual(["5000"]);
  });
});

describe("the first buy of a pool", () => {
  test.each(feeTiers.flatMap((feeBps) => [true, false].map((side) => [feeBps, side] as const)))(
    "is computed as the quoter quotes it, up to more than the whole supply (%i bp, token is token0: %s)",
    async (feeBps, wantsToken0) => {
      const { token } = (await launchOnSide(await prepareDraft({}, feeBps), wantsToken0)).answer.body.expected;
      const random = createRandom(wantsToken0 ? 3 : 4);
      const position = launchPosition(stack.manifest.current.start_tick, wantsToken0);
      const amounts = Array.from({ length: 20 }, () => random.amount(1n, 10n ** 32n));
      for (const amountIn of [1n, 2n, 101n, 10n ** 17n, 10n ** 33n, 2n ** 128n - 1n, ...amounts]) {
        const params = {
          tokenIn: stack.manifest.wrapped_native.address,
          tokenOut: token,
          amountIn,
          fee: feeBps * 100,
          sqrtPriceLimitX96: 0n,
        };
        const [amountOut, sqrtPriceX96After] = (await read(
          stack.manifest.uniswap.quoter.address,
          [{ ...quoterAbi.find((entry) => (entry as any).name === "quoteExactInputSingle")!, stateMutability: "view" }],
          "quoteExactInputSingle",
          [params],
        )) as [bigint, bigint];
        expect(firstBuy(position, getTier(feeBps), amountIn), `${amountIn}`).toMatchObject({
          amountOut,
          sqrtPriceX96After,
        });
      }
    },
  );
});

describe("a launch with a partner", () => {
  test("has the share that the treasury registered, and warns of a partner without one", async () => {
    const draft = await prepareDraft({ partner: partner.address });
    const unregistered = await prepareLaunch(draft);
    expect(unregistered.body.warnings.map(({ code }: any) => code)).toEqual(["partner_not_registered"]);
    expect(findEvent(await sendWithEthers(stack, unregistered, creator), "Launched")).toMatchObject({
      partner: partner.address,
      partnerShareBps: 0,
    });
    await sendRaw(stack, getWallet("treasury"), {
      to: stack.manifest.current.launch_factory.address as Hex,
      data: encodeFunctionData({
        abi: launchFactoryAbi,
        functionName: "setPartnerShare",
        args: [partner.address, 2_000],
      }),
    });
    const registered = await prepareLaunch(draft);
    expect(registered.body.warnings.map(({ code }: any) => code)).not.toContain("partner_not_registered");
    expect(findEvent(await sendWithEthers(stack, registered, creator), "Launched")).toMatchObject({
      partner: partner.address,
      partnerShareBps: 2_000,
    });
  });
});

describe("the document of a launch with options", () => {
  test("has the banner and the links after all other fields, and is the same bytes without any", async () => {
    const draft = await prepareDraft({ links: {}, initial_buy: null });
    const salt = randomSalt();
    const withNulls = await prepareLaunch(draft, salt);
    await stack.deps.db.api.query("update app.intents set options = null where id = $1", [draft.intentId]);
    const without = await prepareLaunch(draft, salt);
    expect(withNulls.body.transaction.data).toBe(without.body.transaction.data);

    await stack.call("PUT", `/intents/${draft.intentId}/options`, {
      links: { website2: "https://Tin.Example/ü", x: "https://twitter.com/tin" },
      banner_uri: "https://cdn.example/banner.png",
    });
    const answer = await prepareLaunch(draft, salt);
    expect(answer.body.expected.token).not.toBe(without.body.expected.token);
    await sendWithEthers(stack, answer, creator);
    const document = await readDocument(answer.body.expected.token);
    expect(Object.keys(document)).toEqual([
      "name",
      "symbol",
      "description",
      "image",
      "external_link",
      "draft_commitment",
      "banner_image",
      "links",
    ]);
    expect([document.banner_image, JSON.stringify(document.links)]).toEqual([
      "https://cdn.example/banner.png",
      '{"x":"https://twitter.com/tin","website2":"https://tin.example/%C3%BC"}',
    ]);
  });
});

describe("options that are put after a launch was prepared", () => {
  const getCodes = ({ body }: Answer) => body.warnings.map(({ code }: any) => code);

  test("leave the prepared transaction as it was, and the draft says that it has other options", async () => {
    const draft = await prepareDraft({ initial_buy: { amount_in: "1000", slippage_bps: 100 } });
    const path = `/intents/${draft.intentId}`;
    const early = await prepareLaunch(draft);
    expect(getCodes(await stack.call("GET", path))).toEqual([]);
    const same = await stack.call("PUT", `${path}/options`, { initial_buy: { amount_in: "1000", slippage_bps: 100 } });
    expect(getCodes(same)).toEqual([]);
    const changed = await stack.call("PUT", `${path}/options`, {});
    expect(getCodes(changed)).toEqual(["options_changed"]);
    const later = await prepareLaunch(draft);
    expect([getCodes(later), later.body.transaction.value]).toEqual([["options_changed"], "0x0"]);
    const receipt = await sendWithEthers(stack, early, creator);
    expect(findEvent(receipt, "InitialBuy").amountIn).toBe(1_000n);
    expect(getCodes(await stack.call("GET", path))).toEqual(["options_changed"]);
  });
});

describe("options that are put while a launch is prepared", () => {
  test("are not the ones that the launch is recorded with, and the draft says so", async () => {
    const { db } = stack.deps;
    const draft = await prepareDraft({ initial_buy: { amount_in: "1000", slippage_bps: 100 } });
    const loaded = await loadDraft(db.api, stack.account.id, draft.intentId);
    await stack.call("PUT", `/intents/${draft.intentId}/options`, {});
    const { splitter } = draft;
    await insertPreparedLaunch(db.api, {
      token: randomSalt().slice(0, 42),
      intentId: loaded.id,
      accountId: stack.account.id,
      wallet: creator.address,
      splitter,
      optionsChangedAt: loaded.optionsChangedAt,
    });
    const { body } = await stack.call("GET", `/intents/${draft.intentId}`);
    expect(body.warnings.map(({ code }: any) => code)).toEqual(["options_changed"]);
  });
});

describe("a launch whose options do not fit", () => {
  test.each([
    ["creator", () => ({ creator: collector.address }), "invalid_fields", "wallet"],
    [
      "initial buy of nothing",
      () => ({ initial_buy: { amount_in: "1", slippage_bps: 1 } }),
      "amount_too_small",
      "initial_buy.amount_in",
    ],
    [
      "initial buy above the balance",
      () => ({ initial_buy: { amount_in: `${10n ** 30n}`, slippage_bps: 1 } }),
      "insufficient_balance",
      "wallet",
    ],
    [
      "recipient",
      (factory: string) => ({ initial_buy: { amount_in: "1000", slippage_bps: 1, recipient: factory } }),
      "recipient_cannot_receive",
      "initial_buy.recipient",
    ],
    ["partner", (factory: string) => ({ partner: factory }), "recipient_cannot_receive", "partner"],
  ])("is refused: %s", async (_, getOptions, code, field) => {
    const draft = await prepareDraft(getOptions(stack.manifest.current.launch_factory.address));
    const { status, body } = await prepareLaunch(draft);
    expect([status, body.error.code, body.error.field]).toEqual([422, code, field]);
    if (code === "invalid_fields") expect(body.error.message).toContain("POST /launch/calls");
  });
});
