import {
  isMuchTooLong,
  maxUnitsPerCodePoint,
  prepareOnChainText,
  refuseLength,
  type TextRefusal,
} from "./onChainText.ts";

/** A text of a listing, with one line or several lines. */
export type PublishedText = { ok: true; text: string } | { ok: false; refusal: TextRefusal };

/**
 * Cleans text for display by the rules of on-chain names: NFC, single spaces, only characters that are visible as
 * themselves. With `lines`, keeps line breaks, with at most one empty line in a row.
 *
 * @param options.maxLength - In code points, after cleaning.
 */
export function preparePublishedText(
  text: string,
  { maxLength, lines = false }: { maxLength: number; lines?: boolean },
): PublishedText {
  if (!lines) return prepareOnChainText(text, maxLength);
  if (isMuchTooLong(text, maxLength)) return { ok: false, refusal: refuseLength(maxLength) };
  const cleaned: string[] = [];
  for (const line of text.replaceAll("\t", " ").split(/\r\n|[\n\r\u2028\u2029]/)) {
    const isEmpty = /^\p{Zs}*$/u.test(line);
    const prepared = isEmpty ? ({ ok: true, text: "" } as const) : prepareOnChainText(line, Number.POSITIVE_INFINITY);
    if (!prepared.ok) return prepared;
    if (prepared.text !== "" || cleaned.at(-1) !== "") cleaned.push(prepared.text);
    // Each line has at least one character, its break.
    if (cleaned.length > maxLength + 1) return { ok: false, refusal: refuseLength(maxLength) };
  }
  const joined = cleaned.join("\n").replace(/^\n|\n$/g, "");
  if (joined === "") return { ok: false, refusal: { reason: "empty", message: "must not be empty" } };
  if ([...joined].length <= maxLength) return { ok: true, text: joined };
  return { ok: false, refusal: refuseLength(maxLength) };
}

/** Characters that are removed from the text of another party. Line breaks and U+200D within emoji stay. */
const unpublishable = /[[\p{C}\p{Bidi_Control}\ufffc\ufffd\u2800]--[\n\r\t\u200d]]/gv;

/**
 * Cleans text from another party in the same way, but removes what `preparePublishedText` rejects, and truncates text
 * that is too long.
 *
 * @returns Null if the result is empty, and for any value that is not text.
 */
export function toPublishedText(value: unknown, options: { maxLength: number; lines?: boolean }): string | null {
  if (typeof value !== "string") return null;
  const { maxLength } = options;
  // Truncates before the text is cleaned: a feed contains tens of thousands of texts.
  const raw = value.slice(0, maxLength * maxUnitsPerCodePoint).toWellFormed();
  const spaced = raw.replace(unpublishable, "").replace(/[\p{Zs}\t]+/gu, " ");
  const kept = cut(spaced.trimStart(), maxLength);
  for (const candidate of [kept, kept.replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, "")]) {
    const cleaned = preparePublishedText(candidate, { ...options, maxLength: Number.POSITIVE_INFINITY });
    if (!cleaned.ok) continue;
    const text = cut(cleaned.text, maxLength);
    if (text === cleaned.text) return text;
    // NFC decomposes some characters, which makes the text longer.
    const prepared = preparePublishedText(text, options);
    if (prepared.ok) return prepared.text;
  }
  return null;
}

/** Returns the first code points of a text. */
const cut = (text: string, maxLength: number) => [...text.slice(0, 2 * maxLength)].slice(0, maxLength).join("");
