import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { parseAddress, parseAmount, parseInteger } from "./parseArguments.ts";
import { runCli } from "./runCli.ts";

async function run(...args: string[]) {
  let [stdout, stderr] = ["", ""];
  const code = await runCli(args, {
    env: {},
    stdin: Readable.from([]),
    stdout: {
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
      },
    },
  });
  return { code, stdout, stderr };
}

const token = "0x52908400098527886E0F7030069857D2E4169EE7";
const draft = "01a2188f-0000-7000-8000-000000000000";

it.each([
  [["--help"], 0],
  [["trade", "--help"], 0],
  [[], 2],
  [["unknown"], 2],
  [["tokens", "--limit", "301"], 2],
  [["tokens", "--private-key", "0x1"], 2],
  [["token", "0x1"], 2],
  [["candles", token, "--csv", "--json"], 2],
  [["quote", token, "hold", "1"], 2],
  [["quote", token, "buy", "1e3"], 2],
  [["trade", token, "buy", "1"], 2],
  [["trade", token, "sell", "1", "--native"], 2],
  [["launch", "1"], 2],
  [["opening"], 2],
  [["opening", "deposit", "--help"], 0],
  [["openings", "--status", "closed"], 2],
  [["opening", "show", "0x1"], 2],
  [["opening", "deposit", token, "0"], 2],
  [["opening", "create", draft, "--minimum", "1", "--cap", "2"], 2],
  [["opening", "create", draft, "--minimum", "1", "--cap", "2", "--deadline", "2027-01-31"], 2],
])("%j ends with %i without a request", async (args, code) => {
  expect((await run(...args)).code).toBe(code);
});

it("C10-90 cleans a wrong argument in the message of the usage", async () => {
  const { stderr } = await run("token", "\u001b[2J\nforged: line\u009b");
  expect(stderr).toMatch(/^error: [ -~]*\n$/);
});

it("C10-92 does not print a key that was passed as an argument by mistake", async () => {
  const key = "0xAC0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
  for (const args of [["token", key], ["quote", token, "buy", key], ["--key", key], [key]]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).not.toContain(key.slice(2));
  }
});

it("C10-92 masks a key or a password that was passed in place of a file or a URL", async () => {
  const key = `0x${"8b".repeat(32)}`;
  for (const args of [
    ["trade", token, "buy", "1", "--key-file", key, "--rpc-url", "http://127.0.0.1:2", "--manifest", key],
    ["--url", "http://user:hunter2@127.0.0.1:2", "tokens"],
    ["token", "slip_abcdefghijklmnop"],
  ]) {
    const { stdout, stderr } = await run(...args);
    expect(`${stdout}${stderr}`).not.toMatch(/8b8b8b|hunter2|abcdefghijklmnop/);
  }
});

it("parses amounts exactly, and refuses what is not one", () => {
  expect(parseAmount("0.000000000000000001")).toBe(1n);
  expect(parseAmount("123456789.5")).toBe(123_456_789_500_000_000_000_000_000n);
  for (const text of ["", "0", "0.0", "-1", "1e3", "0x10", "1,5", ".5", "1.", "0.0000000000000000001", " 1"])
    expect(() => parseAmount(text), text).toThrow();
});

it("refuses addresses with a wrong checksum, and numbers beyond the limits", () => {
  expect(parseAddress(token.toLowerCase())).toBe(token);
  expect(() => parseAddress(token.replace("E0F", "e0F"))).toThrow("checksum");
  expect(parseInteger(1, 500)("500")).toBe(500);
  for (const text of ["0", "501", "1.5", "-1", ""]) expect(() => parseInteger(1, 500)(text), text).toThrow();
});
