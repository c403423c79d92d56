import { expect, it } from "vitest";
import { normalizeLink } from "./normalizeLink.ts";

it.each([
  ["website", "example.com", "https://example.com"],
  ["website", " bäckerei.example/brot?a=1 ", "https://bäckerei.example/brot?a=1"],
  ["website", "https://example.com", "https://example.com"],
  ["website2", "docs.example.com/a", "https://docs.example.com/a"],
  ["x", "@tinboat", "https://x.com/tinboat"],
  ["x", "x.com/tinboat", "https://x.com/tinboat"],
  ["telegram", "@tin_boat", "https://t.me/tin_boat"],
  ["github", "@tin-boat", "https://github.com/tin-boat"],
  ["discord", "discord.gg/abc", "https://discord.gg/abc"],
] as const)("completes %s %j to %j", (name, typed, link) => {
  expect(normalizeLink(name, typed)).toBe(link);
});

it.each([
  ["website", "@tinboat"],
  ["discord", "@tinboat"],
  ["x", "@a b"],
  ["website", "javascript:alert(1)"],
  ["website", "http://example.com"],
  ["website", "localhost"],
  ["website", "example.com:8080"],
  ["website", "user@example.com"],
  ["website", ""],
] as const)("leaves %s %j to the check of the form", (name, typed) => {
  expect(normalizeLink(name, typed)).toBe(typed);
});
