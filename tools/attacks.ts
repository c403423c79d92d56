import { attackTable, idsOf, untested } from "./testing/attackIds.ts";
import { runEach } from "./testing/runAll.ts";
import { attackSuites } from "./testing/suites.ts";

/**
 * `npm run attacks`: every test that carries the id of an attack or fault, and a table of all ids. Fails when a test
 * does, when an id has neither a test nor a reason, and when a reason is out of date.
 */
async function main(): Promise<number> {
  const results = await runEach(attackSuites());
  const outcomes = idsOf(results.flatMap(({ tests }) => tests ?? []));
  const { table, problems } = attackTable(outcomes);
  process.stdout.write(`\n${table}\n\nWithout a test of that name:\n`);
  for (const [id, reason] of Object.entries(untested)) process.stdout.write(`  ${id}  ${reason}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return problems.length === 0 && results.every(({ problem }) => problem === null) ? 0 : 1;
}

process.exitCode = await main();
