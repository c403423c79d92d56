import { z } from "zod";

/** The reason why an input is invalid, for its sender. */
export type InputProblem = {
  /** The field in the notation of `toFieldName`; undefined if the input as a whole is invalid. */
  field: string | undefined;
  /** One sentence. */
  message: string;
  /** The allowed values or field names, if there are few. */
  allowed: readonly string[] | undefined;
};

/** A fault of an input: the field, a stable code, and one sentence. */
export type FieldFault = { field: string; code: string; message: string };

/** The maximum number of reported faults, because a hostile input can have any number. */
const maxFaults = 50;

/**
 * Parses the input of another party.
 *
 * @param subject - The name of the whole input in messages, e.g. "The body".
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  subject: string,
): { ok: true; value: T } | { ok: false; problem: InputProblem; faults: FieldFault[] } {
  // For unknown fields, only the unfinished issue has the schema, which contains the allowed fields.
  const allowedFields = new Map<readonly string[], readonly string[]>();
  const parsed = schema.safeParse(value, {
    error: (issue) => {
      if (issue.code === "unrecognized_keys") allowedFields.set(issue.keys, getFields(issue.inst));
      return describe(issue);
    },
  });
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0]!;
  const allowed = getAllowed(issue, allowedFields);
  const isUnknown = issue.code === "unrecognized_keys";
  const field = toFieldName(isUnknown ? [...issue.path, issue.keys[0]!] : issue.path);
  const what = isUnknown ? `is not a field here; ${listNames("the fields", allowed ?? [])}` : issue.message;
  return {
    ok: false,
    problem: { field: field || undefined, message: toSentence(field || subject, what), allowed },
    faults: parsed.error.issues.slice(0, maxFaults).flatMap(toFaults).slice(0, maxFaults),
  };
}

/** Returns the faults of an issue: one, or one for each unknown field. */
function toFaults(issue: z.core.$ZodIssue): FieldFault[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, maxFaults).map((key) => {
      const field = toFieldName([...issue.path, key]);
      return { field, code: "unknown_field", message: toSentence(field, "is not a field here") };
    });
  }
  const field = toFieldName(issue.path);
  return [{ field, code: getFaultCode(issue), message: toSentence(field || "The input", issue.message) }];
}

/** The codes of faults that zod reports; our own checks provide a reason. */
const faultCodes: Partial<Record<z.core.$ZodIssue["code"], string>> = {
  invalid_type: "wrong_type",
  invalid_value: "not_allowed",
  invalid_union: "not_allowed",
  invalid_format: "wrong_form",
  too_small: "too_small",
  too_big: "too_large",
};

function getFaultCode(issue: z.core.$ZodIssue): string {
  if (issue.message === "is required") return "required";
  const reason = issue.code === "custom" ? issue.params?.reason : undefined;
  return typeof reason === "string" ? reason : (faultCodes[issue.code] ?? "invalid");
}

/**
 * Formats the path of a field in JavaScript notation. Every error uses this format.
 *
 * @example
 * toFieldName(["recipients", 0, "share_bps"]); // "recipients[0].share_bps"
 */
export function toFieldName(path: readonly PropertyKey[]): string {
  let name = "";
  for (const part of path) {
    if (typeof part === "number") name += `[${part}]`;
    else if (/^[A-Za-z_][\w-]{0,63}$/.test(String(part))) name += name === "" ? String(part) : `.${String(part)}`;
    else name += `["${escapeName(String(part))}"]`;
  }
  return name;
}

/** The maximum length of a repeated name, because the sender chose the name. */
const maxNameLength = 64;

/** Formats the name of an unknown field in printable ASCII, because other characters can mislead the reader. */
function escapeName(name: string): string {
  const ascii = name.replace(/["\\]|[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return ascii.length > maxNameLength ? `${ascii.slice(0, maxNameLength)}...` : ascii;
}

/**
 * Joins a field and its fault into a sentence.
 *
 * @param what - "must be …", "is required"; or a complete sentence, which begins with a capital.
 */
export function toSentence(field: string, what: string): string {
  const sentence = /^[A-Z]/.test(what) ? what : `${field} ${what}`;
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}

/** Returns a text with the allowed names. */
export function listNames(what: string, names: readonly string[]): string {
  return names.length === 0 ? "there are none" : `${what} are ${names.join(", ")}`;
}

function getAllowed(
  issue: z.core.$ZodIssue,
  allowedFields: ReadonlyMap<readonly string[], readonly string[]>,
): readonly string[] | undefined {
  if (issue.code === "unrecognized_keys") return allowedFields.get(issue.keys);
  const values = issue.code === "invalid_value" ? issue.values : getOptions(issue);
  return values?.map(String);
}

/** The allowed values of the discriminator of a message. */
const getOptions = (issue: object) => (issue as { options?: readonly unknown[] }).options;

const getFields = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** Returns the fault as a text that follows the name of the field. */
function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${typeNames[issue.expected] ?? issue.expected}, not ${describeType(issue.input)}`;
    case "invalid_value":
      return describeValues(issue.values, issue.input);
    case "too_small":
      return describeBound(issue.origin, "at least", "more than", issue.inclusive, issue.minimum);
    case "too_big":
      return describeBound(issue.origin, "at most", "less than", issue.inclusive, issue.maximum);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formats[issue.format] ?? "does not have the documented format";
    case "invalid_union": {
      if (issue.input === undefined) return "is required";
      const options = getOptions(issue);
      if (options === undefined) return "has none of the documented formats";
      // zod reports this fault by the discriminator; the input contains the field's value or lacks the field.
      const value = (issue.input as Record<string, unknown>)[String(issue.discriminator)];
      return describeValues(options, value);
    }
    case "invalid_key":
      return "has a name that is not allowed";
    case "invalid_element":
      return "has an entry that is not allowed";
    default:
      return "is not valid";
  }
}

function describeValues(values: readonly unknown[], input: unknown): string {
  const allowed = values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(", ")}`;
  return input === undefined ? "is required" : allowed;
}

/** The names of JSON types in messages. */
const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "a fraction";
  return typeNames[typeof value] ?? typeof value;
}

/** The unit of a length: singular and plural. */
const units: Record<string, readonly [one: string, several: string]> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
};

function describeBound(
  origin: string,
  inclusive: string,
  exclusive: string,
  isInclusive = true,
  bound: unknown,
): string {
  const [unit, number] = [units[origin], Number(bound)];
  if (unit === undefined) {
    // Numbers in JSON are not exact above this bound.
    const exact = Math.abs(number) === Number.MAX_SAFE_INTEGER ? " to be read exactly" : "";
    return `must be ${isInclusive ? inclusive : exclusive} ${String(bound)}${exact}`;
  }
  if (inclusive === "at least" && number === 1) return "must not be empty";
  return `must have ${inclusive} ${String(bound)} ${unit[number === 1 ? 0 : 1]}`;
}

const formats: Record<string, string> = {
  uuid: "must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000",
  datetime: "must be a time such as 2026-01-31T12:00:00Z",
  url: "must be a complete URL",
  email: "must be an email address",
};
