import { confusablesTable } from "./confusablesTable.ts";

/** NFD of the prototype of each code point that is confusable with another text. */
const prototypes: ReadonlyMap<number, string> = parseTable(confusablesTable);

/**
 * The skeleton of a text (UTS #39, section 4): texts with equal skeletons look alike. NFD, without default-ignorable code
 * points, each code point replaced by its prototype, NFD. For comparison only; never shown.
 *
 * The order of bidirectional text is not taken into account (the standard's bidiSkeleton).
 *
 * @example
 * skeleton("раураl"); // "paypal"; the argument's first five letters are Cyrillic
 */
export function skeleton(text: string): string {
  let mapped = "";
  for (const character of text.normalize("NFD").replace(/\p{Default_Ignorable_Code_Point}/gu, "")) {
    mapped += prototypes.get(character.codePointAt(0)!) ?? character;
  }
  return mapped.normalize("NFD");
}

/**
 * Keys of a name for the comparison of names: two names are confusable when they have a key in common. Letter case,
 * white space at the ends and the length of white space do not matter.
 *
 * There is more than one key where upper and lower case of a letter look like different letters: Greek `ΝΕΤ` looks like
 * Latin `NET`, `νετ` does not. `I` looks like `l` and differs from `i` by case alone: all three are one in a key.
 *
 * @returns One or two keys; none when nothing of the text is visible. For ASCII always at most one.
 *
 * @example
 * confusableKeys("PayPaI"); // ["paypal"]
 * confusableKeys("bitcoin"); // ["bltcoln"]
 */
export function confusableKeys(name: string): string[] {
  const keys = [name, foldCase(name)].map(toKey).filter((key) => key !== "");
  return [...new Set(keys)];
}

/** True when the names have a key in common; also of equal names. */
export function areConfusable(name: string, other: string): boolean {
  const keys = new Set(confusableKeys(name));
  return confusableKeys(other).some((key) => keys.has(key));
}

/**
 * Twice, because a capital can have a prototype that its small letter has not: `M` is itself, `m` looks like `rn`. NFKC in
 * between, because the standard's table leaves out compatibility forms that nothing but their own letter looks like, such
 * as the fullwidth n.
 */
function toKey(name: string): string {
  const folded = foldCase(skeleton(foldCase(skeleton(name)).normalize("NFKC")));
  return folded.replaceAll("i", "l").replace(/\s+/gu, " ").trim();
}

/**
 * Full case folding by JavaScript's own tables: upper case first, so that `ß` gives `ss`; one code point at a time, so
 * that a final sigma is like every other.
 */
function foldCase(text: string): string {
  let folded = "";
  for (const character of text) {
    for (const upper of character.toUpperCase()) folded += upper.toLowerCase();
  }
  return folded;
}

/** Reads the entries of {@link confusablesTable}. */
function parseTable(table: string): Map<number, string> {
  const map = new Map<number, string>();
  for (const entry of table.trim().split(/\s+/)) {
    const [target = "", sources = ""] = entry.split("=");
    const prototype = String.fromCodePoint(...target.split("+").map((value) => Number.parseInt(value, 36)));
    let source = 0;
    for (const distance of sources.split(",")) {
      source += Number.parseInt(distance, 36);
      map.set(source, prototype);
    }
  }
  return map;
}
