/** The reasons why a text cannot go on chain. */
export type TextRefusalReason =
  | "empty"
  | "too_long"
  | "unpaired_surrogate"
  | "line_break"
  | "control"
  | "bidi_control"
  | "invisible"
  | "placeholder"
  | "private_use"
  | "unassigned"
  | "noncharacter"
  | "mark_without_base"
  | "too_many_marks";

export type TextRefusal = {
  reason: TextRefusalReason;
  /** The rejected code point, e.g. `U+202E RIGHT-TO-LEFT OVERRIDE`; without a name if the name is not listed here. */
  codePoint?: string;
  /**
   * The message for the caller, which follows the field's name: `must not contain U+202E RIGHT-TO-LEFT OVERRIDE (…)`.
   */
  message: string;
};

export type OnChainText = { ok: true; text: string } | { ok: false; refusal: TextRefusal };

/** The maximum length of a name in code points (the spec's Intent). */
const maxNameLength = 64;

/** The maximum number of nonspacing marks in a row, in NFD (UTS #39, 5.4). */
const maxMarksInSequence = 4;

/**
 * Returns the text that a launch writes on chain permanently: in NFC, with single U+0020 in place of any white space,
 * and none at the ends. Rejects text with characters that are not visible as themselves: controls, line breaks,
 * characters that change the direction or show nothing, code points without a meaning, stacked combining marks. Keeps
 * U+200D and variation selectors within emoji, and tag characters within the flags that exist.
 *
 * The function accepts its own output and returns it unchanged. The output is well-formed, so that UTF-8 preserves it.
 * The Unicode version of the JavaScript engine determines which code points are assigned and which are emoji.
 *
 * A symbol does not need this function: its pattern allows only ASCII letters and digits.
 *
 * @param maxLength - In code points, as JSON Schema counts, after cleaning.
 *
 * @example
 * prepareOnChainText("  Tin  Boat "); // { ok: true, text: "Tin Boat" }
 */
export function prepareOnChainText(text: string, maxLength = maxNameLength): OnChainText {
  if (isMuchTooLong(text, maxLength)) return { ok: false, refusal: refuseLength(maxLength) };
  const cleaned = text
    .normalize("NFC")
    .replace(/\p{Zs}+/gu, " ")
    .replace(/^ | $/g, "");
  const refusal =
    (cleaned === "" ? refuse("empty", "must not be empty") : null) ??
    findRefusedCodePoint(cleaned) ??
    findRefusedMarks(cleaned) ??
    ([...cleaned].length > maxLength ? refuseLength(maxLength) : null);
  return refusal === null ? { ok: true, text: cleaned } : { ok: false, refusal };
}

/** Code units of the longest text that can be cleaned, for each code point of the maximum. */
export const maxUnitsPerCodePoint = 4;

/**
 * Whether a text is refused before it is cleaned. Cleaning removes spaces and composes characters, but a text that is
 * several times too long only costs time: a request can contain 64 KiB.
 */
export const isMuchTooLong = (text: string, maxLength: number) => text.length > maxUnitsPerCodePoint * maxLength;

export const refuseLength = (maxLength: number) => refuse("too_long", `must have at most ${maxLength} characters`);

/**
 * An emoji sequence (UTS #51): a flag made of tags, a keycap, or pictographs with a skin tone or a variation selector,
 * joined by U+200D. Accepts only the tag flags that are recommended for interchange: every other one looks like the
 * plain black flag.
 */
const emojiSequence = (() => {
  const pictograph = String.raw`\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F]?`;
  const keycap = String.raw`[0-9#*]\uFE0F?\u20E3`;
  return new RegExp(String.raw`\p{RGI_Emoji_Tag_Sequence}|${keycap}|${pictograph}(?:\u200D${pictograph})*`, "vy");
})();

function findRefusedCodePoint(text: string): TextRefusal | null {
  if (!anyRefused.test(text)) return null;
  for (let index = 0; index < text.length; ) {
    emojiSequence.lastIndex = index;
    const emoji = emojiSequence.exec(text)?.[0];
    const token = emoji ?? String.fromCodePoint(text.codePointAt(index)!);
    // Extended_Pictographic also contains code points reserved for future emoji.
    const rules = emoji === undefined ? characterRules : assignmentRules;
    for (const character of token) {
      const rule = rules.find(({ pattern }) => pattern.test(character));
      if (rule !== undefined) return refuseCharacter(rule.reason, character, rule.kind);
    }
    index += token.length;
  }
  return null;
}

type CharacterRule = { reason: TextRefusalReason; pattern: RegExp; kind: string };

const assignmentRules: CharacterRule[] = [{ reason: "unassigned", pattern: /\p{Cn}/u, kind: "unassigned" }];

/** In order of precedence: the first rule that rejects a character provides the description. */
const characterRules: CharacterRule[] = [
  { reason: "unpaired_surrogate", pattern: /\p{Cs}/u, kind: "unpaired surrogate" },
  { reason: "line_break", pattern: /[\n\v\f\r\u0085\u2028\u2029]/u, kind: "line break" },
  { reason: "control", pattern: /\p{Cc}/u, kind: "control character" },
  { reason: "bidi_control", pattern: /\p{Bidi_Control}/u, kind: "changes the direction of text" },
  { reason: "noncharacter", pattern: /\p{Noncharacter_Code_Point}/u, kind: "noncharacter" },
  { reason: "private_use", pattern: /\p{Co}/u, kind: "private use" },
  // Blank, but neither a space nor ignorable: Khitan filler, braille blank, hieroglyph blanks, null notehead.
  {
    reason: "invisible",
    pattern: /[\p{Default_Ignorable_Code_Point}\p{Cf}\u{16FE4}\u2800\u{13441}\u{13442}\u{1D159}]/u,
    kind: "invisible",
  },
  { reason: "placeholder", pattern: /[\uFFFC\uFFFD]/u, kind: "placeholder for lost text" },
  ...assignmentRules,
];

/** Finds the texts that need a check of each code point. */
const anyRefused = new RegExp(characterRules.map(({ pattern }) => pattern.source).join("|"), "u");

/** Finds marks without a base character, and more marks than any script needs (UTS #39, 5.4). */
function findRefusedMarks(text: string): TextRefusal | null {
  const baseless = /(?:^| )(\p{M})/u.exec(text)?.[1];
  if (baseless !== undefined) return refuseCharacter("mark_without_base", baseless, "combining mark without a base");
  for (const [run] of text.normalize("NFD").matchAll(/[\p{Mn}\p{Me}]{2,}/gu)) {
    const marks = [...run];
    const repeated = marks.find((mark, index) => mark === marks[index + 1]);
    if (repeated !== undefined) return refuseCharacter("too_many_marks", repeated, "the same combining mark twice");
    if (marks.length > maxMarksInSequence) {
      const kind = `more than ${maxMarksInSequence} combining marks in a row`;
      return refuseCharacter("too_many_marks", marks[maxMarksInSequence]!, kind);
    }
  }
  return null;
}

function refuse(reason: TextRefusalReason, message: string): TextRefusal {
  return { reason, message };
}

function refuseCharacter(reason: TextRefusalReason, character: string, kind: string): TextRefusal {
  const codePoint = describeCodePoint(character.codePointAt(0)!);
  return { reason, codePoint, message: `must not contain ${codePoint} (${kind})` };
}

/**
 * Returns a code point in Unicode notation, with its name if it is listed here.
 *
 * @example
 * describeCodePoint(0x202e); // "U+202E RIGHT-TO-LEFT OVERRIDE"
 */
export function describeCodePoint(codePoint: number): string {
  const notation = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = codePointNames[codePoint];
  return name === undefined ? notation : `${notation} ${name}`;
}

/** Names from UnicodeData.txt; for controls, which have no names, aliases from NameAliases.txt. */
const codePointNames: Record<number, string> = {
  0: "NULL",
  9: "CHARACTER TABULATION",
  10: "LINE FEED",
  11: "LINE TABULATION",
  12: "FORM FEED",
  13: "CARRIAGE RETURN",
  27: "ESCAPE",
  127: "DELETE",
  133: "NEXT LINE",
  173: "SOFT HYPHEN",
  847: "COMBINING GRAPHEME JOINER",
  1564: "ARABIC LETTER MARK",
  4447: "HANGUL CHOSEONG FILLER",
  4448: "HANGUL JUNGSEONG FILLER",
  6158: "MONGOLIAN VOWEL SEPARATOR",
  8203: "ZERO WIDTH SPACE",
  8204: "ZERO WIDTH NON-JOINER",
  8205: "ZERO WIDTH JOINER",
  8206: "LEFT-TO-RIGHT MARK",
  8207: "RIGHT-TO-LEFT MARK",
  8232: "LINE SEPARATOR",
  8233: "PARAGRAPH SEPARATOR",
  8234: "LEFT-TO-RIGHT EMBEDDING",
  8235: "RIGHT-TO-LEFT EMBEDDING",
  8236: "POP DIRECTIONAL FORMATTING",
  8237: "LEFT-TO-RIGHT OVERRIDE",
  8238: "RIGHT-TO-LEFT OVERRIDE",
  8288: "WORD JOINER",
  8289: "FUNCTION APPLICATION",
  8290: "INVISIBLE TIMES",
  8291: "INVISIBLE SEPARATOR",
  8292: "INVISIBLE PLUS",
  8294: "LEFT-TO-RIGHT ISOLATE",
  8295: "RIGHT-TO-LEFT ISOLATE",
  8296: "FIRST STRONG ISOLATE",
  8297: "POP DIRECTIONAL ISOLATE",
  10240: "BRAILLE PATTERN BLANK",
  12644: "HANGUL FILLER",
  65038: "VARIATION SELECTOR-15",
  65039: "VARIATION SELECTOR-16",
  65279: "ZERO WIDTH NO-BREAK SPACE",
  65440: "HALFWIDTH HANGUL FILLER",
  65532: "OBJECT REPLACEMENT CHARACTER",
  65533: "REPLACEMENT CHARACTER",
  917505: "LANGUAGE TAG",
  917631: "CANCEL TAG",
};
