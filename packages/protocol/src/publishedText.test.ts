import { afterEach, describe, expect, test, vi } from "vitest";
import { report } from "./moderation.ts";
import { prepareOnChainText } from "./onChainText.ts";
import { preparePublishedText, toPublishedText } from "./publishedText.ts";

/** Counts the code units that are normalised, the first step of each cleaning. */
function countCleaned(run: () => void): number {
  const normalize = vi.spyOn(String.prototype, "normalize");
  run();
  return normalize.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a text that is much longer than its limit", () => {
  test.each(["a\n", "a a\n", "\u2028a", "é é\n", "x", " "])("C5-47 is refused before it is cleaned: %j", (part) => {
    const text = part.repeat(Math.floor(64_000 / part.length));
    const cleaned = countCleaned(() => {
      for (const lines of [true, false]) {
        expect(preparePublishedText(text, { maxLength: 1_000, lines })).toMatchObject({
          ok: false,
          refusal: { reason: "too_long", message: "must have at most 1000 characters" },
        });
      }
      expect(prepareOnChainText(text)).toMatchObject({ ok: false, refusal: { reason: "too_long" } });
      expect(report.safeParse({ kind: "image", id: "0".repeat(64), reason: "spam", text }).success).toBe(false);
    });
    expect(cleaned).toBe(0);
  });

  test("C5-47 is cleaned up to its limit if it has more lines", () => {
    const cleaned = countCleaned(() => {
      expect(preparePublishedText("a\n".repeat(2_000), { maxLength: 1_000, lines: true }).ok).toBe(false);
    });
    expect(cleaned).toBeLessThanOrEqual(2 * 1_002);
  });

  test.each(["a a\n", "e\u0301 \u200d\n", "a\u0301\u0301\n", "\u0958\n"])(
    "C9-47 is cut before it is cleaned if a feed contains it: %j",
    (part) => {
      const text = part.repeat(2_000);
      const cleaned = countCleaned(() => {
        const published = toPublishedText(text, { maxLength: 2_000, lines: true });
        expect([...published!].length).toBeGreaterThan(500);
        expect([...published!].length).toBeLessThanOrEqual(2_000);
      });
      // Twice with marks, which can be refused, and twice without; each time NFC and NFD.
      expect(cleaned).toBeLessThanOrEqual(4 * 2 * 2_000);
    },
  );
});

describe("a text of a feed", () => {
  test.each([
    ["  Tin \t Boat\u202e  ", "Tin Boat"],
    ["a\r\n\r\n\r\n  b ", "a\n\nb"],
    ["\u0000a\u0301\u0301\u0301", "a"],
    ["👩‍👧 shop", "👩‍👧 shop"],
    [`${" ".repeat(300)}a`, "a"],
    ["x".repeat(200), "x".repeat(100)],
    ["🚢".repeat(200), "🚢".repeat(100)],
  ])("is cleaned and truncated: %j", (value, expected) => {
    expect(toPublishedText(value, { maxLength: 100, lines: true })).toBe(expected);
  });

  test.each([null, 7, {}, "", " \n ", "\u202e"])("is omitted if nothing remains: %j", (value) => {
    expect(toPublishedText(value, { maxLength: 100, lines: true })).toBeNull();
  });
});
