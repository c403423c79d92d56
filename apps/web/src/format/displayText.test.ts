import { expect, test } from "vitest";
import { toDisplayText } from "./displayText.ts";

test("C10-12 a name cannot turn the direction of text, and letters of any script stay", () => {
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
