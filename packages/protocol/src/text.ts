import { z } from "zod";

/**
 * Whether a text can be stored and sent back unchanged. PostgreSQL has no U+0000 in a text, and an unpaired surrogate has
 * no UTF-8: it would be stored as another character.
 */
export function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\u0000");
}

/**
 * The schema of every text in a request (body, query, path, header) that no pattern restricts further: well-formed
 * Unicode without U+0000. Use it in place of `z.string()`.
 */
export const text = () => z.string().refine(isStorableText, "must be well-formed Unicode without U+0000");
