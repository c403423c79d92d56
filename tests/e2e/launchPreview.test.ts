import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenAbi } from "@slipway/protocol/contracts/launchToken";
import { priceFromSqrtX96 } from "@slipway/protocol/price";
import { poolAbi } from "@slipway/protocol/uniswap";
import { encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import {
  randomSalt,
  sendRaw,
  sendWithEthers,
  storeDraft,
  trade,
  untilIndexed,
  wallets,
} from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, buyer, partner] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const oneEther = 10n ** 18n;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
});

const read = (address: string, abi: any, functionName: string, args: unknown[] = []): Promise<any> =>
  stack.deps.chain.client.readContract({ address: address as Hex, abi, functionName, args });
const getPreview = async (intent_id: string, wallet: string = creator.address) => {
  const { status, body } = await stack.call("POST", "/launch/preview", { intent_id, wallet });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const storeWithOptions = async (options: object) => {
  const intentId = await storeDraft(stack);
  expect((await stack.call("PUT", `/intents/${intentId}/options`, options)).status).toBe(200);
  return intentId;
};
const isToken0 = (token: string) => BigInt(token) < BigInt(stack.manifest.wrapped_native.address);
const readPrice = async (pool: string, token: string) =>
  priceFromSqrtX96((await read(pool, poolAbi, "slot0"))[0], isToken0(token));
/** Compares except for the last digits, which depend on the order of the pool's tokens. */
const expectNear = (amount: string, exact: bigint) =>
  expect(Math.abs(Number(BigInt(amount) - exact)) / Number(exact)).toBeLessThan(1e-15);

describe("the preview of a launch", () => {
  test("is what the launch and the first buys on the chain then are", async () => {
    const intentId = await storeWithOptions({ initial_buy: { amount_in: `${oneEther / 10n}`, slippage_bps: 100 } });
    const preview = await getPreview(intentId);
    const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
    const made = await sendWithEthers(stack, split, creator);
    const body = { intent_id: intentId, wallet: creator.address, splitter: made.contractAddress, salt: randomSalt() };
    const launch = await stack.call("POST", "/launch/transactions", body);
    const launched = await sendWithEthers(stack, launch, creator);
    const { token, pool } = launch.body.expected;

    const bought = await read(token, launchTokenAbi, "balanceOf", [creator.address]);
    expectNear(preview.initial_buy.amount_out, bought);
    expectNear(preview.initial_buy.minimum_out, BigInt(launch.body.expected.minimum_out));
    expect(preview.initial_buy.share_of_supply).toBeCloseTo(Number(bought) / 1e27, 9);
    expect(preview.initial_buy.recipient).toBe(creator.address);
    expect(preview.initial_buy.after.price_eth / (await readPrice(pool, token))).toBeCloseTo(1, 9);
    expect(preview.buys[0]).toMatchObject({ amount_out: preview.initial_buy.amount_out });

    // The gas of other salts and nonces differs by the zero bytes of their calldata and the ticks of their order.
    for (const [index, receipt] of [made, launched].entries()) {
      const { gas_used: gasUsed, gas_limit: gasLimit } = preview.steps[index];
      expect(Number(receipt.gasUsed) / Number(gasUsed)).toBeGreaterThan(0.75);
      expect(receipt.gasUsed).toBeLessThan(BigInt(gasLimit));
    }
    expect(preview.steps.map(({ action }: any) => action)).toEqual(["deploy_splitter", "launch"]);
    const gas = preview.steps.reduce((sum: bigint, { total_wei }: any) => sum + BigInt(total_wei), 0n);
    expect(preview.total).toMatchObject({
      value: `${oneEther / 10n}`,
      gas_wei: `${gas}`,
      total_wei: `${gas + oneEther / 10n}`,
    });
  });

  test("has the prices to which buys of 0.1, 1 and 10 native move the pool, and what they get", async () => {
    const { start, buys, initial_buy } = await getPreview(await storeDraft(stack));
    expect(initial_buy).toBeNull();
    expect(start.fdv_eth).toBeCloseTo(start.price_eth * 1e9, 12);
    for (const { amount_in, amount_out, after } of buys) {
      const intentId = await storeDraft(stack);
      const split = await stack.call("POST", "/splits/transactions", { intent_id: intentId, wallet: creator.address });
      await sendWithEthers(stack, split, creator);
      const { splitter } = split.body.expected;
      const body = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
      const launch = await stack.call("POST", "/launch/transactions", body);
      await sendWithEthers(stack, launch, creator);
      const { token, pool } = launch.body.expected;
      expect(start.price_eth / (await readPrice(pool, token))).toBeCloseTo(1, 9);
      await untilIndexed(stack, token);
      await sendRaw(stack, buyer, {
        to: stack.manifest.wrapped_native.address as Hex,
        data: "0xd0e30db0",
        value: BigInt(amount_in),
      });
      await trade(stack, buyer, { token, side: "buy", amount_in });
      expectNear(amount_out, await read(token, launchTokenAbi, "balanceOf", [buyer.address]));
      expect(after.price_eth / (await readPrice(pool, token))).toBeCloseTo(1, 9);
    }
  });

  test("needs no funds, and names the steps that are left", async () => {
    const poor = "0x00000000000000000000000000000000000BEEF1";
    const intentId = await storeWithOptions({ initial_buy: { amount_in: `${50_000n * oneEther}`, slippage_bps: 1 } });
    const preview = await getPreview(intentId, poor);
    expect(BigInt(preview.total.total_wei)).toBeGreaterThan(50_000n * oneEther);
    const made = await stack.call("POST", "/splits/transactions", {
      intent_id: intentId,
      wallet: creator.address,
      method: "factory",
    });
    await sendWithEthers(stack, made, creator);
    const later = await getPreview(intentId, poor);
    expect(later.steps.map(({ action }: any) => action)).toEqual(["launch"]);
  });

  test("shows the fees that the pool's own protocol fee and a partner's share leave", async () => {
    const intentId = await storeWithOptions({ partner: partner.address });
    const before = await getPreview(intentId);
    expect(before.fees).toEqual({
      total_bps: 100,
      protocol_bps: 10,
      collaborators_bps: 90,
      partner_share_bps: 0,
      pool_protocol_fee: 0,
      lp_fee_bps_effective: 100,
      collaborators_bps_effective: 90,
    });
    expect(before.warnings.map(({ code }: any) => code)).toEqual(["partner_not_registered"]);
    await sendRaw(stack, getWallet("treasury"), {
      to: stack.manifest.current.launch_factory.address as Hex,
      data: encodeFunctionData({
        abi: launchFactoryAbi,
        functionName: "setPartnerShare",
        args: [partner.address, 1_500],
      }),
    });
    const after = await getPreview(intentId);
    expect([after.fees.partner_share_bps, after.warnings]).toEqual([1_500, []]);
  });

  test("of a draft with another creator simulates the creator's launch", async () => {
    const preview = await getPreview(await storeWithOptions({ creator: buyer.address }));
    expect(preview.steps).toHaveLength(2);
  });

  test("changes nothing on the chain", async () => {
    const before = await rpcRequest(stack.chain.rpcUrl, "eth_getTransactionCount", [creator.address, "latest"]);
    const intentId = await storeDraft(stack);
    const first = await getPreview(intentId);
    const second = await getPreview(intentId);
    expect(first.start).toEqual(second.start);
    expect(await rpcRequest(stack.chain.rpcUrl, "eth_getTransactionCount", [creator.address, "latest"])).toBe(before);
    const { rows } = await stack.deps.db.api.query("select 1 from app.launches_prepared where intent_id = $1", [
      intentId,
    ]);
    expect(rows).toEqual([]);
  });
});
