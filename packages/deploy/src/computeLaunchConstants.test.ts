import { defaultLaunchConstants } from "@slipway/protocol/contracts/launchConstants";
import { describe, expect, it } from "vitest";
import { computeLaunchConstants } from "./computeLaunchConstants.ts";

describe("computeLaunchConstants", () => {
  it("equals the constants that the contracts' tool derives from exact rationals", () => {
    const { startTick, ...constants } = computeLaunchConstants(203_400);
    expect({ startTick: BigInt(startTick), ...constants }).toEqual(defaultLaunchConstants);
  });

  it("mirrors the prices with the sign of the tick", () => {
    const above = computeLaunchConstants(21_000);
    const below = computeLaunchConstants(-21_000);
    expect(above.sqrtPriceX96IfToken0).toBe(below.sqrtPriceX96IfToken1);
    expect(above.sqrtPriceX96IfToken1).toBe(below.sqrtPriceX96IfToken0);
  });

  it.each([203_200, 203_100, 0.5, 886_800, -886_800, Number.NaN])("refuses %s as a start tick", (tick) => {
    expect(() => computeLaunchConstants(tick)).toThrow(expect.objectContaining({ code: "invalid_option" }));
  });

  it("refuses a tick at which the locker cannot hold the liquidity", () => {
    expect(() => computeLaunchConstants(-799_800)).toThrow(/which the locker cannot hold/);
  });
});
