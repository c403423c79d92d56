import { describe, expect, test } from "vitest";
import { serializeCsv } from "./serializeCsv.ts";

const toText = (...values: Parameters<typeof serializeCsv>[1][number]) =>
  serializeCsv(["a"], [values]).bytes.toString().split("\r\n")[1];

describe("a table as CSV", () => {
  test("has a header, quotes fields that need it, and leaves unknown values empty", () => {
    const { bytes, contentType, etag } = serializeCsv(
      ["name", "amount", "usd"],
      [
        [{ text: "plain" }, 10n ** 30n, 1.5],
        [{ text: 'a "b", c' }, -5n, null],
        [{ text: "line\nbreak" }, 0, -1e-9],
      ],
    );
    expect(bytes.toString()).toBe(
      `name,amount,usd\r\nplain,${10n ** 30n},1.5\r\n"a ""b"", c",-5,\r\n"line\nbreak",0,-1e-9\r\n`,
    );
    expect(contentType).toBe("text/csv; charset=utf-8");
    expect(etag).toMatch(/^"[\w-]{27}"$/);
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uFF1D1", '=HYPERLINK("http://x")'])(
    "C4-95 never begins a text with a formula: %s",
    (text) => {
      expect(toText({ text })?.replace(/^"/, "")).toMatch(/^'/);
    },
  );

  test("leaves other texts as they are", () => {
    for (const text of ["", "a=b", "1-2", "Token @ home", "\u00e9t\u00e9"]) expect(toText({ text })).toBe(text);
  });
});
