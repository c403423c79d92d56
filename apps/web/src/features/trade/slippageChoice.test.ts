import { expect, test } from "vitest";
import { loadSlippage, saveSlippage } from "./slippageChoice.ts";

test("the slippage tolerance is remembered within the service's limits", () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  expect(loadSlippage(storage)).toBe(100);
  saveSlippage(storage, 250);
  expect(loadSlippage(storage)).toBe(250);
  for (const wrong of ["0", "501", "1.5", "-1", "x", ""]) {
    stored.set("slipway.slippage", wrong);
    expect(loadSlippage(storage)).toBe(100);
  }
});
