import { describe, expect, it } from "vitest";
import { formatPrice, toPriceParts } from "./price.ts";

describe("a price", () => {
  it.each([
    [0, "0.00"],
    [0.000004848, "0.0₅4848"],
    [0.00001234, "0.0₄1234"],
    [0.0001234, "0.0001234"],
    [0.00012, "0.0001200"],
    [0.5, "0.5000"],
    [0.99999, "1.00"],
    [0.000009999, "0.0₅9999"],
    [0.00000999999, "0.0₄1000"],
    [1, "1.00"],
    [12.345, "12.35"],
    [999.994, "999.99"],
    [999.999, "1,000"],
    [1234.5, "1,235"],
    [1e-18, "0.0₁₇1000"],
    [Number.NaN, "—"],
  ])("of %d is %s", (value, text) => {
    expect(formatPrice(value)).toBe(text);
  });

  it("has a plain text with all zeros", () => {
    expect(toPriceParts(0.000004848)).toEqual({ lead: "0.0", zeros: 5, digits: "4848", plain: "0.000004848" });
  });
});
