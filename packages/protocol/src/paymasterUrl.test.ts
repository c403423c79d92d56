import { expect, test } from "vitest";
import { isPaymasterUrl } from "./paymasterUrl.ts";

test.each([
  "https://paymaster.example",
  "https://paymaster.example:8443/v2/46630/rpc?policy=launch",
  "http://127.0.0.1:3000/rpc",
  "http://localhost/rpc",
  "http://[::1]:3000/rpc",
])("accepts %s", (text) => expect(isPaymasterUrl(text)).toBe(true));

test.each([
  "",
  "paymaster.example",
  "//paymaster.example",
  "http://paymaster.example",
  "http://127.0.0.1.paymaster.example",
  "http://localhost.paymaster.example",
  "ws://paymaster.example",
  "javascript:alert(1)",
  "data:text/plain,https://paymaster.example",
  "https://user@paymaster.example",
  "https://:password@paymaster.example",
  "http://user:password@127.0.0.1",
  "https://paymaster.example/#part",
  "https://paymaster.example/#",
  " https://paymaster.example",
  "https://paymaster.example/\n",
  "https://pay\tmaster.example",
  "https://paymästêr.example",
  `https://paymaster.example/${"a".repeat(2_000)}`,
])("C10-98 refuses %j", (text) => expect(isPaymasterUrl(text)).toBe(false));
