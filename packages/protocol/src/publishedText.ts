import { prepareOnChainText, type TextRefusal } from "./onChainText.ts";

/** Text of a listing: of one line, or of several. */
export type PublishedText = { ok: true; text: string } | { ok: false; refusal: TextRefusal };

/**
 * Cleans text that is shown to people, by the rules of names on chain: NFC, single spaces, and nothing that is not visible
 * as itself. With `lines`, line breaks are kept, at most one empty line between two others.
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
 * Text that others wrote, in the same form: what `preparePublishedText` refuses is removed, and what is too long is cut.
 *
 * @returns Null where nothing is left, and for anything but text.
 */
export function toPublishedText(value: unknown, options: { maxLength: number; lines?: boolean }): string | null {
  if (typeof value !== "string") return null;
  // A bound before any expression reads it: what is beyond cannot be shown.
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
