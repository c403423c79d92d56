import { toComparableLines } from "./normalizeAnswer.ts";
import { readRecording } from "./recordAnswer.ts";

/**
 * Compares two recordings of conformance runs: `npm run conformance:compare -- BEFORE AFTER`. Prints each answer that
 * only one of them contains, and exits with 1 if there is any. `RECORD_ANSWERS=folder` makes a run record its answers.
 */
function compareAnswers(before: string, after: string): number {
  const first = new Set(readRecording(before).flatMap(toComparableLines));
  const second = new Set(readRecording(after).flatMap(toComparableLines));
  const removed = [...first].filter((line) => !second.has(line)).sort();
  const added = [...second].filter((line) => !first.has(line)).sort();
  for (const line of removed) console.log(`- ${line}`);
  for (const line of added) console.log(`+ ${line}`);
  console.log(`${first.size} and ${second.size} answers; ${removed.length} removed, ${added.length} added`);
  return removed.length + added.length === 0 ? 0 : 1;
}

const [, , before, after] = process.argv;
if (before === undefined || after === undefined) throw new Error("Usage: compareAnswers.ts BEFORE AFTER");
process.exitCode = compareAnswers(before, after);
