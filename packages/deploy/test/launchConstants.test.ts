import { defaultLaunchConstants } from "@slipway/protocol/contracts/launchConstants";
import { describe, expect, it } from "vitest";
import { launchConstants } from "../src/launchConstants.ts";

describe("launchConstants", () => {
  it("gives what the contracts' own tool derives from exact rationals", () => {
    const { startTick, ...constants } = launchConstants(203_200);
    expect({ startTick: BigInt(startTick), ...constants }).toEqual(defaultLaunchConstants);
  });

  it("turns around with the sign of the tick", () => {
    const above = launchConstants(20_000);
    const below = launchConstants(-20_000);
    expect(above.sqrtPriceX96IfToken0).toBe(below.sqrtPriceX96IfToken1);
    expect(above.sqrtPriceX96IfToken1).toBe(below.sqrtPriceX96IfToken0);
  });

  it.each([203_100, 0.5, 887_200, -887_200, Number.NaN])("refuses %s as a start tick", (tick) => {
    expect(() => launchConstants(tick)).toThrow(expect.objectContaining({ code: "invalid_option" }));
  });

  it("refuses a tick at which the locker cannot hold the liquidity", () => {
    expect(() => launchConstants(-800_000)).toThrow(/none that the locker can hold/);
  });
});
