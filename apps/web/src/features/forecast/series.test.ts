import { describe, expect, it } from "vitest";
import { parseSeries } from "./parseSeries.ts";
import { toSeries } from "./toSeries.ts";

describe("parseSeries", () => {
  it("parses numbers separated by spaces, lines, commas and semicolons", () => {
    expect(parseSeries(" 1 2.5,3e2;-.5\n+4\t5. ")).toEqual({ values: [1, 2.5, 300, -0.5, 4, 5], fault: null });
    expect(parseSeries("1,2,3")).toEqual({ values: [1, 2, 3], fault: null });
    expect(parseSeries("")).toEqual({ values: [], fault: null });
  });

  it("rejects decimal commas, which would parse as twice as many values", () => {
    expect(parseSeries("1,5; 2,5").fault).toEqual({ kind: "comma" });
    expect(parseSeries("1,5\n2,5\n").fault).toEqual({ kind: "comma" });
  });

  it.each(["NaN", "Infinity", "1e999", "0x10", "1_000", "--1", "<b>1</b>", "１"])(
    "C10-50 takes nothing from %s that is no finite decimal number, and names it in short",
    (text) => {
      expect(parseSeries(`1 ${text.repeat(30)}`).fault).toMatchObject({ kind: "not_number" });
      expect(parseSeries(`1 ${text}`)).toEqual({ values: [1], fault: { kind: "not_number", text } });
    },
  );

  it("C10-50 parses a long text only up to the maximum series length", () => {
    expect(parseSeries("1 ".repeat(1_000_000)).values).toHaveLength(100_000);
  });
});

describe("toSeries", () => {
  it("fills missing hours with the previous close and counts them", () => {
    const bars = [
      { t: 0, c: 1 },
      { t: 3_600, c: 2 },
      { t: 4 * 3_600, c: 5 },
    ];
    expect(toSeries(bars, 10)).toEqual({ values: [1, 2, 2, 2, 5], filled: 2 });
    expect(toSeries(bars, 2)).toEqual({ values: [2, 5], filled: 1 });
    expect(toSeries([], 2)).toEqual({ values: [], filled: 0 });
  });
});
