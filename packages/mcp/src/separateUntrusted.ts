import { toPublishedText } from "@slipway/protocol/publishedText";
import type { z } from "zod";

/** The text that replaces a stranger's text in a result: also a URI, because some members must be one. */
export const placeholder = "untrusted:text";

/** A longer text of a stranger is cut. */
const maxTextLength = 2_000;

/** Texts that cannot be a sentence: hex, decimal digits, times, UUIDs, colors, ids of trades, cursors of events. */
const harmless = [
  /^0x[0-9a-fA-F]*$/,
  /^0x[0-9a-fA-F]{64}:\d{1,9}(:\d{1,15})?$/,
  /^\d{1,15}~\d{1,9}$/,
  /^-?\d+(\.\d+)?$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{64}$/,
  /^#[0-9a-f]{6}$/,
];

export type Separated = {
  /** The value, with `placeholder` in place of each text of a stranger. */
  result: unknown;
  /** The texts, cleaned, by their JSON Pointer in `result` (RFC 6901). */
  untrusted: Record<string, string>;
};

/**
 * Separates an answer from the texts in it that a stranger can have written: names, symbols, descriptions, URLs. A model
 * that reads the result does not read a stranger's sentence as an instruction. Every text counts as a stranger's, except
 * the values of enums and texts that cannot be a sentence.
 *
 * @param schema - The schema that has accepted the value.
 */
export function separateUntrusted(schema: z.ZodType, value: unknown): Separated {
  const untrusted: Record<string, string> = {};
  const visit = (type: z.ZodType | undefined, part: unknown, pointer: string): unknown => {
    if (typeof part === "string") {
      if (isEnum(type, part) || harmless.some((pattern) => pattern.test(part))) return part;
      untrusted[pointer] = toPublishedText(part, { maxLength: maxTextLength, lines: true }) ?? "";
      return placeholder;
    }
    if (Array.isArray(part)) return part.map((item, index) => visit(getItem(type), item, `${pointer}/${index}`));
    if (typeof part !== "object" || part === null) return part;
    const visited = Object.entries(part).map(([name, member]) => {
      return [name, visit(getMember(type, name), member, `${pointer}/${escapePointer(name)}`)] as const;
    });
    return Object.fromEntries(visited);
  };
  return { result: visit(schema, value, ""), untrusted };
}

const escapePointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** The used part of the definition of a schema (zod 4). */
type Definition = {
  type: string;
  innerType?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  entries?: Record<string, string>;
  values?: readonly unknown[];
};

/** Returns the definition without the wrappers of optional, nullable and converted values; undefined for unions. */
function getDefinition(type: z.ZodType | undefined): Definition | undefined {
  const definition = type?.def as Definition | undefined;
  const inner = definition?.innerType ?? definition?.out;
  return inner === undefined ? definition : getDefinition(inner);
}

function isEnum(type: z.ZodType | undefined, text: string): boolean {
  const definition = getDefinition(type);
  if (definition?.type === "enum") return Object.values(definition.entries ?? {}).includes(text);
  return definition?.type === "literal" && definition.values?.includes(text) === true;
}

const getItem = (type: z.ZodType | undefined) => getDefinition(type)?.element;

function getMember(type: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const { shape, valueType } = getDefinition(type) ?? {};
  return shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : valueType;
}
