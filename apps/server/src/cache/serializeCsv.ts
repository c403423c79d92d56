import { CachedResponse, strongEtag } from "./cachedResponse.ts";

/** A value of a table: a text, or a number or amount as it is; null is an empty field. */
export type CsvValue = { text: string } | number | bigint | null;

/**
 * Formats a field (RFC 4180). Spreadsheets take a text that begins with one of these characters as a formula, so such a
 * text gets an apostrophe before it (OWASP, CSV injection).
 */
function toField(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  const text = /^[\s]*[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/u.test(value.text) ? `'${value.text}` : value.text;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Serializes a table as CSV with a header and its ETag. */
export function serializeCsv(header: readonly string[], rows: readonly (readonly CsvValue[])[]): CachedResponse {
  const lines = [header.join(","), ...rows.map((row) => row.map(toField).join(","))];
  const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
  return new CachedResponse(bytes, strongEtag(bytes), "text/csv; charset=utf-8");
}
