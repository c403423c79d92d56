import { describe, expect, test } from "vitest";
import { isName, name, Sql, type SqlValue, sql } from "./sql.ts";

describe("sql", () => {
  test("puts whole numbers, hex, SQL and lists into a statement", () => {
    const table = name("trades_0a");
    expect(
      sql`select ${[name("a"), name("b")]} from ${table} where a = ${7} and b = ${2n ** 64n - 1n} and c = ${"0x00ff"}`
        .text,
    ).toBe("select a, b from trades_0a where a = 7 and b = 18446744073709551615 and c = unhex('00ff')");
  });

  test.each<[string, unknown]>([
    ["text", "abc"],
    ["text with a quote", "0x00' or '1'='1"],
    ["hex in upper case", "0xAB"],
    ["an odd number of hex digits", "0x123"],
    ["hex followed by a new line", "0x00\n"],
    ["empty hex", "0x"],
    ["digits as text", "1"],
    ["a negative number", -1],
    ["a fraction", 1.5],
    ["NaN", Number.NaN],
    ["a number above 2^53", 2 ** 53],
    ["a negative bigint", -1n],
    ["a bigint above 64 bits", 2n ** 64n],
    ["null", null],
    ["undefined", undefined],
    ["a boolean", true],
    ["an object with text", { text: "1; drop table x" }],
    ["an object with toString", { toString: () => "1" }],
    ["an empty list", []],
    ["a list with text", [1, "x"]],
  ])("C2-95 refuses %s as a value", (_, value) => {
    expect(() => sql`select ${value as SqlValue}`).toThrow(TypeError);
  });

  test.each(["", "1a", "a b", "a;b", "a`b", "a'b", "a.b", "ä", "a".repeat(64), "a\n"])(
    "C2-95 refuses %j as a name",
    (text) => {
      expect(isName(text)).toBe(false);
      expect(() => name(text)).toThrow(TypeError);
    },
  );

  test("C2-95 only the class itself counts as SQL", () => {
    expect(() => sql`${JSON.parse('{"text":"1"}') as Sql}`).toThrow(TypeError);
    expect(sql`${new Sql("now()")}`.text).toBe("now()");
  });
});
