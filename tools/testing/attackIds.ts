import type { TestOutcome } from "./suite.ts";

/** How many ids each chapter has: C2-01 to C2-20, and so on. */
const chapters: Record<string, { title: string; count: number }> = {
  C2: { title: "indexer and chain data", count: 20 },
  C3: { title: "database and process", count: 7 },
  C4: { title: "HTTP, credentials, idempotency, limits", count: 14 },
  C5: { title: "images, outside fetches, providers", count: 10 },
  C6: { title: "live streams", count: 6 },
  C7: { title: "transactions, relayer, signatures", count: 17 },
  C8: { title: "contracts", count: 16 },
  C9: { title: "market data", count: 3 },
};

const uploads = (ids: string[]) => Object.fromEntries(ids.map((id) => [id, "images cannot be uploaded yet"]));

/** Ids that no test carries, and why. */
export const untested: Readonly<Record<string, string>> = {
  ...uploads(["C5-01", "C5-02", "C5-03", "C5-04", "C5-05"]),
  "C5-08": "no market data is fetched yet",
  "C5-09": "no image is pinned yet",
  "C5-10": "there are no partner listings yet",
  "C6-04": "there is no /ws/risk yet",
  "C8-16": "npm run contracts:mutate counts the mutants, on demand",
  "C9-02": "there is no forecast yet",
  "C9-03": "there are no market signals yet",
};

export type Outcome = { passed: number; failed: number };

/** Passed and failed tests of each id; a test may carry several. forge's names have `_` for `-`. */
export function idsOf(tests: readonly TestOutcome[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { name, passed } of tests) {
    const ids = new Set([...name.matchAll(/C[2-9][-_]\d\d/g)].map(([id]) => id.replace("_", "-")));
    for (const id of ids) {
      const before = outcomes.get(id) ?? { passed: 0, failed: 0 };
      outcomes.set(id, {
        passed: before.passed + (passed ? 1 : 0),
        failed: before.failed + (passed ? 0 : 1),
      });
    }
  }
  return outcomes;
}

/** A line an id, and what is wrong with the whole. */
export function attackTable(outcomes: Map<string, Outcome>): { table: string; problems: string[] } {
  const lines: string[] = [];
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [chapter, { title, count }] of Object.entries(chapters)) {
    lines.push(`${chapter} ${title}`);
    for (let number = 1; number <= count; number++) {
      const id = `${chapter}-${String(number).padStart(2, "0")}`;
      known.add(id);
      const outcome = outcomes.get(id);
      if (outcome && untested[id] !== undefined) problems.push(`${id} has a test and a reason for having none`);
      if (!outcome && untested[id] === undefined) problems.push(`${id} has neither a test nor a reason`);
      lines.push(`  ${id}  ${describe(outcome)}`);
    }
  }
  for (const id of outcomes.keys()) if (!known.has(id)) problems.push(`${id} is no id of the list`);
  return { table: lines.join("\n"), problems };
}

function describe(outcome: Outcome | undefined): string {
  if (!outcome) return "-";
  const { passed, failed } = outcome;
  return failed > 0 ? `FAILED ${failed} of ${passed + failed}` : `passed ${passed}`;
}
