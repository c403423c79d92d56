import { SlipwayError } from "@slipway/protocol/errors";
import { gasStationToken } from "@slipway/protocol/manifest";
import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { type PriceAnswers, priceNative } from "@slipway/server/features/gas/nativePrice";
import { encodeFunctionData, type Hex, maxUint256, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { wrap } from "../support/security/actors.ts";
import { createRandom } from "../support/security/random.ts";
import {
  askQuote,
  erc20,
  gasSettings,
  relayerNonce,
  rpc,
  sendFrom,
  signedTopUp,
  topUp,
  untilHeadIndexed,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const routerAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);
const attacker = getWallet("deployer");
const twapSeconds = 600;
const longTwapSeconds = 86_400;

const gas = useGasStack({ GAS_STATION_TWAP_SECONDS: String(twapSeconds), GAS_STATION_MARKUP_BPS: "300" });

/** Lets time pass on the chain and in the service, whose quotes do not follow a chain that is far ahead. */
async function passTime(seconds: number): Promise<void> {
  const { clock } = gas.server.deps;
  Object.assign(gas.server.deps, { clock: { ...clock, now: () => clock.now() + seconds * 1_000 } });
  await rpc(gas.stack, "evm_increaseTime", [seconds]);
  await rpc(gas.stack, "evm_mine");
  await untilHeadIndexed(gas.stack, gas.server);
}

/** Swaps an amount in the ETH/USD pool. */
async function push(tokenIn: Hex, tokenOut: Hex, amountIn: bigint): Promise<void> {
  const router = gas.stack.manifest.uniswap.router.address as Hex;
  const approval = encodeFunctionData({ abi: erc20, functionName: "approve", args: [router, maxUint256] });
  await sendFrom(gas.stack, attacker, { to: tokenIn, data: approval });
  const params = { tokenIn, tokenOut, fee: 500, recipient: attacker.address, amountIn, amountOutMinimum: 0n };
  const args = [{ ...params, sqrtPriceLimitX96: 0n }] as const;
  const data = encodeFunctionData({ abi: routerAbi, functionName: "exactInputSingle", args });
  expect((await sendFrom(gas.stack, attacker, { to: router, data })).status).toBe("success");
}

describe("C7-14", () => {
  test("C7-14 a pool that is too young to say a mean price closes the station", async () => {
    const person = await gas.newWallet();
    // The test run created the pool, at most some hours ago.
    const settings = { ...gasSettings, GAS_STATION_TWAP_SECONDS: String(longTwapSeconds) };
    const server = await gas.stack.openServer(settings);
    await untilHeadIndexed(gas.stack, server);
    const answer = await askQuote(server, person);
    expect([answer.status, answer.body.error.code]).toEqual([503, "gas_station_unavailable"]);
    await server.close();
    await passTime(twapSeconds + 60);
    expect((await askQuote(gas.server, person)).status).toBe(200);
  });

  test("C7-14 a price pushed either way is refused, for quotes and for quotes given before", async () => {
    const { stack, server } = gas;
    const weth = stack.manifest.wrapped_native.address as Hex;
    await wrap(stack, attacker, 10n ** 21n);
    await passTime(twapSeconds);
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(server, person);
    const body = await signedTopUp(person, quote);
    const nonce = await relayerNonce(stack);
    // 30 of 1,000 each way move the price by about 6%.
    await push(weth, stack.stablecoin, 30n * 10n ** 18n);
    for (let second = 0; second <= 150; second += 50) {
      for (const answer of [await askQuote(server, person), await topUp(server, body)]) {
        expect([second, answer.status, answer.body.error.code]).toEqual([second, 503, "gas_station_unavailable"]);
      }
      await passTime(50);
    }
    await push(stack.stablecoin, weth, 180_000n * 10n ** 6n);
    expect((await askQuote(server, person)).status).toBe(503);
    expect(await relayerNonce(stack)).toBe(nonce);
    await push(weth, stack.stablecoin, 29n * 10n ** 18n);
    await passTime(twapSeconds * 2);
    expect((await askQuote(server, person)).status).toBe(200);
  });

  test("C7-14 within the tolerance the dearer of price and mean is asked: a cheap moment buys nothing", async () => {
    const { stack, server } = gas;
    const weth = stack.manifest.wrapped_native.address as Hex;
    await passTime(twapSeconds * 2);
    const before = await gas.newWallet();
    const during = await gas.newWallet();
    const { body: fair } = await askQuote(server, before);
    await push(weth, stack.stablecoin, 7n * 10n ** 18n);
    const { status, body: pushed } = await askQuote(server, during);
    expect(status).toBe(200);
    expect(Number(pushed.eth_usd)).toBeLessThan(Number(fair.eth_usd) * 0.99);
    const perEth = (quote: any) => Number(quote.token_amount) / Number(quote.eth_amount);
    expect(perEth(pushed)).toBeGreaterThanOrEqual(perEth(fair) * 0.999);
    const { body: sent } = await topUp(server, await signedTopUp(during, pushed));
    expect((await untilSettled(server, sent.hash)).body.status).toBe("confirmed");
    await push(stack.stablecoin, weth, 21_000n * 10n ** 6n);
  });

  test("C7-14 a quote whose markup the price has overtaken is no longer relayed", async () => {
    const { stack } = gas;
    const weth = stack.manifest.wrapped_native.address as Hex;
    await passTime(twapSeconds * 2);
    const person = await gas.newWallet();
    const lax = await stack.openServer(laxSettings);
    try {
      const { body: quote } = await askQuote(lax, person);
      const body = await signedTopUp(person, quote);
      // The market moves by about 4%, and a mean of one second follows at once.
      await push(stack.stablecoin, weth, 60_000n * 10n ** 6n);
      await passTime(5);
      const answer = await topUp(lax, body);
      expect([answer.status, answer.body.error.code]).toEqual([422, "quote_expired"]);
      await push(weth, stack.stablecoin, 20n * 10n ** 18n);
    } finally {
      await lax.close();
    }
  });

  test("C7-14 a scripted attacker gains nothing in any of 1,000 seeds", () => {
    const { manifest } = gas.stack;
    const token = gasStationToken.parse(manifest.gas_station_tokens[0]);
    const config = {
      GAS_STATION_MARKUP_BPS: 300,
      GAS_STATION_MAX_DEVIATION_BPS: 200,
      GAS_STATION_TWAP_SECONDS: twapSeconds,
    };
    const nativeIsToken0 = BigInt(manifest.wrapped_native.address) < BigInt(manifest.eth_usd!.stablecoin.address);
    const fairTick = nativeIsToken0 ? -196_256 : 196_256;
    const usdPerEth = 1.0001 ** -196_256 * 1e12;
    const outcomes = { refused: 0, sold: 0, best: Number.NEGATIVE_INFINITY };
    for (let seed = 1; seed <= 1_000; seed++) {
      const random = createRandom(seed);
      // Moves the pool by up to 20%, mostly little, and keeps the price there for up to three minutes before the quote.
      const pushedTicks = Math.round(
        (random.below(2) ? 1 : -1) * (random.below(2_000) * (random.below(1_000) / 1_000)),
      );
      const heldSeconds = random.below(181);
      const tick = fairTick + pushedTicks;
      const amountInWei = random.amount(10n ** 12n, 10n ** 18n);
      const root = sqrtPriceX96AtTick(tick);
      const cumulative = BigInt(fairTick) * BigInt(twapSeconds - heldSeconds) + BigInt(tick) * BigInt(heldSeconds);
      // A pool with so much liquidity that the quoter returns the last price and the fee.
      const perWei = Number(root) ** 2 / 2 ** 192;
      const asked = Math.ceil((Number(amountInWei) * (nativeIsToken0 ? perWei : 1 / perWei)) / 0.9995);
      const answers: PriceAnswers = [
        { result: [BigInt(asked), root, 0, 0n] },
        { result: [root, tick, 0, 1, 1, 0, true] },
        { result: 10n ** 22n },
        {
          result: [
            [0n, cumulative],
            [0n, 0n],
          ],
        },
      ];
      try {
        const station = { manifest, ethUsd: manifest.eth_usd! };
        const { tokenAmount } = priceNative(config, station, token, amountInWei, answers, usdPerEth);
        // In dollars, at the fair price, without the cost of moving the pool.
        const gain = (Number(amountInWei) / 1e18) * usdPerEth - Number(tokenAmount) / 1e6;
        outcomes.sold++;
        outcomes.best = Math.max(outcomes.best, gain);
        expect([seed, gain <= 0]).toEqual([seed, true]);
      } catch (error) {
        if (!(error instanceof SlipwayError)) throw error;
        expect(error.code).toBe("gas_station_unavailable");
        outcomes.refused++;
      }
    }
    expect(outcomes.sold).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(100);
  });
});

/** A mean of one second and a wide tolerance: only the check of the quote itself remains. */
const laxSettings = {
  RELAYER_PRIVATE_KEY: getWallet("relayer").privateKey,
  RELAYER_CEILING_WEI: (10n ** 24n).toString(),
  GAS_STATION_TWAP_SECONDS: "1",
  GAS_STATION_MAX_DEVIATION_BPS: "2000",
};
