import { toBytes, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { createTokenPredictor, effectiveSalt, type LaunchParams, launchAddress, poolAddress } from "./launchAddress.ts";

const params: LaunchParams = {
  name: "Tin Boat",
  symbol: "TIN",
  contractURI: "data:,",
  splitter: "0x00000000000000000000000000000000000000f1",
  salt: `0x${"01".repeat(32)}`,
  partner: "0x0000000000000000000000000000000000000000",
  feeBps: 100,
};
const creator = "0x00000000000000000000000000000000000000C1";
const context = {
  launchFactory: "0x00000000000000000000000000000000000000fa",
  feeLocker: "0x00000000000000000000000000000000000000fb",
  uniswapFactory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
  poolInitCodeHash: "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54",
  wrappedNative: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
  tokenCreationCode: "0x6000",
} as const;

describe("poolAddress", () => {
  test("returns the USDC/WETH 0.05% pool of Ethereum's Uniswap v3 in either order", () => {
    const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    const pool = "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640";
    const { uniswapFactory, poolInitCodeHash, wrappedNative } = context;
    expect(poolAddress(uniswapFactory, poolInitCodeHash, usdc, wrappedNative, 500)).toBe(pool);
    expect(poolAddress(uniswapFactory, poolInitCodeHash, wrappedNative, usdc, 500)).toBe(pool);
  });
});

describe("launchAddress", () => {
  // tests/e2e/launchThroughApi.test.ts proves on a chain that the contracts compute the same address.
  test("depends on the creator and on every parameter", () => {
    const seen = new Set([launchAddress(context, creator, params).token]);
    const changes: Partial<LaunchParams>[] = [
      { name: "Tin boat" },
      { symbol: "TIM" },
      { contractURI: "data:,x" },
      { splitter: creator },
      { salt: `0x${"02".repeat(32)}` },
      { partner: creator },
      { feeBps: 30 },
    ];
    for (const change of changes) seen.add(launchAddress(context, creator, { ...params, ...change }).token);
    seen.add(launchAddress(context, context.launchFactory, params).token);
    expect(seen.size).toBe(changes.length + 2);
  });

  test("has the pool of the launch's fee tier", () => {
    for (const feeBps of [100, 50, 30, 10]) {
      const { token, pool } = launchAddress(context, creator, { ...params, feeBps });
      const { uniswapFactory, poolInitCodeHash, wrappedNative } = context;
      expect(pool).toBe(poolAddress(uniswapFactory, poolInitCodeHash, token, wrappedNative, feeBps * 100));
    }
  });

  test("has the token that the predictor returns for each salt", () => {
    const long = { ...params, name: "N".repeat(64), contractURI: `data:,${"x".repeat(700)}` };
    for (const base of [params, long]) {
      const predict = createTokenPredictor(context, creator, base);
      for (const byte of ["00", "01", "7f", "ff"]) {
        const salt = `0x${byte.repeat(32)}` as const;
        const { token } = launchAddress(context, creator, { ...base, salt });
        expect(toHex(predict(toBytes(salt)))).toBe(token.toLowerCase());
      }
    }
  });

  test("is deterministic", () => {
    expect(launchAddress(context, creator, params)).toEqual(launchAddress(context, creator, { ...params }));
    expect(effectiveSalt(creator, params)).toMatch(/^0x[0-9a-f]{64}$/);
  });
});
