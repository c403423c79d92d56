import { parseArgs } from "node:util";
import { runAll } from "./testing/runAll.ts";
import { suites } from "./testing/suites.ts";

const usage = `npm run fuzz -- [--runs N] [--seed N] [--path TEXT]

Asks every operation of the OpenAPI document N times (default 300) with valid, nearly valid and hostile requests. It
starts a service of its own; BASE_URL, with a key in API_KEY, names another (with its limits out of the way).
A failure prints its seed, its path and a curl; --seed and --path repeat it alone.
`;

/** `npm run fuzz`: the suite of `npm test`, with as many requests as asked for. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string" },
      seed: { type: "string" },
      path: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  if (values.help) return 0;
  const settings = { FUZZ_RUNS: values.runs, FUZZ_SEED: values.seed, FUZZ_PATH: values.path };
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) process.env[name] = value;
  return runAll(suites.filter(({ name }) => name === "fuzz"));
}

process.exitCode = await main();
