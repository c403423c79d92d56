import { toPublishedText } from "@slipway/protocol/publishedText";

/** Longer texts are cut: a message of the service, or a name. */
const maxLength = 2_000;

/**
 * Cleans a text for a terminal: one line, without control characters, escape sequences, characters that change the
 * direction of the text, and invisible ones. A stranger chooses the names and symbols of tokens, and a terminal executes
 * what it prints.
 */
export function cleanText(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return toPublishedText(line, { maxLength }) ?? line.replace(/[^ -~]/g, "").slice(0, maxLength);
}

/**
 * Writes a value as one line of JSON whose characters are all safe for a terminal: the others are escaped, so that
 * parsing the line returns the same value.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
