import { confusablesTable } from "./confusablesTable.ts";

/** NFD of the prototype of each code point that is confusable with another text. */
const prototypes: ReadonlyMap<number, string> = parseTable(confusablesTable);

/** Code points of A in runs of 26 letters that are enclosed, outlined or regional indicators. */
const letterRuns = [0x249c, 0x24b6, 0x24d0, 0x1ccd6, 0x1f110, 0x1f130, 0x1f150, 0x1f170, 0x1f1e6];

/** Small capitals, and the letters that they resemble. The standard's table lacks most of them. */
const smallCapitals = ["ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"] as const;

/** Letters that are drawn as another letter or within a shape, which the standard's table and NFKC leave as they are. */
const drawnLetters: ReadonlyMap<string, string> = new Map([
  ...letterRuns.flatMap((start) =>
    Array.from({ length: 26 }, (_, n) => [String.fromCodePoint(start + n), String.fromCodePoint(0x61 + n)] as const),
  ),
  ...[...smallCapitals[0]].map((capital, n) => [capital, smallCapitals[1][n]!] as const),
]);

/**
 * Returns the skeleton of a text (UTS #39, section 4): texts with equal skeletons look alike. Steps: NFD, removal of
 * default-ignorable code points, replacement of each code point by its prototype, NFD. For comparison only, never for
 * display.
 *
 * Ignores the order of bidirectional text (the standard's bidiSkeleton).
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

/** Replaces enclosed letters, regional indicators and small capitals by letters: `🅤🅢🅓` reads as `usd`. */
export function readDrawnLetters(text: string): string {
  let read = "";
  for (const character of text) read += drawnLetters.get(character) ?? character;
  return read;
}

/**
 * Returns the keys of a name for comparison: two names are confusable when they share a key. Letter case, leading and
 * trailing white space and the length of white space do not matter.
 *
 * A name has two keys if the upper and lower case of a letter resemble different letters: Greek `ΝΕΤ` looks like Latin
 * `NET`, but `νετ` does not. `I` looks like `l` and differs from `i` only by case, so a key maps all three to one
 * letter.
 *
 * @returns One or two keys; none if no character is visible. At most one for ASCII.
 *
 * @example
 * confusableKeys("PayPaI"); // ["paypal"]
 * confusableKeys("bitcoin"); // ["bltcoln"]
 */
export function confusableKeys(name: string): string[] {
  const read = readDrawnLetters(name);
  const keys = [read, foldCase(read)].map(toKey).filter((key) => key !== "");
  return [...new Set(keys)];
}

/** Removes separators, dollar signs and invisible characters from a name or symbol: `$W-E T_H` reads as WETH. */
export function removeSeparators(text: string): string {
  return text.replace(/[\s\p{Pd}\p{Pc}.$\p{Default_Ignorable_Code_Point}]+/gu, "");
}

/** Returns the keys of a token's name and symbol without their separators. A text of separators keeps them. */
export function tokenTextKeys(texts: readonly string[]): string[] {
  const keys = texts.flatMap((text) => confusableKeys(removeSeparators(text) || text));
  return [...new Set(keys)];
}

/** Whether two names share a key; also true for equal names. */
export function areConfusable(name: string, other: string): boolean {
  const keys = new Set(confusableKeys(name));
  return confusableKeys(other).some((key) => keys.has(key));
}

/**
 * Folds twice, because a capital can have a prototype that its small letter does not have: `M` maps to itself, `m`
 * looks like `rn`. Applies NFKC between, because the standard's table omits compatibility forms that resemble only
 * their own letter, such as the fullwidth n.
 */
function toKey(name: string): string {
  const folded = foldCase(skeleton(foldCase(skeleton(name)).normalize("NFKC")));
  return folded.replaceAll("i", "l").replace(/\s+/gu, " ").trim();
}

/**
 * Folds case with JavaScript's tables: upper case first, so that `ß` becomes `ss`; one code point at a time, so that a
 * final sigma is folded like any other sigma.
 */
function foldCase(text: string): string {
  let folded = "";
  for (const character of text) {
    for (const upper of character.toUpperCase()) folded += upper.toLowerCase();
  }
  return folded;
}

/** Parses the entries of {@link confusablesTable}. */
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
