import type { RecordedAnswer } from "./recordAnswer.ts";

/** Texts that differ between two runs of the same code, with their placeholders, in the order of replacement. */
const textPlaceholders: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\d{4}-\d\d-\d\d/g, "<date>"],
  [/\b(?:slip|sess)_[\w-]+/g, "<key>"],
  [/0x[0-9a-f]{64}\b/gi, "<hash>"],
  [/0x[0-9a-f]{40}\b/gi, "<address>"],
  [/0x[0-9a-f]*/gi, "<hex>"],
  [/\b[0-9a-f]{64}\b/g, "<sha256>"],
  [/\b[0-9a-f]{32}\b/g, "<code>"],
  [/\bsg_[\w<>]+/g, "<signal>"],
  [/\b[0-9a-f]{8}\b/g, "<random>"],
  [/\bh[0-9a-f]{8}-[0-9a-f]{3}\b/gi, "<handle>"],
  [/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, "<origin>"],
  [/(?:127\.0\.0\.1|localhost):\d+/g, "<host>"],
  [/\b(state|code_challenge|redirect_uri)=[^&]*/g, "$1=<value>"],
  [/\bblocks? \d+/g, "block <height>"],
  [/\b\d+(?:\.\d+)? s later/g, "<seconds> s later"],
  [/[\w-]{40,}/g, "<token>"],
  [/\d{5,}/g, "<number>"],
];

/** Members whose values depend on the run, whatever their form. */
const variableKeys =
  /block|cursor|nonce|^data$|etag|^key$|^prefix$|lag_seconds|^salt$|signature|^version$|^method$|window_seconds|deviation/;

/** Members of trading signals, which depend on the hour of the run. */
const signalKeys = /^(pair|strategy|direction|indicators|skill)$/;

/** Numeric members that depend on the data stored by earlier tests. */
const countingKeys =
  /(^|_)id$|before|balance|total|count|24h|covered|resolved|^n$|bars|credits|volume|realized|price|remaining/;

/** Numbers at or above this are times, amounts or block heights. */
const minVariableNumber = 1_000;

/** Headers that depend neither on the time nor on other requests. */
const recordedHeaders = [
  "access-control-allow-origin",
  "cache-control",
  "content-type",
  "location",
  "www-authenticate",
];

/** Headers whose value differs between runs; only their presence is compared. */
const presentHeaders = [
  "content-disposition",
  "credits-remaining",
  "etag",
  "retry-after",
  "set-cookie",
  "x-request-id",
];

/**
 * Formats an answer as lines, without the parts that differ between two runs of the same code: one line for the answer,
 * and one for each item of its lists, because the length of a list depends on earlier tests.
 */
export function toComparableLines({ operation, status, headers, body }: RecordedAnswer): string[] {
  const items: string[] = [];
  const prefix = `${operation} ${status}`;
  const normalized = normalize("", body, (path, item) => items.push(`${prefix} ${path} ${JSON.stringify(item)}`));
  return [`${prefix} ${JSON.stringify(pickHeaders(headers))} ${JSON.stringify(normalized)}`, ...items];
}

/** Normalizes a value; `addItem` receives each item of its lists. */
function normalize(path: string, value: unknown, addItem: (path: string, item: unknown) => void): unknown {
  const key = path.split(".").at(-1) ?? "";
  if (value !== null && (variableKeys.test(key) || signalKeys.test(key))) return "<value>";
  if (typeof value === "string") return normalizeText(value);
  if (typeof value === "number") return normalizeNumber(key, value);
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string")) return value.map(normalizeText);
    for (const item of value) addItem(`${path}[]`, normalize(`${path}[]`, item, addItem));
    return "<list>";
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    normalizeText(name),
    normalize(`${path}.${normalizeText(name)}`, member, addItem),
  ]);
  return Object.fromEntries(entries);
}

function normalizeNumber(key: string, value: number): number | string {
  const isVariable = countingKeys.test(key) || value >= minVariableNumber;
  return isVariable || !Number.isInteger(value) ? "<number>" : value;
}

function normalizeText(text: string): string {
  return textPlaceholders.reduce((result, [pattern, placeholder]) => result.replace(pattern, placeholder), text);
}

function pickHeaders(headers: Record<string, string>): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of recordedHeaders) {
    const value = headers[name];
    if (value !== undefined) picked[name] = normalizeText(value);
  }
  for (const name of presentHeaders) {
    if (name in headers) picked[name] = "<present>";
  }
  return picked;
}
