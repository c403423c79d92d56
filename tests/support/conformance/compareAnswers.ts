import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answersFile, type RecordedAnswer } from "./recordAnswer.ts";

/**
 * Compares two recordings of a conformance run: `node tests/support/conformance/compareAnswers.ts before after`. Prints
 * each answer that only one of them has, and exits with 1 if there is any. `RECORD_ANSWERS=folder` makes a recording.
 */
function compareAnswers(before: string, after: string): number {
  const [first, second] = [readAnswers(before), readAnswers(after)];
  const removed = [...first].filter((answer) => !second.has(answer)).sort();
  const added = [...second].filter((answer) => !first.has(answer)).sort();
  for (const answer of removed) console.log(`- ${answer}`);
  for (const answer of added) console.log(`+ ${answer}`);
  console.log(`${first.size} and ${second.size} answers; ${removed.length} removed, ${added.length} added`);
  return removed.length + added.length === 0 ? 0 : 1;
}

function readAnswers(folder: string): Set<string> {
  const lines = readFileSync(join(folder, answersFile), "utf8").split("\n").filter(Boolean);
  return new Set(lines.map(toLine));
}

function toLine(line: string): string {
  const { operation, status, headers, body } = JSON.parse(line) as RecordedAnswer;
  return `${operation} ${status} ${JSON.stringify(headers)} ${JSON.stringify(body)}`;
}

const [, , before, after] = process.argv;
if (before === undefined || after === undefined) throw new Error("Usage: compareAnswers.ts BEFORE AFTER");
process.exitCode = compareAnswers(before, after);
