import { describe, expect, it } from "vitest";
import { isDisplayableHandle } from "./handleGrammar.ts";

describe("isDisplayableHandle", () => {
  it.each([
    ["code_host", "a"],
    ["code_host", "Octo-Cat-9"],
    ["code_host", "0"],
    ["code_host", "a".repeat(39)],
    ["social", "_"],
    ["social", "Jack_9"],
    ["social", "a".repeat(15)],
  ] as const)("shows the %s handle %s", (provider, handle) => {
    expect(isDisplayableHandle(provider, handle)).toBe(true);
  });

  it.each([
    ["code_host", ""],
    ["code_host", "-a"],
    ["code_host", "a-"],
    ["code_host", "a--b"],
    ["code_host", "-"],
    ["code_host", "a_b"],
    ["code_host", "a.b"],
    ["code_host", "@octocat"],
    ["code_host", "octocat\n"],
    ["code_host", "octоcat"],
    ["code_host", "a".repeat(40)],
    ["code_host", "octocat pays you"],
    ["social", ""],
    ["social", "@jack"],
    ["social", "a-b"],
    ["social", "jack\n"],
    ["social", "jаck"],
    ["social", "ｊack"],
    ["social", "a".repeat(16)],
    ["wallet", "octocat"],
    ["wallet", ""],
  ] as const)("does not show the %s handle %j", (provider, handle) => {
    expect(isDisplayableHandle(provider, handle)).toBe(false);
  });
});
