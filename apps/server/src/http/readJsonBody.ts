import { SlipwayError } from "@slipway/protocol/errors";

/** Twice the depth of any body of this API. */
const maxDepth = 16;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body more strictly than JSON.parse, which accepts input that other parsers read differently: duplicate
 * names, numbers out of range, and names that reach a prototype. The schema of a field refuses an unpaired surrogate
 * and names the field.
 * Source: RFC 8259, 4 and 8; RFC 7493 (I-JSON), 2.
 *
 * @throws SlipwayError `invalid_json`.
 */
export function readJsonBody(bytes: Buffer): unknown {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createError("is not valid JSON");
  }
  // Each member has one colon outside of strings: fewer members than colons mean a duplicate name.
  if (countMembers(value) !== countColons(text)) throw createError("has an object with a duplicate name");
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw createError("is not valid UTF-8");
  }
}

/** Checks every value and counts the members of all objects, level by level so that depth needs no stack. */
function countMembers(root: unknown): number {
  let members = 0;
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw createError("is nested too deeply");
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "number" && !Number.isFinite(value)) throw createError("has a number out of range");
      if (typeof value !== "object" || value === null) continue;
      if (Array.isArray(value)) {
        // Not as arguments of one call, whose number is limited.
        for (const item of value) next.push(item);
        continue;
      }
      for (const [name, member] of Object.entries(value)) {
        checkName(name);
        members++;
        next.push(member);
      }
    }
    level = next;
  }
  return members;
}

function checkName(name: string): void {
  if (name === "__proto__" || name === "constructor" || name === "prototype") throw createError("has a forbidden name");
}

function countColons(text: string): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (inString) {
      if (character === backslash) i++;
      else if (character === quote) inString = false;
    } else if (character === quote) inString = true;
    else if (character === colon) colons++;
  }
  return colons;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

function createError(what: string): SlipwayError {
  return new SlipwayError("invalid_json", `The body ${what}.`);
}
