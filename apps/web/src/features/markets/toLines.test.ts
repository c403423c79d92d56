import { describe, expect, it } from "vitest";
import { formatBps, formatChange, formatNumber, formatRate, formatScore } from "./figures.ts";
import { toLines } from "./toLines.ts";

describe("toLines", () => {
  it("interrupts the line at an unknown value, and never draws the value as zero", () => {
    expect(toLines([1, 2, null, 3], 30, 18)).toEqual(["0.0,14.0 10.0,9.0", "30.0,4.0 30.0,4.0"]);
    expect(toLines([null, null], 30, 18)).toEqual([]);
  });

  it("draws a constant in the middle", () => {
    expect(toLines([5, 5], 10, 20)).toEqual(["0.0,10.0 10.0,10.0"]);
  });
});

describe("market figures", () => {
  it("show an unknown value as a dash, never as zero", () => {
    const formats = [formatChange, formatRate, formatNumber, formatScore];
    expect(formats.map((format) => [format(null), format(0)])).toEqual([
      ["—", "0.0%"],
      ["—", "0%"],
      ["—", "0"],
      ["—", "0"],
    ]);
  });

  it("have a sign if they can be a loss", () => {
    expect([formatChange(0.0123), formatChange(-0.0123), formatBps(-53.26), formatBps(0.04), formatBps(2)]).toEqual([
      ...["+1.2%", "−1.2%", "−53.3", "0.0", "+2.0"],
    ]);
  });
});
