import { expect, test } from "vitest";
import { toExplorerUrl, toSafeUrl } from "./links.ts";

test("C10-11 an untrusted link is https, or is not a link", () => {
  expect(toSafeUrl("https://slipway.example/a?b#c")?.href).toBe("https://slipway.example/a?b#c");
  for (const text of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "http://slipway.example",
    "blob:https://slipway.example/1",
    "https://slipway.example@evil.example/",
    "https://user:password@slipway.example/",
    "//evil.example",
    "/path",
    "",
    null,
    undefined,
  ]) {
    expect(toSafeUrl(text), String(text)).toBeNull();
  }
});

test("a transaction has an explorer page if the token has one", () => {
  const token = "https://explorer.example/sub/token/0xaa";
  expect(toExplorerUrl(token, "tx", "0x12")).toBe("https://explorer.example/sub/tx/0x12");
  expect(toExplorerUrl(token, "address", "0x34")).toBe("https://explorer.example/sub/address/0x34");
  for (const none of [null, "javascript:alert(1)//token/0xaa", "https://explorer.example/"]) {
    expect(toExplorerUrl(none, "tx", "0x12")).toBeNull();
  }
});

test("C10-11 an id stays one segment of an explorer's path", () => {
  const url = toExplorerUrl("https://explorer.example/token/0xaa", "tx", "../../a?b#c");
  expect(url).toBe("https://explorer.example/tx/..%2F..%2Fa%3Fb%23c");
});
