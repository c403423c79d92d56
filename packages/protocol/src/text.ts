import { z } from "zod";

/**
 * Whether a text can be stored and returned unchanged. PostgreSQL cannot store U+0000 in a text, and UTF-8 cannot
 * encode an unpaired surrogate, which would become another character.
 */
export function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\u0000");
}

/**
 * The schema of every text in a request (body, query, path, header) that no pattern restricts further: well-formed
 * Unicode without U+0000. Use it in place of `z.string()`.
 */
export const text = () => z.string().refine(isStorableText, "must be well-formed Unicode without U+0000");
