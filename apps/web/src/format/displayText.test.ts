import { expect, test } from "vitest";
import { toDisplayText } from "./displayText.ts";

test("C10-12 a name cannot change the text direction, and letters of any script remain", () => {
  expect(toDisplayText("photo\u202egpj.exe")).toBe("photogpj.exe");
  for (const control of [
    "\u061c",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202d",
    "\u2066",
    "\u2069",
    "\u0000",
    "\u001b",
    "\u0085",
  ]) {
    expect(toDisplayText(`a${control}b`), JSON.stringify(control)).toBe("ab");
  }
  for (const text of ["مرحبا بالعالم", "שלום", "日本語 🚢", "two\nlines", "نمی‌خواهم"])
    expect(toDisplayText(text)).toBe(text);
});

test("C10-12 a text that is longer than any stored text is cut, but never within a character", () => {
  expect(toDisplayText("W".repeat(2_000))).toBe("W".repeat(2_000));
  expect(toDisplayText("W".repeat(10_000))).toBe(`${"W".repeat(2_000)}…`);
  expect(toDisplayText("\u202eWW🚢WW", 3)).toBe("WW…");
  expect(toDisplayText("WW🚢WW", 4)).toBe("WW🚢…");
});
