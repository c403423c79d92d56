import { expect, it } from "vitest";
import { getTimeLocale } from "./locale.ts";

it.each([
  ["en-US", "en-US", "Nov 26, 2026, 6:07"],
  ["en", "en", "Nov 26, 2026, 6:07"],
  ["de-DE", "en-GB", "26 Nov 2026, 18:07"],
  ["eng-x", "en-GB", "26 Nov 2026, 18:07"],
  [undefined, "en-GB", "26 Nov 2026, 18:07"],
])("shows times to a browser in %s as in %s", (first, locale, text) => {
  expect(getTimeLocale(first)).toBe(locale);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  expect(format.format(new Date(2026, 10, 26, 18, 7))).toContain(text);
});
