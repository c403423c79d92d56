import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./sourceFiles.ts";

/**
 * Writes packages/protocol/src/confusablesTable.ts from a file in the format of Unicode's confusables.txt: the file
 * from unicode.org, or the output of tools/confusables/icuSkeletons.c.
 */
const output = join(repositoryRoot, "packages/protocol/src/confusablesTable.ts");
const lineWidth = 120;

/**
 * Source code points by the NFD of their target text. Omits sources that NFD decomposes, because they are never looked
 * up.
 */
function parseConfusables(file: string): Map<string, number[]> {
  const sourcesByTarget = new Map<string, number[]>();
  for (const line of file.split("\n")) {
    const match = /^\uFEFF?([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;/.exec(line);
    if (match === null) continue;
    const source = Number.parseInt(match[1]!, 16);
    const target = String.fromCodePoint(...match[2]!.split(" ").map((hex) => Number.parseInt(hex, 16)));
    const character = String.fromCodePoint(source);
    const mapped = target.normalize("NFD");
    if (character.normalize("NFD") !== character || mapped === character) continue;
    sourcesByTarget.set(mapped, [...(sourcesByTarget.get(mapped) ?? []), source]);
  }
  return sourcesByTarget;
}

const base36 = (value: number) => value.toString(36);

/**
 * Formats `target+target=first,distance,distance` in base 36: ASCII, so that the source file has no invisible
 * character.
 */
function encodeEntry([target, sources]: [string, number[]]): string {
  const sorted = sources.toSorted((a, b) => a - b);
  const distances = sorted.map((source, index) => base36(source - (sorted[index - 1] ?? 0)));
  return `${Array.from(target, (character) => base36(character.codePointAt(0)!)).join("+")}=${distances.join(",")}`;
}

/** Breaks lines between entries; an entry longer than a line gets its own line. */
function wrap(entries: string[]): string {
  let text = "";
  let column = 0;
  for (const entry of entries) {
    const breaks = column > 0 && column + 1 + entry.length > lineWidth;
    text += (column === 0 ? "" : breaks ? "\n" : " ") + entry;
    column = breaks || column === 0 ? entry.length : column + 1 + entry.length;
  }
  return text;
}

const file = readFileSync(process.argv[2]!, "utf8");
const version = /^# Version: (.+)$/m.exec(file)?.[1];
const entries = [...parseConfusables(file)]
  .map(([target, sources]): [string, number[]] => [target, sources])
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(encodeEntry);
if (version === undefined || entries.length < 1000) throw new Error("This is not a file like confusables.txt.");

writeFileSync(
  output,
  `// Written by tools/generateConfusables.ts. Do not edit.
// Derived from the Unicode security data for UTS #39 (confusables.txt), version ${version}.
//
// Copyright © 1991-2022 Unicode, Inc. All rights reserved. Unicode and the Unicode Logo are registered trademarks of
// Unicode, Inc. in the U.S. and other countries. Distributed under the Terms of Use at
// https://www.unicode.org/copyright.html and modified: reduced to the mappings and encoded anew.
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of the Unicode data files and any
// associated documentation (the "Data Files") or Unicode software and any associated documentation (the "Software") to
// deal in the Data Files or Software without restriction, including without limitation the rights to use, copy, modify,
// merge, publish, distribute, and/or sell copies of the Data Files or Software, and to permit persons to whom the Data
// Files or Software are furnished to do so, provided that either (a) this copyright and permission notice appear with all
// copies of the Data Files or Software, or (b) this copyright and permission notice appear in associated Documentation.
//
// THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
// LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY
// RIGHTS. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM, OR ANY
// SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
// WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
// PERFORMANCE OF THE DATA FILES OR SOFTWARE.

/**
 * Entries separated by white space. Each is \`target+target=source,distance,distance\` in base 36: the code points of the
 * prototype, the first code point that maps to it, and the distance of each further one from the one before.
 */
export const confusablesTable = \`
${wrap(entries)}
\`;
`,
);
process.stdout.write(`${output}: ${entries.length} prototypes of Unicode ${version}\n`);
