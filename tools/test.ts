import { parseArgs } from "node:util";
import { runAll } from "./testing/runAll.ts";
import { suites } from "./testing/suites.ts";

const usage = `npm test -- [--only SUITE]... [--skip SUITE]... [--strict] [--list]

Runs every suite in order and ends with a table and the line "N passed, N failed".
A file of real processes that fails is run once more alone, and named as unsteady if it passes then; not with --strict.
`;

/** `npm test`: the one command that proves the repository. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      skip: { type: "string", multiple: true, default: [] },
      strict: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  if (values.list) process.stdout.write(suites.map(({ name, title }) => `${name.padEnd(12)} ${title}\n`).join(""));
  if (values.help || values.list) return 0;
  const unknown = [...values.only, ...values.skip].filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no suite ${unknown.join(", ")}; npm test -- --list names them.\n`);
    return 64;
  }
  const chosen = suites.filter(
    ({ name }) => (values.only.length === 0 || values.only.includes(name)) && !values.skip.includes(name),
  );
  return runAll(chosen, { strict: values.strict });
}

process.exitCode = await main();
