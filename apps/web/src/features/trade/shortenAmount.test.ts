import { expect, it } from "vitest";
import { shortenAmount } from "./shortenAmount.ts";

const oneEther = 10n ** 18n;

it.each([
  [5_215_902_381_234_588_038_227_630n, "5,215,902…"],
  [1_000n * oneEther, "1,000"],
  [oneEther / 50n, "0.02"],
  [1n, "<0.000001…"],
])("of %d shows in its short form whoneEther digits are missing: %s", (value, text) => {
  expect(shortenAmount(value, 18)).toBe(text);
});
