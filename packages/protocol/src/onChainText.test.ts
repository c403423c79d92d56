import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contractUri } from "./metadataDocument.ts";
import { describeCodePoint, prepareOnChainText } from "./onChainText.ts";

const findRefusal = (text: string) => {
  const result = prepareOnChainText(text);
  return result.ok ? null : result.refusal;
};
const character = (codePoint: number) => String.fromCodePoint(codePoint);

describe("prepareOnChainText", () => {
  it.each([
    ["plain text", "Tin Boat", "Tin Boat"],
    ["spaces at the ends and in a row", "  Tin   Boat ", "Tin Boat"],
    ["no-break and ideographic spaces", "\u00a0日本\u3000語\u2003", "日本 語"],
    ["a decomposed letter", "Cafe\u0301", "Café"],
    ["a singleton of NFC", "\u212b", "Å"],
    ["quotes and a backslash", 'a"b\\c', 'a"b\\c'],
  ])("cleans %s", (_, text, cleaned) => {
    expect(prepareOnChainText(text)).toEqual({ ok: true, text: cleaned });
  });

  it.each([
    ["a family joined by U+200D", "👩\u200d👩\u200d👧\u200d👦"],
    ["skin tones within a joined emoji", "🧑🏻\u200d❤\ufe0f\u200d💋\u200d🧑🏿"],
    ["a joined emoji without its variation selectors", "❤\u200d🔥"],
    ["the transgender flag", "🏳\ufe0f\u200d⚧\ufe0f"],
    ["the flag of Scotland", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["a country's flag", "🇩🇪"],
    ["keycaps", "1\ufe0f\u20e3 #\u20e3"],
    ["emoji and text presentation", "❤\ufe0f ☎\ufe0e ©\ufe0f"],
    ["a skin tone", "👍🏽"],
    ["emoji between letters", "a👍🏽b 🇩🇪c"],
    ["Vietnamese", "Tiếng Việt"],
    ["Devanagari", "नमस्ते"],
    ["Bengali with a conjunct", "ক্ষ"],
    ["Thai with two marks on a letter", "ที่นี่"],
    ["Hebrew with points", "שָׁלוֹם"],
    ["Arabic", "مرحبا"],
    ["Korean from jamo", "한글"],
    ["four marks on a letter", "x\u0323\u0331\u0302\u0301"],
  ])("keeps %s", (_, text) => {
    expect(prepareOnChainText(text)).toEqual({ ok: true, text: text.normalize("NFC") });
  });

  it.each([
    ["nothing", "", "empty", undefined],
    ["spaces alone", " \u00a0\u3000 ", "empty", undefined],
    ["a line feed", "a\nb", "line_break", "U+000A LINE FEED"],
    ["a line feed at the end", "a\n", "line_break", "U+000A LINE FEED"],
    ["a carriage return", "a\r\nb", "line_break", "U+000D CARRIAGE RETURN"],
    ["NEL", "a\u0085b", "line_break", "U+0085 NEXT LINE"],
    ["a line separator", "a\u2028b", "line_break", "U+2028 LINE SEPARATOR"],
    ["a tabulator", "\ta", "control", "U+0009 CHARACTER TABULATION"],
    ["NUL", "a\0b", "control", "U+0000 NULL"],
    ["DEL", "a\u007f", "control", "U+007F DELETE"],
    ["a C1 control", "a\u009bb", "control", "U+009B"],
    ["a direction override", "a\u202eb", "bidi_control", "U+202E RIGHT-TO-LEFT OVERRIDE"],
    ["an isolate", "a\u2067b", "bidi_control", "U+2067 RIGHT-TO-LEFT ISOLATE"],
    ["a direction mark", "a\u200fb", "bidi_control", "U+200F RIGHT-TO-LEFT MARK"],
    ["an Arabic letter mark", "a\u061cb", "bidi_control", "U+061C ARABIC LETTER MARK"],
    ["a zero width space", "a\u200bb", "invisible", "U+200B ZERO WIDTH SPACE"],
    ["a byte order mark", "\ufeffa", "invisible", "U+FEFF ZERO WIDTH NO-BREAK SPACE"],
    ["a soft hyphen", "a\u00adb", "invisible", "U+00AD SOFT HYPHEN"],
    ["a word joiner", "a\u2060b", "invisible", "U+2060 WORD JOINER"],
    ["a Hangul filler", "\u3164", "invisible", "U+3164 HANGUL FILLER"],
    ["a braille blank", "a\u2800", "invisible", "U+2800 BRAILLE PATTERN BLANK"],
    ["U+200D between letters", "a\u200db", "invisible", "U+200D ZERO WIDTH JOINER"],
    ["U+200D after an emoji at the end", "👩\u200d", "invisible", "U+200D ZERO WIDTH JOINER"],
    ["U+200D between an emoji and a letter", "👩\u200da", "invisible", "U+200D ZERO WIDTH JOINER"],
    ["U+200D twice", "👩\u200d\u200d👩", "invisible", "U+200D ZERO WIDTH JOINER"],
    ["U+200D between flags", "🇩🇪\u200d🇫🇷", "invisible", "U+200D ZERO WIDTH JOINER"],
    ["U+200C between letters", "می\u200cخواهم", "invisible", "U+200C ZERO WIDTH NON-JOINER"],
    ["a variation selector after a letter", "a\ufe0f", "invisible", "U+FE0F VARIATION SELECTOR-16"],
    ["a variation selector after a digit", "1\ufe0f", "invisible", "U+FE0F VARIATION SELECTOR-16"],
    ["two variation selectors", "❤\ufe0f\ufe0e", "invisible", "U+FE0E VARIATION SELECTOR-15"],
    ["a supplementary variation selector", "葛\u{e0100}", "invisible", "U+E0100"],
    ["a tag after a letter", "a\u{e0061}", "invisible", "U+E0061"],
    ["tags of a flag that does not exist", "🏴\u{e0075}\u{e0073}\u{e007f}", "invisible", "U+E0075"],
    ["tags after another emoji", "👍\u{e0067}\u{e007f}", "invisible", "U+E0067"],
    ["an unpaired high surrogate", "a\ud83d", "unpaired_surrogate", "U+D83D"],
    ["an unpaired low surrogate", "\udc00a", "unpaired_surrogate", "U+DC00"],
    ["an object replacement", "a\ufffc", "placeholder", "U+FFFC OBJECT REPLACEMENT CHARACTER"],
    ["a replacement character", "a\ufffd", "placeholder", "U+FFFD REPLACEMENT CHARACTER"],
    ["private use", "a\ue000", "private_use", "U+E000"],
    ["supplementary private use", "\u{f0000}", "private_use", "U+F0000"],
    ["a noncharacter", "a\ufdd0", "noncharacter", "U+FDD0"],
    ["the last code point", "a\u{10ffff}", "noncharacter", "U+10FFFF"],
    ["an unassigned code point", "a\u0378", "unassigned", "U+0378"],
    ["a code point reserved for an emoji", "\u{1faff}", "unassigned", "U+1FAFF"],
    ["a mark at the start", "\u0301a", "mark_without_base", "U+0301"],
    ["a mark after a space", "a \u0301b", "mark_without_base", "U+0301"],
    ["five marks in a row", "x\u0323\u0331\u0302\u0301\u0303", "too_many_marks", "U+0303"],
    ["marks hidden in a composed letter", "ế\u0303\u0304\u0305", "too_many_marks", "U+0305"],
    ["a mark twice", "x\u0301\u0301", "too_many_marks", "U+0301"],
    ["65 code points", "x".repeat(65), "too_long", undefined],
    ["65 emoji", "🚢".repeat(65), "too_long", undefined],
  ])("rejects %s", (_, text, reason, codePoint) => {
    const refusal = findRefusal(text)!;
    expect(refusal).toMatchObject({ reason });
    expect(refusal.codePoint).toBe(codePoint);
    if (codePoint !== undefined) expect(refusal.message).toContain(`must not contain ${codePoint} (`);
  });

  it("counts code points after cleaning", () => {
    expect(prepareOnChainText(` ${"🚢".repeat(64)} `)).toEqual({ ok: true, text: "🚢".repeat(64) });
    // U+0958 is excluded from composition: NFC converts it to two code points.
    expect(findRefusal("\u0958".repeat(33))).toMatchObject({ reason: "too_long" });
    expect(prepareOnChainText("abc", 2)).toMatchObject({ ok: false });
  });

  it("keeps no single code point that has no glyph of its own", () => {
    const notVisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
    const wrong: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const { ok } = prepareOnChainText(`A${character(codePoint)}A`);
      if (ok && notVisible.test(character(codePoint))) wrong.push(describeCodePoint(codePoint));
    }
    expect(wrong).toEqual([]);
  });

  it("keeps every visible letter, digit, punctuation and symbol", () => {
    const refused: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const text = character(codePoint);
      if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text) || /\p{Default_Ignorable_Code_Point}/u.test(text)) continue;
      if (!prepareOnChainText(`A${text}A`).ok) refused.push(describeCodePoint(codePoint));
    }
    // The blanks and the placeholders.
    expect(refused).toEqual([
      "U+2800 BRAILLE PATTERN BLANK",
      "U+FFFC OBJECT REPLACEMENT CHARACTER",
      "U+FFFD REPLACEMENT CHARACTER",
      "U+13441",
      "U+13442",
      "U+1D159",
    ]);
  });
});

/** Text from the characters of the rules, so that sequences of them occur. */
const pieces = fc.constantFrom(
  ..."aZ1# éßΩя日 \u00a0\u3000\u0301\u0323\u0345\u200d\u200c\ufe0f\ufe0e\u20e3\u202e\n\u0958\ufb2c\u1100\u1161\u11a8",
  ..."👩🏽🏴🇩🇪❤🔥",
  "\u{e0067}",
  "\u{e007f}",
  "\ud800",
  "\udfff",
  "👩\u200d👧",
  "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
);
const hostileText = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
);

describe("text that prepareOnChainText accepts", () => {
  it("is accepted again and unchanged, is in NFC and survives UTF-8 and the launch's document", () => {
    fc.assert(
      fc.property(hostileText, (input) => {
        const result = prepareOnChainText(input);
        if (!result.ok) return;
        const { text } = result;
        expect(prepareOnChainText(text)).toEqual({ ok: true, text });
        expect(text.normalize("NFC")).toBe(text);
        expect(text).toBe(text.trim());
        expect(new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode(text))).toBe(text);
        expect([...text].length).toBeGreaterThan(0);
        expect([...text].length).toBeLessThanOrEqual(64);
        const uri = contractUri({ name: text, symbol: "T", image_uri: "ipfs://x" });
        const bytes = Uint8Array.from(atob(uri.split(",")[1]!), (c) => c.charCodeAt(0));
        expect(JSON.parse(new TextDecoder().decode(bytes)).name).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  it("has U+200D and variation selectors only behind an emoji", () => {
    fc.assert(
      fc.property(hostileText, (input) => {
        const result = prepareOnChainText(input);
        if (!result.ok) return;
        expect(result.text).not.toMatch(/(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0e|\ufe0f)\u200d/u);
        expect(result.text).not.toMatch(/\u200d(?!\p{Extended_Pictographic})/u);
        expect(result.text).not.toMatch(/(?<![\p{Extended_Pictographic}0-9#*])[\ufe00-\ufe0f]/u);
        expect(result.text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\p{Co}\p{Cn}]/u);
        expect(result.text.normalize("NFD")).not.toMatch(/[\p{Mn}\p{Me}]{5}/u);
      }),
      { numRuns: 5_000 },
    );
  });

  it("names the rejected code point, which is in the text", () => {
    fc.assert(
      fc.property(hostileText, (input) => {
        const notation = findRefusal(input)?.codePoint?.split(" ")[0];
        if (notation === undefined) return;
        const refused = character(Number.parseInt(notation.slice(2), 16));
        expect(input.normalize("NFC") + input.normalize("NFD")).toContain(refused);
      }),
      { numRuns: 5_000 },
    );
  });
});
