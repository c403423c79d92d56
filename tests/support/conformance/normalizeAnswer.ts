/** Texts that differ between two runs of the same code, and their placeholders; the first match wins. */
const textPlaceholders: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\d{4}-\d\d-\d\d/g, "<date>"],
  [/0x[0-9a-f]{64}\b/gi, "<hash>"],
  [/0x[0-9a-f]{40}\b/gi, "<address>"],
  [/0x[0-9a-f]*/gi, "<hex>"],
  [/\b[0-9a-f]{64}\b/g, "<sha256>"],
  [/\b[0-9a-f]{8}\b/g, "<random>"],
  [/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, "<origin>"],
  [/(?:127\.0\.0\.1|localhost):\d+/g, "<host>"],
  [/\b(?:slip|sess)_[\w-]+/g, "<key>"],
  [/\b[\w-]{40,}\b/g, "<token>"],
  [/\d{5,}/g, "<number>"],
];

/** Numbers at or above this are times, amounts or heights of blocks. */
const minVariableNumber = 1_000;

/** Replaces what differs between runs in a text. */
export function normalizeText(text: string): string {
  return textPlaceholders.reduce((result, [pattern, placeholder]) => result.replace(pattern, placeholder), text);
}

/**
 * Replaces what differs between runs in the JSON of an answer. A list becomes the list of its different items in a
 * fixed order: how many there are depends on the tests that ran before.
 */
export function normalizeBody(value: unknown): unknown {
  if (typeof value === "string") return normalizeText(value);
  if (typeof value === "number") return Number.isInteger(value) && value < minVariableNumber ? value : "<number>";
  if (Array.isArray(value)) {
    const items = new Set(value.map((item) => JSON.stringify(normalizeBody(item))));
    return [...items].sort().map((item) => JSON.parse(item) as unknown);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [normalizeText(key), normalizeBody(member)] as const);
  return Object.fromEntries(entries);
}
