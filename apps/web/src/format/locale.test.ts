import { describe, expect, it } from "vitest";
import { getLanguage, getTimeLocale } from "./locale.ts";

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

it.each([
  ["es-MX", "es-MX"],
  ["en-US", "es"],
])("shows times of the Spanish site to a browser in %s as in %s", (first, locale) => {
  expect(getTimeLocale(first, "es")).toBe(locale);
});

describe("the language of the site", () => {
  it.each([
    ["the choice", "es", ["en-US"], "es"],
    ["the choice", "en", ["es"], "en"],
    ["the first language of the browser that the site has", null, ["de-DE", "es-AR", "en"], "es"],
    ["the first language of the browser that the site has", "fr", ["en-GB", "es"], "en"],
    ["English without any", null, ["de"], "en"],
    ["English without any", null, [], "en"],
  ] as const)("is %s", (_, choice, browser, expected) => {
    expect(getLanguage(choice, browser)).toBe(expected);
  });
});
