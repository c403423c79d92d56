import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areConfusable, confusableKeys, skeleton } from "./confusables.ts";

describe("skeleton", () => {
  it.each([
    ["раураl with Cyrillic letters", "раура\u006c", "paypal"],
    ["ѕсоре in Cyrillic letters", "ѕсоре", "scope"],
    ["fullwidth letters", "ｐａｙｐａｌ", "paypal"],
    ["mathematical letters", "𝔭𝒶𝓎𝕡𝕒𝗅", "paypal"],
    ["the standard's mixed example", "ρ⍺у𝓅𝒂ן", "paypal"],
    ["Greek and Armenian letters", "ցооցⅼе", "google"],
    ["digits", "G00D 1DEA", "GOOD lDEA"],
    ["a prototype of two letters", "modern", "rnodern"],
    ["a ligature", "ﬁsh", "fish"],
    ["a Roman numeral", "ⅷ", "viii"],
    ["Cherokee", "ᎪᏴ", "AB"],
    ["a no-break space", "a\u00a0b", "a b"],
    ["ignorable code points", "pay\u200dpal\ufe0f\u00ad", "paypal"],
    ["katakana that looks like a Chinese character", "カ", "力"],
  ])("maps %s", (_, text, expected) => {
    expect(skeleton(text)).toBe(expected);
  });

  it("is the same for canonically equivalent text", () => {
    expect(skeleton("é")).toBe(skeleton("e\u0301"));
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(skeleton(text.normalize("NFC"))).toBe(skeleton(text.normalize("NFD")));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps letters that are not confusable apart", () => {
    expect(skeleton("abcdefghjkopqrstuvwxyz")).toBe("abcdefghjkopqrstuvwxyz");
    expect(skeleton("日本")).toBe("日本");
  });
});

describe("confusableKeys", () => {
  it.each([
    ["letter case", "BitCoin", "BITCOIN"],
    ["capital I for l", "PayPaI", "PAYPAL"],
    ["digits for letters", "B1TC0IN", "bitcoin"],
    ["l for I in another case", "BlTCOlN", "bitcoin"],
    ["rn for m", "rnoon", "MOON"],
    ["Cyrillic capitals", "МОСКВА", "MOCKBA"],
    ["Cyrillic in another case", "москва", "МОСКВА"],
    ["Greek capitals", "ΝΕΤ", "net"],
    ["a final sigma", "Σίσυφος", "ΣΊΣΥΦΟΣ"],
    ["sharp s", "Straße", "STRASSE"],
    ["fullwidth and space", "Ｔｉｎ　Ｂｏａｔ", "tin boat"],
    ["Greek capitals beside fullwidth letters", "ΝΕｎ", "nen"],
    ["white space", " Tin \n Boat", "Tin Boat"],
    ["invisible characters", "T\u200bi\u2060n", "Tin"],
    ["decomposed letters", "CAFE\u0301", "café"],
    ["dotless i", "bıtcoın", "bitcoin"],
    ["variation selectors of emoji", "❤\ufe0f", "❤"],
    ["the same name", "Tin Boat", "Tin Boat"],
  ])("match in spite of %s", (_, name, other) => {
    expect(areConfusable(name, other)).toBe(true);
    expect(areConfusable(other, name)).toBe(true);
  });

  it.each([
    ["Tin Boat", "Tin Goat"],
    ["TinBoat", "Tin Boat"],
    ["cafe", "café"],
    ["vault", "nault"],
    ["νετ", "NET"],
    ["日本", "本日"],
    ["moon", "noon"],
  ])("differ for %s and %s", (name, other) => {
    expect(areConfusable(name, other)).toBe(false);
  });

  it("are empty for invisible text, which never matches", () => {
    expect(confusableKeys(" \u200d\u3000\n")).toEqual([]);
    expect(areConfusable("", "\u200b")).toBe(false);
  });

  it("are at most one for ASCII", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (name) => {
        expect(confusableKeys(name).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 5_000 },
    );
  });

  it("match names that differ only by letter case", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9]{1,12}$/), (name) => {
        expect(areConfusable(name, name.toUpperCase())).toBe(true);
        expect(areConfusable(name, name.toLowerCase())).toBe(true);
        expect(areConfusable(name, skeleton(name))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
