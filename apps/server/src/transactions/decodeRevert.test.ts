import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { decodeRevert, toRevertError } from "./decodeRevert.ts";

const pool = "0x00000000000000000000000000000000000000A1";
const builtIn = parseAbi(["error Error(string)", "error Panic(uint256)", "error Unknown(uint256)"]);
const reason = (text: string): Hex => encodeErrorResult({ abi: builtIn, errorName: "Error", args: [text] });

describe("decodeRevert", () => {
  test.each([
    ["LaunchFactory_PoolTaken", [pool, 1n, 2n], "pool_taken", { pool, sqrtPriceX96: "1", expectedSqrtPriceX96: "2" }],
    ["LaunchFactory_SaltTaken", [pool], "salt_taken", { token: pool }],
    ["LaunchFactory_InvalidSplitter", [pool], "splitter_mismatch", { splitter: pool }],
    ["LaunchFactory_InvalidSignature", [pool], "signature_invalid", { creator: pool }],
    ["LaunchFactory_Expired", [5n, 6n], "simulation_reverted", { deadline: "5", timestamp: "6" }],
    ["LaunchFactory_WrongValue", [1n, 2n], "simulation_reverted", { value: "1", expected: "2" }],
    ["FeeSplitter_SharesNot10000", [9_999n], "simulation_reverted", { sum: "9999" }],
    ["LaunchFactory_InvalidRecipient", [pool], "simulation_reverted", { recipient: pool }],
  ] as const)("decodes %s with its arguments", (errorName, args, code, named) => {
    const data = encodeErrorResult({ abi: launchFactoryAbi, errorName, args } as never);
    expect(decodeRevert(data)).toMatchObject({ name: errorName, code, args: named });
  });

  test("decodes the errors of the splitter and of solady", () => {
    const data = encodeErrorResult({ abi: feeSplitterAbi, errorName: "FeeSplitter_NotPayee", args: [pool] });
    expect(decodeRevert(data)).toMatchObject({ code: "not_recipient", args: { account: pool } });
    const count = encodeErrorResult({
      ...{ abi: splitterFactoryAbi, errorName: "FeeSplitter_InvalidCount", args: [21n, 21n] },
    });
    expect(decodeRevert(count)).toMatchObject({ name: "FeeSplitter_InvalidCount", args: { payees: "21" } });
    const failed = encodeErrorResult({
      ...{ abi: feeSplitterAbi, errorName: "FeeSplitter_TransferFailed", args: [pool, pool, 1n] },
    });
    expect(decodeRevert(failed)).toMatchObject({ args: { asset: pool, receiver: pool, amount: "1" } });
    expect(decodeRevert("0x35278d12")).toMatchObject({ name: "Overflow" });
    expect(decodeRevert("0xf4d678b8")).toMatchObject({ name: "InsufficientBalance", code: "insufficient_balance" });
    expect(decodeRevert("0x7939f424")).toMatchObject({ name: "TransferFromFailed", code: "simulation_reverted" });
  });

  test("explains Uniswap's reason strings", () => {
    expect(decodeRevert(reason("Too little received")).meaning).toMatch(/slippage/);
    expect(decodeRevert(reason("AS"))).toMatchObject({ code: "amount_too_small" });
    expect(decodeRevert(reason("STF"))).toMatchObject({ code: "simulation_reverted", args: { reason: "STF" } });
  });

  test("truncates a hostile reason to printable text", () => {
    const { args } = decodeRevert(reason(`\u0000\u202e<script>${"x".repeat(5_000)}`));
    expect(args.reason).toMatch(/^[\x20-\x7e]{1,200}$/);
  });

  test("decodes a panic, unknown errors and empty data", () => {
    const panic = encodeErrorResult({ abi: builtIn, errorName: "Panic", args: [17n] });
    expect(decodeRevert(panic)).toMatchObject({ name: "Panic", code: "simulation_reverted" });
    const unknown = encodeErrorResult({ abi: builtIn, errorName: "Unknown", args: [1n] });
    expect(decodeRevert(unknown)).toMatchObject({ name: "unknown", code: "simulation_reverted" });
    expect(decodeRevert("0x")).toMatchObject({ name: "unknown" });
    expect(decodeRevert("0x08c379a0ff")).toMatchObject({ name: "unknown" });
  });
});

describe("toRevertError", () => {
  test("has JSON details with the block of the simulation", () => {
    const data = encodeErrorResult({
      abi: launchFactoryAbi,
      errorName: "LaunchFactory_PoolTaken",
      args: [pool, 1n, 2n],
    });
    const error = toRevertError(data, 77n);
    expect(JSON.parse(JSON.stringify(error.details))).toMatchObject({
      error: "LaunchFactory_PoolTaken",
      block_number: "77",
    });
    expect(error.message).toMatch(/^The transaction would fail: it reverts with LaunchFactory_PoolTaken\(/);
  });
});
