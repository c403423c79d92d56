import { expect, test } from "vitest";
import { createUrlRedactor } from "./rpcTransport.ts";

const urls = [
  "https://eth.example/v2/AbCdEf0123456789xyz",
  "https://us%40er:p%20ss@node.example/?apikey=0123456789abcdef",
];
const clean = createUrlRedactor(urls);

test("removes keys, user names and passwords from a text, encoded or not", () => {
  expect(clean("key AbCdEf0123456789xyz of https://eth.example/v2/AbCdEf0123456789xyz is over quota")).toBe(
    "key [redacted] of https://eth.example/v2/[redacted] is over quota",
  );
  expect(clean("us@er, us%40er, p ss, p%20ss, apikey=0123456789abcdef")).toBe(
    "[redacted], [redacted], [redacted], [redacted], apikey=[redacted]",
  );
});

test("keeps path names and all other text", () => {
  expect(clean("eth.example/v2/ said: execution reverted")).toBe("eth.example/v2/ said: execution reverted");
  expect(createUrlRedactor(["http://127.0.0.1:8545", "http://127.0.0.1/%zz"])("anything")).toBe("anything");
});
