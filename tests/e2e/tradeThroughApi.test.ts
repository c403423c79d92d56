import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { encodeFunctionData, type Hex, pad, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpcRequest } from "../../dev/src/chain/rpcRequest.ts";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { launchToken, sendRaw, trade, wallets, wrap } from "../support/security/actors.ts";
import { compileAttacker } from "../support/security/compileAttacker.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, trader, stranger] = wallets as [(typeof wallets)[0], (typeof wallets)[0], (typeof wallets)[0]];
const poolOwnerAbi = parseAbi(["function setFeeProtocol(uint8 feeProtocol0, uint8 feeProtocol1)"]);

let stack: TestStack;
let token: Hex;
let pool: Hex;
beforeAll(async () => {
  stack = await startTestStack();
  ({ token, pool } = await launchToken(stack, creator));
  await wrap(stack, trader, 100n * 10n ** 18n);
});
afterAll(async () => {
  await stack?.close();
});

const order = (more: Record<string, unknown> = {}) => ({
  token,
  wallet: trader.address,
  side: "buy",
  amount_in: "1000000000000000",
  slippage_bps: 100,
  ...more,
});
const quote = (more?: Record<string, unknown>) => stack.call("POST", "/trade/quote", order(more));

describe("a quote", () => {
  test("names its block, settles in the wrapped native asset and is valid for 60 seconds", async () => {
    const askedAt = Math.floor(Date.now() / 1_000);
    const { body } = await quote({ slippage_bps: 250 });
    expect(body.expires_at).toBeGreaterThanOrEqual(askedAt + 60);
    expect(body.expires_at).toBeLessThanOrEqual(Date.now() / 1_000 + 60);
    expect(body).toMatchObject({
      token_in: stack.manifest.wrapped_native.address,
      token_out: token,
      amount_in: "1000000000000000",
      minimum_out: `${(BigInt(body.amount_out) * 9_750n) / 10_000n}`,
      settlement: "wrapped_native",
      slippage_bps: 250,
      // 0.001 of about 1.5 ETH of depth: 0.07%, without the pool's fee.
      price_impact_bps: 7,
    });
  });

  test("accepts leading zeros of the amount", async () => {
    const { status, body } = await quote({ amount_in: "1000000000000000".padStart(200, "0") });
    expect([status, body.amount_in]).toEqual([200, "1000000000000000"]);
  });

  test.each([
    ["an unknown token", { token: "0x00000000000000000000000000000000000000a1" }, "pool_not_supported"],
    ["one wei, all of which is the fee", { amount_in: "1" }, "amount_too_small"],
    ["the largest amount there is", { amount_in: `${2n ** 256n - 1n}` }, "simulation_reverted"],
    ["more than the pool can ever take", { amount_in: `${10n ** 60n}` }, "simulation_reverted"],
    ["a sale into a pool without a buy", { side: "sell", amount_in: `${10n ** 24n}` }, "simulation_reverted"],
  ])("of %s is refused with a code", async (_, more, code) => {
    const answer = await quote(more);
    expect([answer.status, answer.body.error.code]).toEqual([422, code]);
  });

  test("of the wrapped native asset or the stablecoin is refused: no launch", async () => {
    for (const other of [stack.manifest.wrapped_native.address, stack.stablecoin]) {
      expect((await quote({ token: other })).body.error.code).toBe("pool_not_supported");
    }
  });

  test("stays right when somebody pushed the price through the empty range before the first buy", async () => {
    const before = (await quote()).body;
    const isToken0 = token.toLowerCase() < stack.manifest.wrapped_native.address.toLowerCase();
    const { abi, bytecode } = compileAttacker("PricePusher");
    const { contractAddress } = await sendRaw(stack, stranger, { data: bytecode });
    // Towards a cheaper token, where there is no liquidity: the attack costs only gas.
    const args = [pool, isToken0, isToken0 ? 2n ** 80n : 2n ** 120n];
    const data = encodeFunctionData({ abi, functionName: "push", args });
    expect((await sendRaw(stack, stranger, { to: contractAddress!, data })).status).toBe("success");
    const after = (await quote()).body;
    expect([after.amount_out, after.price_impact_bps]).toEqual([before.amount_out, before.price_impact_bps]);
  });
});

describe("a trade", () => {
  test("warns of thin liquidity and of a high price impact, and later no more", async () => {
    const first = await stack.call("POST", "/trade/transactions", order({ amount_in: `${10n ** 18n}` }));
    expect(first.body.warnings.map(({ code }: { code: string }) => code)).toEqual([
      "thin_liquidity",
      "high_price_impact",
    ]);
    await trade(stack, trader, { token, side: "buy", amount_in: `${10n ** 18n}` });
    const second = await stack.call("POST", "/trade/transactions", order());
    expect(second.body.warnings).toEqual([]);
  });

  test("warns when Uniswap's protocol fee is on for the pool", async () => {
    // The stack's Uniswap factory has no owner (slot 3); the factory of another chain can have one.
    const { address: factory } = stack.manifest.uniswap.factory;
    const owner = pad(getWallet("deployer").address);
    await rpcRequest(stack.chain.rpcUrl, "anvil_setStorageAt", [factory, pad("0x03", { size: 32 }), owner]);
    const data = encodeFunctionData({ abi: poolOwnerAbi, functionName: "setFeeProtocol", args: [6, 6] });
    const receipt = await sendRaw(stack, getWallet("deployer"), { to: pool, data });
    expect(receipt.status).toBe("success");
    const answer = await stack.call("POST", "/trade/transactions", order());
    expect(answer.body.warnings.map(({ code }: { code: string }) => code)).toEqual(["pool_protocol_fee_active"]);
  });

  test("reports what a wallet without the amount lacks, before any approval", async () => {
    const answer = await stack.call("POST", "/trade/transactions", order({ wallet: stranger.address }));
    expect([answer.status, answer.body.error.code]).toEqual([422, "insufficient_balance"]);
    expect(answer.body.error.details).toMatchObject({ needed: "1000000000000000", available: "0" });
  });

  test("reports a wallet without native for gas, and prepares the transaction all the same", async () => {
    const fresh = "0x000000000000000000000000000000000000bEEF";
    const data = encodeFunctionData({
      abi: parseAbi(["function transfer(address to, uint256 amount)"]),
      functionName: "transfer",
      args: [fresh, 10n ** 15n],
    });
    await sendRaw(stack, trader, { to: stack.manifest.wrapped_native.address as Hex, data });
    const { status, body } = await stack.call("POST", "/trade/transactions", order({ wallet: fresh }));
    expect(status).toBe(200);
    expect(body.issues.native_balance).toMatchObject({ needed: body.fees.total_wei, available: "0" });
    expect(body.fees.total_wei).toBe(`${BigInt(body.fees.gas_limit) * BigInt(body.fees.gas_price)}`);
    expect(BigInt(body.transaction.gas)).toBe(BigInt(body.fees.gas_limit));
    expect(body.fees.total_usd).toBeCloseTo((Number(body.fees.total_wei) / 1e18) * 3_000, 3);
  });

  test("answers checksummed addresses also when the operator's manifest is in lower case", async () => {
    const text = readFileSync(stack.deps.config.MANIFEST_PATH!, "utf8").replace(/"0x[0-9a-fA-F]{40}"/g, (address) =>
      address.toLowerCase(),
    );
    const path = `${stack.deps.config.MANIFEST_PATH}.lower`;
    writeFileSync(path, text);
    const MANIFEST_SHA256 = createHash("sha256").update(text).digest("hex");
    const server = await stack.openServer({ MANIFEST_PATH: path, MANIFEST_SHA256 });
    const { body } = await server.call("POST", "/trade/transactions", order());
    expect([body.quote.token_in, body.manifest.sha256]).toEqual([
      stack.manifest.wrapped_native.address,
      MANIFEST_SHA256,
    ]);
    await server.close();
  });
});
