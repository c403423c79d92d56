import { ApiError } from "@slipway/sdk/apiError";
import { StepError } from "@slipway/sdk/stepWallet";
import { NotAsAsked } from "@slipway/sdk/verifyPrepared";
import { describe, expect, it } from "vitest";
import { cleanText, toJsonLine } from "./cleanText.ts";
import { Declined, DryRunEnd, exitCodes, getEnding, UsageError } from "./cliError.ts";
import { formatCandlesCsv } from "./commands/market.ts";
import { type Column, createOutput } from "./output.ts";

type Item = { symbol: string; price: number | null };
const columns: readonly Column<Item>[] = [
  ["symbol", ({ symbol }) => symbol],
  ["price", ({ price }) => price],
];

/** Text that a terminal would execute or that would forge another line. */
const attacks = {
  "clears the screen": "A\u001b[2J\u001b[HB",
  "sets the title": "A\u001b]0;owned\u0007B",
  "writes the clipboard": "A\u001b]52;c;cm0gLXJm\u0007B",
  "uses the control characters of 8 bits": "A\u009b2JB\u009d0;x\u009cB",
  "returns the carriage": "safe\rEVIL",
  erases: "safe\b\b\b\bEVIL\u007f",
  "forges a line": "A\nexit: 0\u2028B\u2029C\u0085D",
  "reverses the direction": "A\u202eB\u2066C",
  "hides characters": "A\u200b\u{e0041}B",
  "has an unpaired surrogate": "A\ud800B",
  "is only controls": "\u001b\u0000\u0007",
};
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function capture(isJson = false, { env = {}, isTTY = false } = {}) {
  let [stdout, stderr] = ["", ""];
  const streams = {
    stdout: {
      isTTY,
      write: (text: string) => {
        stdout += text;
      },
    },
    stderr: {
      write: (text: string) => {
        stderr += text;
      },
    },
  };
  const output = createOutput(streams, { isJson: () => isJson, env });
  return { output, stdout: () => stdout, stderr: () => stderr };
}

describe("the output of the command line", () => {
  it("aligns tables, and shows unknown values as a dash and numbers without an exponent", () => {
    const { output, stdout } = capture();
    const items = [
      { symbol: "TIN", price: 0.000000123456789 },
      { symbol: "COPPER", price: null },
    ];
    output.table(items, columns);
    expect(stdout()).toBe("symbol  price\nTIN     0.000000123457\nCOPPER  -\n");
  });

  it("prints only the header of an empty table, and nothing of an empty list of JSON", () => {
    const [table, json] = [capture(), capture(true)];
    for (const { output } of [table, json]) output.table([], columns);
    expect([table.stdout(), json.stdout()]).toEqual(["symbol  price\n", ""]);
  });

  it("prints an object a line with --json, with the same values", () => {
    const { output, stdout } = capture(true);
    const items = Object.values(attacks).map((symbol) => ({ symbol, price: null }));
    output.table(items, columns);
    const lines = stdout().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(items);
  });

  it("uses colours only in a terminal without NO_COLOR", () => {
    const print = (options: object) => {
      const { output, stdout } = capture(false, options);
      output.table([], columns);
      return stdout().includes("\u001b");
    };
    expect(print({ isTTY: true })).toBe(true);
    expect(print({ isTTY: true, env: { NO_COLOR: "1" } })).toBe(false);
    expect(print({ isTTY: false })).toBe(false);
  });

  it.each(Object.entries(attacks))("C10-90 prints no text that %s, in no way to print", (_, text) => {
    for (const isJson of [false, true]) {
      const { output, stdout, stderr } = capture(isJson);
      output.table([{ symbol: text, price: 1 }], columns);
      output.fields({ symbol: text, price: 1 }, columns);
      output.line({ text }, [text]);
      output.plain([text]);
      output.note(text);
      const lines = `${stdout()}${stderr()}`.split("\n");
      expect(lines.filter((line) => unsafe.test(line))).toEqual([]);
      expect(lines).toHaveLength(isJson ? 6 : 8);
    }
  });

  it("C10-90 keeps the visible text of names, also of other scripts", () => {
    expect(cleanText("Żółw 海龟 ☕")).toBe("Żółw 海龟 ☕");
    expect(cleanText(attacks["clears the screen"])).toBe("A[2J[HB");
    expect(cleanText("x".repeat(10_000))).toHaveLength(2_000);
    expect(toJsonLine({ a: "é\u001b" })).toBe('{"a":"é\\u001b"}');
  });

  it("writes candles as CSV with all digits", () => {
    const counts = { buys: 1, sells: 3, traders: null };
    const candle = { t: 1_700_000_000, o: 1.5, h: 2, l: 0.000000123456789, c: 1, v: null, vq: 3, n: 4, ...counts };
    expect(formatCandlesCsv([candle])[1]).toBe("1700000000,1.5,2,1.23456789e-7,1,,3,4");
  });
});

describe("the exit codes", () => {
  const answer = { status: 422, requestId: null, retryable: false, retryAfterSeconds: null, message: "m" };
  it.each([
    [new UsageError("m"), 2, "usage"],
    [new ApiError({ ...answer, code: "insufficient_balance" }), 3, "insufficient_balance"],
    [new ApiError({ ...answer, code: "unexpected_answer" }), 1, "unexpected_answer"],
    [new NotAsAsked([]), 3, "not_as_asked"],
    [new StepError("wrong_chain", "m"), 3, "wrong_chain"],
    [new StepError("reverted", "m"), 4, "reverted"],
    [new Declined("m"), 5, "declined"],
    [new DryRunEnd("m"), 0, "dry_run"],
    [new Error("m"), 1, "unexpected"],
  ])("%s ends with %i", (error, exit, code) => {
    const ending = getEnding(error);
    expect([exitCodes[ending.outcome], ending.code]).toEqual([exit, code]);
  });

  it("shows the short message of an error of ethers, without the endpoint's URL", () => {
    const error = Object.assign(new Error("failed (requestUrl=https://rpc.example/secret)"), {
      shortMessage: "failed",
    });
    expect(getEnding(error).message).toBe("failed");
  });
});
