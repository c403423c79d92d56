import { prepareOnChainText, type TextRefusal } from "./onChainText.ts";

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
  const cleaned: string[] = [];
  for (const line of text.replaceAll("\t", " ").split(/\r\n|[\n\r\u2028\u2029]/)) {
    const isEmpty = /^\p{Zs}*$/u.test(line);
    const prepared = isEmpty ? ({ ok: true, text: "" } as const) : prepareOnChainText(line, Number.POSITIVE_INFINITY);
    if (!prepared.ok) return prepared;
    if (prepared.text !== "" || cleaned.at(-1) !== "") cleaned.push(prepared.text);
  }
  const joined = cleaned.join("\n").replace(/^\n|\n$/g, "");
  if (joined === "") return { ok: false, refusal: { reason: "empty", message: "must not be empty" } };
  if ([...joined].length <= maxLength) return { ok: true, text: joined };
  return { ok: false, refusal: { reason: "too_long", message: `must have at most ${maxLength} characters` } };
}

/**
 * Cleans text from another party in the same way, but removes what `preparePublishedText` rejects, and truncates text
 * that is too long.
 *
 * @returns Null if the result is empty, and for any value that is not text.
 */
export function toPublishedText(value: unknown, options: { maxLength: number; lines?: boolean }): string | null {
  if (typeof value !== "string") return null;
  // Truncates before any regular expression runs: text beyond the bound cannot be shown.
  const kept = [...value.slice(0, options.maxLength * 4).toWellFormed()]
    .filter(
      (character) =>
        /[\n\r\t\u200d]|\P{C}/u.test(character) && !/[\p{Bidi_Control}\ufffc\ufffd\u2800]/u.test(character),
    )
    .join("");
  for (const candidate of [kept, kept.replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, "")]) {
    const cut = preparePublishedText(candidate, { ...options, maxLength: Number.POSITIVE_INFINITY });
    if (!cut.ok) continue;
    const prepared = preparePublishedText([...cut.text].slice(0, options.maxLength).join(""), options);
    if (prepared.ok) return prepared.text;
  }
  return null;
}
